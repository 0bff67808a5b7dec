import { useQuery } from '@tanstack/react-query';
import { ChevronDown, ChevronRight, Loader } from 'lucide-react';
import { type KeyboardEvent, useCallback, useEffect, useId, useMemo, useRef, useState } from 'react';
import { queries } from '../api/queries.ts';
import type { Block, Node, Thread } from '../api/types.ts';
import { foldRuns, subtreeSizes } from '../graph/fold.ts';
import { type ModelColors, modelColors } from '../graph/model-colors.ts';
import { type RailRow, railRows } from '../graph/rail.ts';
import { buildTree } from '../graph/tree.ts';
import { useCurrentThread } from '../state/current-thread.ts';
import { useLive } from '../state/live.ts';
import { pathTo, useNodes } from '../state/nodes.ts';
import { goTo } from '../state/place.ts';
import { requestPreviews, usePreviews } from '../state/previews.ts';
import { Failed, Loading } from '../ui/states.tsx';
import { SCROLLER, VirtualList, type VirtualListHandle } from '../ui/virtual-list.tsx';
import { t } from '../words/words.ts';
import { MOST_LANES, ModelLegend, RailCell, type RailNode, useRowHeight } from './rail-cell.tsx';

/** The tree of a conversation, with the path on screen as its trunk. */
export function TreeTab({ node, leaf }: { readonly node: Node; readonly leaf: string }) {
  const nodes = useNodes((state) => state.nodes);
  const path = useMemo(() => pathTo(nodes, leaf), [nodes, leaf]);
  const top = path[0]?.id;
  const topology = useQuery({ ...queries.topology(top), enabled: top !== undefined });
  if (topology.error) return <Failed error={topology.error} onRetry={() => void topology.refetch()} />;
  if (!topology.data) return <Loading label={t('inspector.tree-loading')} lines={8} />;
  return <Lines items={topology.data.items} path={path} selected={node.id} />;
}

interface LinesProps {
  readonly items: readonly RailNode[];
  readonly path: readonly Node[];
  readonly selected: string;
}

function Lines({ items, path, selected }: LinesProps) {
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set());
  /** The row that was reached with the keys, since that message was selected. */
  const [moved, setMoved] = useState({ selected, to: selected });
  const active = moved.selected === selected ? moved.to : selected;
  const setActive = (to: string) => setMoved({ selected, to });
  const list = useRef<VirtualListHandle>(null);
  const height = useRowHeight();
  const estimate = useCallback(() => height, [height]);
  const name = useId();
  const live = useLiveTreeNodes();

  const tree = useMemo(() => {
    // Messages that were just written are shown before the topology is fetched again.
    const known = new Set(items.map(({ id }) => id));
    const all = [...items, ...path.filter(({ id }) => !known.has(id)).map(toRailNode)];
    const ids = new Set(all.map(({ id }) => id));
    return buildTree<RailNode>([...all, ...live.filter(({ parent }) => ids.has(parent))]);
  }, [items, path, live]);
  const heads = useHeads(tree.nodes);
  const colors = useMemo(() => modelColors(tree.nodes.values()), [tree]);
  const rows = useMemo(() => {
    const onPath = new Set(path.map(({ id }) => id));
    const folds = foldRuns(tree, (id) => id === selected || open.has(id) || isLiveId(id) || heads.has(id));
    return railRows({
      tops: folds,
      sizes: subtreeSizes(tree),
      isOnPath: (id) => onPath.has(id),
      isOpen: (id) => open.has(id),
      timeOf: (id) => tree.nodes.get(id)?.at ?? 0,
    });
  }, [tree, path, selected, open, heads]);

  const keys = useMemo(() => rows.map(({ fold }) => fold.id), [rows]);
  const indexOf = (id: string) => rows.findIndex(({ fold }) => fold.ids.includes(id));
  // biome-ignore lint/correctness/useExhaustiveDependencies: only when another one is selected, not whenever the tree grows
  useEffect(() => list.current?.scrollToIndex(Math.max(0, indexOf(selected)), 'nearest'), [selected]);

  const toggle = ({ fold, isOpen }: RailRow) =>
    setOpen((before) => {
      const after = new Set(before);
      for (const id of fold.ids) isOpen === true ? after.delete(id) : after.add(id);
      return after;
    });
  const pick = (row: RailRow) => {
    setActive(row.fold.id);
    if (row.fold.ids.length > 1) toggle(row);
    else goTo(isLiveId(row.fold.id) ? tree.nodes.get(row.fold.id)!.parent : row.fold.id);
  };
  const moveTo = (index: number) => {
    const row = rows[Math.min(Math.max(index, 0), rows.length - 1)];
    if (!row) return;
    setActive(row.fold.id);
    list.current?.scrollToIndex(rows.indexOf(row), 'nearest');
  };
  const current = Math.max(0, indexOf(active));
  const onKeyDown = (event: KeyboardEvent) => {
    const row = rows[current];
    if (!row || event.ctrlKey || event.altKey || event.metaKey) return;
    const steps: Readonly<Record<string, () => void>> = {
      ArrowDown: () => moveTo(current + 1),
      ArrowUp: () => moveTo(current - 1),
      Home: () => moveTo(0),
      End: () => moveTo(rows.length - 1),
      ArrowRight: () => (row.isOpen === false || row.fold.ids.length > 1 ? toggle(row) : moveTo(current + 1)),
      ArrowLeft: () => (row.isOpen ? toggle(row) : moveTo(row.parent)),
      Enter: () => pick(row),
      ' ': () => pick(row),
    };
    const step = steps[event.key];
    if (!step) return;
    event.preventDefault();
    step();
  };
  const lanes = Math.min(MOST_LANES, 1 + rows.reduce((most, { lane }) => Math.max(most, lane), 0));

  return (
    <div className="flex h-full flex-col">
      <div
        role="tree"
        aria-label={t('inspector.tree-label')}
        tabIndex={0}
        aria-activedescendant={`${name}-${current}`}
        onKeyDown={onKeyDown}
        className="group min-h-0 grow py-1 outline-offset-[-2px]"
      >
        <div {...SCROLLER} className="h-full overflow-y-auto [overflow-anchor:none]">
          <VirtualList as="div" ref={list} keys={keys} estimate={estimate} kept={current}>
            {(index) => {
              const row = rows[index]!;
              return (
                <TreeLine
                  id={`${name}-${index}`}
                  row={row}
                  rows={rows}
                  lanes={lanes}
                  height={height}
                  node={tree.nodes.get(row.fold.id)!}
                  colors={colors}
                  heads={row.fold.ids.flatMap((id) => heads.get(id) ?? [])}
                  isSelected={row.fold.id === selected}
                  isActive={index === current}
                  onPick={() => pick(row)}
                  onToggle={() => toggle(row)}
                />
              );
            }}
          </VirtualList>
        </div>
      </div>
      <ModelLegend colors={colors} />
    </div>
  );
}

interface TreeLineProps {
  readonly id: string;
  readonly row: RailRow;
  readonly rows: readonly RailRow[];
  readonly lanes: number;
  readonly height: number;
  readonly node: RailNode;
  readonly colors: ModelColors;
  /** The conversations that end here. */
  readonly heads: readonly Thread[];
  readonly isSelected: boolean;
  readonly isActive: boolean;
  readonly onPick: () => void;
  readonly onToggle: () => void;
}

/** One line of the tree: the preview of a message, or a run of several messages. */
function TreeLine(props: TreeLineProps) {
  const { id, row, rows, lanes, height, node, colors, heads, isSelected, isActive, onPick, onToggle } = props;
  const { fold, lane, branch, hidden, isOpen, isOnPath } = row;
  const isRun = fold.ids.length > 1;
  const isLive = isLiveId(fold.id);
  const preview = usePreviews((state) => state.of.get(fold.id));
  const words = useLiveText(fold.id);
  const here = useCurrentThread()?.id;
  useEffect(() => {
    if (!isRun && !isLive) requestPreviews([fold.id]);
  }, [fold.id, isRun, isLive]);
  const text = isRun
    ? t('graph.messages', { count: fold.ids.length })
    : isLive
      ? words || '…'
      : (preview?.text ?? '').replace(/^#+ |\*\*|`/g, '');
  const look = isSelected
    ? 'bg-accent-soft font-medium text-ink'
    : `hover:bg-hover ${isOnPath ? 'text-ink' : 'text-faint'} ${isRun ? 'italic' : ''}`;
  const meta = isSelected ? 'text-soft' : 'text-faint';
  const isExpandable = isOpen !== undefined || isRun;
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: keys are handled by the tree, which has the focus
    // biome-ignore lint/a11y/useFocusableInteractive: the tree names the active one
    <div
      id={id}
      role="treeitem"
      aria-level={lane + 1}
      aria-selected={isSelected}
      {...(isExpandable && { 'aria-expanded': isOpen === true })}
      {...(branch && { 'aria-posinset': branch.index + 1, 'aria-setsize': branch.of })}
      onClick={onPick}
      style={{ height }}
      className={`relative flex cursor-pointer items-center gap-1.5 pr-2 text-sm ${look} ${isActive ? 'group-focus-visible:outline-2 group-focus-visible:-outline-offset-2 group-focus-visible:outline-accent' : ''}`}
    >
      <RailCell {...{ row, rows, lanes, height, node, colors, isSelected }} />
      {isLive && <Loader size={14} className="shrink-0 animate-spin text-assistant" aria-hidden />}
      <span className="sr-only">{isRun ? '' : `${isLive ? t('inspector.tree-growing') : node.role}: `}</span>
      <span className="min-w-0 grow truncate">{text}</span>
      {heads.map((thread) => (
        <span
          key={thread.id}
          title={t('inspector.tree-end-title', { title: thread.title || t('inspector.tree-untitled') })}
          className={`flex max-w-32 shrink-0 items-center gap-1 truncate rounded border px-1 text-[11px] font-normal not-italic ${thread.id === here ? 'border-accent text-accent' : 'border-line-strong text-soft'}`}
        >
          <span className="sr-only">
            {t('inspector.tree-end', { title: thread.title || t('inspector.tree-untitled') })}
          </span>
          <span aria-hidden className="truncate">
            {thread.title || t('inspector.tree-untitled')}
          </span>
        </span>
      ))}
      {branch && (
        <span className={`shrink-0 text-xs font-normal tabular-nums ${meta}`}>
          {branch.index + 1}/{branch.of}
        </span>
      )}
      {hidden > 0 && <span className={`shrink-0 text-xs ${meta}`}>+{hidden}</span>}
      {isExpandable && (
        <button
          type="button"
          tabIndex={-1}
          aria-hidden
          onClick={(event) => {
            event.stopPropagation();
            onToggle();
          }}
          className="shrink-0 rounded text-faint hover:text-ink"
        >
          {isOpen ? <ChevronDown size={14} /> : <ChevronRight size={14} />}
        </button>
      )}
    </div>
  );
}

/** The conversations that end at each node of the tree. */
function useHeads(nodes: ReadonlyMap<string, unknown>): ReadonlyMap<string, readonly Thread[]> {
  const { data } = useQuery(queries.threads());
  return useMemo(() => {
    const heads = new Map<string, Thread[]>();
    for (const thread of data?.items ?? [])
      if (nodes.has(thread.head)) heads.set(thread.head, [...(heads.get(thread.head) ?? []), thread]);
    return heads;
  }, [data, nodes]);
}

function toRailNode({ id, parent, role, at, takes }: Node): RailNode {
  return { id, parent, role, at, model: takes.find((take) => take.model !== undefined)?.model };
}

/** The id of a message that is being generated and has no node yet. */
const PREFIX = 'live:';

function isLiveId(id: string): boolean {
  return id.startsWith(PREFIX);
}

/** One tree node per branch of each running generation. The list changes only when a message ends. */
function useLiveTreeNodes(): readonly RailNode[] {
  const places = useLive(({ all }) =>
    [...all.values()]
      .flatMap(({ id, branches }) =>
        branches.map(({ status, head }, index) => (status === 'running' ? `${PREFIX}${id}:${index} ${head}` : '')),
      )
      .filter(Boolean)
      .join('\n'),
  );
  return useMemo(
    () =>
      places
        .split('\n')
        .filter(Boolean)
        .map((place) => {
          const [id = '', parent = ''] = place.split(' ');
          return { id, parent, role: 'assistant', at: Infinity };
        }),
    [places],
  );
}

const LENGTH = 120;

/** The end of the text that has arrived so far. */
function useLiveText(id: string): string | undefined {
  return useLive(({ blocks: live }) => {
    if (!isLiveId(id)) return undefined;
    const [, generation = '', branch] = id.split(':');
    const blocks = live.get(generation)?.[Number(branch)] ?? [];
    return blocks.map(liveText).join(' ').slice(-LENGTH);
  });
}

function liveText(block: Block): string {
  switch (block.type) {
    case 'text':
    case 'reasoning':
    case 'refusal':
      return block.text;
    case 'tool-use':
      return t('inspector.tree-calls', { name: block.name });
    default:
      block satisfies { type: 'tool-result' | 'media' | 'unknown' };
      return '';
  }
}
