import { useQuery } from '@tanstack/react-query';
import { Network, UnfoldHorizontal, X } from 'lucide-react';
import { useDeferredValue, useEffect, useMemo, useState } from 'react';
import { Link, useLocation } from 'wouter';
import { queries } from '../api/queries.ts';
import type { Topology } from '../api/topology.ts';
import type { TopologyNode } from '../api/types.ts';
import { useCommandList } from '../commands/registry.ts';
import { usePlace } from '../state/place.ts';
import { requestPreviews, usePreviews } from '../state/previews.ts';
import { Button, IconButton } from '../ui/button.tsx';
import { ago } from '../ui/format.ts';
import { Empty, Failed, Loading } from '../ui/states.tsx';
import { t } from '../words/words.ts';
import { type AuthorKind, authorKind, usePalette } from './colors.ts';
import type { Look, Scene } from './draw.ts';
import { foldRuns } from './fold.ts';
import { GraphBar, type SearchMatches } from './graph-bar.tsx';
import { GraphCanvas } from './graph-canvas.tsx';
import { layOut, type PlacedCard } from './layout.ts';
import { RoleIcon } from './role-icon.tsx';
import { ancestors, buildTree, type Tree } from './tree.ts';

/** The whole forest, or a node and all that is below it. */
export default function GraphScreen({ below }: { readonly below?: string }) {
  const topology = useQuery(queries.topology(below));
  if (topology.error || !topology.data?.items.length)
    return (
      <>
        <h1 className="sr-only">{t('graph.title')}</h1>
        {topology.error ? (
          <Failed error={topology.error} onRetry={() => void topology.refetch()} />
        ) : !topology.data ? (
          <Loading label={t('graph.loading')} />
        ) : (
          <Empty title={t('graph.empty')} icon={<Network size={20} />}>
            {t('graph.empty-about')}{' '}
            <Link href="/new" className="text-accent underline">
              {t('graph.empty-begin')}
            </Link>
            .
          </Empty>
        )}
      </>
    );
  return <Graph key={below ?? 'all'} topology={topology.data} {...(below !== undefined && { below })} />;
}

/** The graph with its bar, its canvas and the pane of the focused card. */
function Graph({ topology, below }: { readonly topology: Topology; readonly below?: string }) {
  const [, go] = useLocation();
  const leaf = usePlace((place) => place.lastLeaf);
  const palette = usePalette();
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set());
  const [hidden, setHidden] = useState<ReadonlySet<AuthorKind>>(new Set());
  const [search, setSearch] = useState('');
  const [focused, setFocused] = useState<string | undefined>(below ?? leaf);
  const found = useSearchMatches(search, below);

  const tree = useMemo(() => buildTree(topology.items), [topology.items]);
  const path = useMemo(() => new Set(ancestors(tree, leaf ?? '')), [tree, leaf]);
  const layout = useMemo(
    // The newest tree first.
    () => layOut(foldRuns(tree, (id) => id === leaf || open.has(id) || found.ids.has(id)).toReversed()),
    [tree, leaf, open, found.ids],
  );
  const looks = useMemo(
    () => computeLooks(tree, layout.placed, path, hidden, found.ids),
    [tree, layout, path, hidden, found.ids],
  );
  const titles = useTreeTitles(tree);
  const scene: Scene = {
    layout,
    looks,
    palette,
    focused,
    words: (placed) => cardText(tree, placed),
    titleOf: (top) => titles.get(top) ?? usePreviews.getState().of.get(top)?.text ?? '',
  };
  const current = focused === undefined ? undefined : layout.of.get(focused);
  const preview = usePreviews((state) => state.of.get(focused ?? ''));
  useEffect(() => {
    if (focused !== undefined && tree.nodes.has(focused)) requestPreviews([focused]);
  }, [focused, tree]);

  const unfold = ({ fold }: PlacedCard) => setOpen((before) => new Set([...before, ...fold.ids]));
  const openNode = ({ fold }: PlacedCard) => go(`/c/${fold.id}`);
  const hoist = (id: string) => go(`/graph/${id}`);
  useCommandList([
    { id: 'graph-all', title: t('graph.command-whole'), group: 'view', run: () => go('/graph') },
    { id: 'graph-fold', title: t('graph.command-fold'), group: 'view', run: () => setOpen(new Set()) },
    ...(current
      ? [
          {
            id: 'graph-hoist',
            title: t('graph.command-below'),
            group: 'view' as const,
            keys: ['H'],
            run: () => hoist(current.fold.id),
          },
        ]
      : []),
  ]);

  return (
    <div className="flex h-full flex-col">
      <GraphBar
        below={below}
        count={topology.items.length}
        kinds={useMemo(() => new Set(topology.items.map(authorKind)), [topology.items])}
        hidden={hidden}
        onHidden={setHidden}
        search={search}
        onSearch={setSearch}
        found={found}
        focused={focused}
        onFound={(id) => setFocused(id)}
        canFold={open.size > 0}
        onFold={() => setOpen(new Set())}
      />
      <div className="relative min-h-0 grow">
        <GraphCanvas
          scene={scene}
          description={current ? describeCard(tree, current, preview?.text) : ''}
          onFocus={setFocused}
          onOpen={openNode}
          onUnfold={unfold}
        />
        {current && (
          <NodePane
            placed={current}
            node={tree.nodes.get(current.fold.id)!}
            title={titles.get([...ancestors(tree, current.fold.id)].at(-1) ?? '')}
            isTop={current.fold.id === below}
            onHoist={() => hoist(current.fold.id)}
            onUnfold={() => unfold(current)}
            onClose={() => setFocused(undefined)}
          />
        )}
      </div>
    </div>
  );
}

/** The title of every tree: that of the conversation in it that changed last, and how many others there are. */
function useTreeTitles(tree: Tree<TopologyNode>): ReadonlyMap<string, string> {
  const { data } = useQuery(queries.threads());
  return useMemo(() => {
    const found = new Map<string, { readonly title: string; count: number }>();
    for (const { head, title } of data?.items ?? []) {
      const top = [...ancestors(tree, head)].at(-1);
      if (top === undefined) continue;
      const before = found.get(top);
      if (before) before.count += 1;
      else found.set(top, { title: title || t('palette.untitled'), count: 1 });
    }
    return new Map([...found].map(([top, { title, count }]) => [top, count > 1 ? `${title} (+${count - 1})` : title]));
  }, [data, tree]);
}

/** How every card looks. */
function computeLooks(
  tree: Tree<TopologyNode>,
  placed: readonly PlacedCard[],
  path: ReadonlySet<string>,
  hidden: ReadonlySet<AuthorKind>,
  found: ReadonlySet<string>,
): ReadonlyMap<string, Look> {
  return new Map(
    placed.map(({ fold }) => {
      const { id } = fold;
      const kind = fold.ids.length > 1 ? 'other' : authorKind(tree.nodes.get(id)!);
      return [id, { kind, isOnPath: path.has(id), isDim: hidden.has(kind), isFound: found.has(id) }];
    }),
  );
}

/** The two lines of text on a card. */
function cardText(tree: Tree<TopologyNode>, { fold }: PlacedCard): readonly [string, string] {
  if (fold.ids.length > 1) return [t('graph.card-run-line'), t('graph.messages', { count: fold.ids.length })];
  const { role, model } = tree.nodes.get(fold.id)!;
  const text = usePreviews.getState().of.get(fold.id)?.text ?? '';
  return [model ?? role, text.replace(/^#+ /, '')];
}

/** Describes a card to screen readers. */
function describeCard(tree: Tree<TopologyNode>, { fold, children }: PlacedCard, preview = ''): string {
  if (fold.ids.length > 1) return t('graph.card-run-keys', { count: fold.ids.length });
  const { role, model, depth } = tree.nodes.get(fold.id)!;
  const facts = { who: model ?? role, depth, text: preview };
  return children.length === 0
    ? t('graph.card-end', facts)
    : t('graph.card-fork', { ...facts, count: children.length });
}

interface NodePaneProps {
  readonly placed: PlacedCard;
  readonly node: TopologyNode;
  /** Of the tree that it belongs to. */
  readonly title: string | undefined;
  readonly isTop: boolean;
  readonly onHoist: () => void;
  readonly onUnfold: () => void;
  readonly onClose: () => void;
}

/** The focused card and the actions on it. */
function NodePane({ placed: { fold }, node, title, isTop, onHoist, onUnfold, onClose }: NodePaneProps) {
  const preview = usePreviews((state) => state.of.get(fold.id));
  const isRun = fold.ids.length > 1;
  return (
    <section
      aria-label={t('graph.card')}
      className="absolute bottom-3 left-3 w-80 max-w-[calc(100%-4.5rem)] rounded-lg border border-line bg-raised p-3 shadow-md"
    >
      <div className="flex items-center gap-2 text-xs text-soft">
        <RoleIcon role={isRun ? 'run' : node.role} />
        <span className="min-w-0 grow truncate">
          {isRun ? t('graph.card-run', { count: fold.ids.length }) : `${node.model ?? node.role} · ${ago(node.at)}`}
        </span>
        <IconButton label={t('graph.card-close')} className="-my-1 -mr-1" onClick={onClose}>
          <X size={14} />
        </IconButton>
      </div>
      {title !== undefined && <p className="mt-1 truncate text-xs font-medium">{title}</p>}
      <p className="my-2 line-clamp-4 min-h-5 text-sm break-words">
        {isRun ? t('graph.card-begins', { text: preview?.text ?? '' }) : preview?.text}
      </p>
      <div className="flex flex-wrap gap-2">
        <Link
          href={`/c/${fold.id}`}
          className="inline-flex h-7 items-center pointer-coarse:h-10 rounded-md bg-accent px-2 text-xs font-medium text-accent-ink hover:opacity-90"
        >
          {t('graph.card-open')}
        </Link>
        {isRun && (
          <Button small onClick={onUnfold}>
            <UnfoldHorizontal size={14} /> {t('graph.card-unfold')}
          </Button>
        )}
        {!isTop && (
          <Button small onClick={onHoist}>
            <Network size={14} /> {t('graph.card-below')}
          </Button>
        )}
      </div>
    </section>
  );
}

/** The nodes whose text matches a search. */
function useSearchMatches(words: string, below: string | undefined): SearchMatches {
  const q = useDeferredValue(words.trim());
  const { data, error } = useQuery({ ...queries.search(q, below), enabled: q !== '' });
  return useMemo(() => {
    const list = q === '' ? [] : (data?.items.map(({ node }) => node) ?? []);
    return { list, ids: new Set(list), error };
  }, [q, data, error]);
}
