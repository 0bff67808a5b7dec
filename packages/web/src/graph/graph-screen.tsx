import { useQuery } from '@tanstack/react-query';
import { ChevronDown, ChevronUp, FoldHorizontal, Network, Search, UnfoldHorizontal, X } from 'lucide-react';
import { useDeferredValue, useEffect, useMemo, useState } from 'react';
import { Link, useLocation } from 'wouter';
import { queries } from '../api/queries.ts';
import type { Topology } from '../api/topology.ts';
import { ROOT, type TopologyNode } from '../api/types.ts';
import { useCommandList } from '../commands/registry.ts';
import { usePlace } from '../state/place.ts';
import { requestPreviews, usePreviews, useRequestedPreviews } from '../state/previews.ts';
import { Button, IconButton } from '../ui/button.tsx';
import { ago, pluralize, shortId } from '../ui/format.ts';
import { Empty, Failed, Loading } from '../ui/states.tsx';
import { type AuthorKind, authorKind, colorVariable, KINDS, usePalette } from './colors.ts';
import type { Look, Scene } from './draw.ts';
import { foldRuns } from './fold.ts';
import { GraphCanvas } from './graph-canvas.tsx';
import { layOut, type PlacedCard } from './layout.ts';
import { RoleIcon } from './role-icon.tsx';
import { ancestors, buildTree, type Tree } from './tree.ts';

/** The whole forest, or a node and all that is below it. */
export default function GraphScreen({ below }: { readonly below?: string }) {
  const topology = useQuery(queries.topology(below));
  if (topology.error) return <Failed error={topology.error} onRetry={() => void topology.refetch()} />;
  if (!topology.data) return <Loading label="Loading the graph" />;
  if (topology.data.items.length === 0)
    return (
      <Empty title="The forest is empty" icon={<Network size={32} />}>
        Every message of every conversation will be here.{' '}
        <Link href="/new" className="text-accent underline">
          Begin one
        </Link>
        .
      </Empty>
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
    { id: 'graph-all', title: 'Graph of the whole forest', group: 'View', run: () => go('/graph') },
    { id: 'graph-fold', title: 'Fold all runs of the graph', group: 'View', run: () => setOpen(new Set()) },
    ...(current
      ? [
          {
            id: 'graph-hoist',
            title: 'Show only what is below this message',
            group: 'View' as const,
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
      else found.set(top, { title: title || 'Untitled', count: 1 });
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
  if (fold.ids.length > 1) return ['in a line', `${fold.ids.length} messages`];
  const { role, model } = tree.nodes.get(fold.id)!;
  const text = usePreviews.getState().of.get(fold.id)?.text ?? '';
  return [model ?? role, text.replace(/^#+ /, '')];
}

/** Describes a card to screen readers. */
function describeCard(tree: Tree<TopologyNode>, { fold, children }: PlacedCard, preview = ''): string {
  if (fold.ids.length > 1) return `${fold.ids.length} messages in a line. Space unfolds them.`;
  const { role, model, depth } = tree.nodes.get(fold.id)!;
  const below = children.length === 0 ? 'an end' : children.length === 1 ? 'one answer' : `${children.length} branches`;
  return `${model ?? role}, depth ${depth}, ${below}: ${preview}`;
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
      aria-label="Focused message"
      className="absolute bottom-3 left-3 w-80 max-w-[calc(100%-4.5rem)] rounded-lg border border-line bg-raised p-3 shadow-md"
    >
      <div className="flex items-center gap-2 text-xs text-soft">
        <RoleIcon role={isRun ? 'run' : node.role} />
        <span className="min-w-0 grow truncate">
          {isRun ? `${fold.ids.length} messages in a line` : `${node.model ?? node.role} · ${ago(node.at)}`}
        </span>
        <IconButton label="Close" className="-my-1 -mr-1" onClick={onClose}>
          <X size={14} />
        </IconButton>
      </div>
      {title !== undefined && <p className="mt-1 truncate text-xs font-medium">{title}</p>}
      <p className="my-2 line-clamp-4 min-h-5 text-sm break-words">
        {isRun ? `It begins: ${preview?.text ?? ''}` : preview?.text}
      </p>
      <div className="flex flex-wrap gap-2">
        <Link
          href={`/c/${fold.id}`}
          className="inline-flex h-7 items-center rounded-md bg-accent px-2 text-xs font-medium text-accent-ink hover:opacity-90"
        >
          Open the conversation
        </Link>
        {isRun && (
          <Button small onClick={onUnfold}>
            <UnfoldHorizontal size={14} /> Unfold
          </Button>
        )}
        {!isTop && (
          <Button small onClick={onHoist}>
            <Network size={14} /> Only what is below
          </Button>
        )}
      </div>
    </section>
  );
}

interface GraphBarProps extends LegendProps {
  readonly below: string | undefined;
  readonly count: number;
  readonly search: string;
  readonly onSearch: (words: string) => void;
  readonly found: SearchMatches;
  readonly focused: string | undefined;
  readonly onFound: (id: string) => void;
  readonly canFold: boolean;
  readonly onFold: () => void;
}

/** The bar above the graph: scope, search and legend. */
function GraphBar(props: GraphBarProps) {
  const { below, count, canFold, onFold } = props;
  return (
    <div className="flex shrink-0 flex-wrap items-center gap-x-3 gap-y-1.5 border-b border-line bg-surface px-3 py-1.5">
      <h1 className="sr-only">Graph</h1>
      <Scope below={below} />
      <SearchField {...props} />
      <Legend {...props} />
      <span className="grow" />
      {canFold && (
        <Button small look="quiet" onClick={onFold}>
          <FoldHorizontal size={14} /> Fold all
        </Button>
      )}
      <span className="hidden text-xs text-faint sm:inline">{pluralize(count, 'message')}</span>
    </div>
  );
}

const WHOLE = 'all';
const MOST_CHOICES = 200;

function Scope({ below }: { readonly below: string | undefined }) {
  const [, go] = useLocation();
  const threads = useQuery(queries.threads());
  // Thousands of choices would be slow, and nobody reads them: search and the graph itself lead to older ones.
  const items = (threads.data?.items ?? []).filter(({ start }) => start !== ROOT).slice(0, MOST_CHOICES);
  const isThread = items.some(({ start }) => start === below);
  const previews = useRequestedPreviews(below === undefined || isThread ? [] : [below]);
  return (
    <select
      aria-label="What is drawn"
      value={below ?? WHOLE}
      onChange={(event) => go(event.target.value === WHOLE ? '/graph' : `/graph/${event.target.value}`)}
      className="h-7 max-w-56 min-w-0 rounded-md border border-line bg-surface px-1 text-sm text-ink"
    >
      <option value={WHOLE}>Whole forest</option>
      {below !== undefined && !isThread && (
        <option value={below}>Below “{previews.get(below)?.text.slice(0, 40) ?? shortId(below)}”</option>
      )}
      {items.map(({ id, start, title }) => (
        <option key={id} value={start}>
          {title || shortId(start)}
        </option>
      ))}
    </select>
  );
}

function SearchField({ search, onSearch, found, focused, onFound }: GraphBarProps) {
  const index = found.list.indexOf(focused ?? '');
  const step = (by: number) => {
    const { list } = found;
    if (list.length > 0) onFound(list[(index + by + list.length) % list.length]!);
  };
  return (
    <search className="flex items-center gap-1">
      <span className="relative">
        <Search size={14} aria-hidden className="absolute top-1.5 left-2 text-faint" />
        <input
          type="search"
          aria-label="Search the graph"
          placeholder="Search"
          value={search}
          onChange={(event) => onSearch(event.target.value)}
          onKeyDown={(event) => {
            if (event.key === 'Enter') step(event.shiftKey ? -1 : 1);
          }}
          className="h-7 w-40 rounded-md border border-line bg-surface pr-1 pl-7 text-sm placeholder:text-faint"
        />
      </span>
      {search.trim() !== '' && (
        <>
          <span role="status" className="text-xs whitespace-nowrap text-soft">
            {found.error ? found.error.message : `${index >= 0 ? `${index + 1} of ` : ''}${found.list.length} found`}
          </span>
          <IconButton label="Previous found" onClick={() => step(-1)} disabled={found.list.length === 0}>
            <ChevronUp size={14} />
          </IconButton>
          <IconButton label="Next found" onClick={() => step(1)} disabled={found.list.length === 0}>
            <ChevronDown size={14} />
          </IconButton>
        </>
      )}
    </search>
  );
}

interface LegendProps {
  readonly kinds: ReadonlySet<AuthorKind>;
  readonly hidden: ReadonlySet<AuthorKind>;
  readonly onHidden: (hidden: ReadonlySet<AuthorKind>) => void;
}

/** The legend of the colours; each kind can be dimmed. */
function Legend({ kinds, hidden, onHidden }: LegendProps) {
  const toggle = (kind: AuthorKind) => {
    const next = new Set(hidden);
    if (!next.delete(kind)) next.add(kind);
    onHidden(next);
  };
  return (
    <ul aria-label="Legend" className="flex flex-wrap items-center gap-1">
      {KINDS.filter(({ kind }) => kinds.has(kind)).map(({ kind, title }) => (
        <li key={kind}>
          <button
            type="button"
            aria-pressed={!hidden.has(kind)}
            onClick={() => toggle(kind)}
            className={`flex h-6 items-center gap-1.5 rounded-md px-1.5 text-xs hover:bg-hover ${hidden.has(kind) ? 'text-faint line-through' : 'text-soft'}`}
          >
            <span
              aria-hidden
              className="size-2.5 rounded-sm border"
              style={{
                borderColor: `var(${colorVariable(kind)})`,
                background: hidden.has(kind) ? 'transparent' : `var(${colorVariable(kind)})`,
              }}
            />
            {title}
          </button>
        </li>
      ))}
    </ul>
  );
}

interface SearchMatches {
  /** Best first. */
  readonly list: readonly string[];
  readonly ids: ReadonlySet<string>;
  readonly error: Error | null;
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
