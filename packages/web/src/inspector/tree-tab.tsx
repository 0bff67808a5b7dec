import { useQuery } from '@tanstack/react-query';
import { ChevronDown, ChevronRight, GitBranch, Loader } from 'lucide-react';
import { type KeyboardEvent, useEffect, useId, useMemo, useRef, useState } from 'react';
import { VList, type VListHandle } from 'virtua';
import { queries } from '../api/queries.ts';
import type { Block, Node } from '../api/types.ts';
import { foldRuns, subtreeSizes, type TreeRow, treeRows } from '../graph/fold.ts';
import { RoleIcon } from '../graph/role-icon.tsx';
import { buildTree } from '../graph/tree.ts';
import { useLive } from '../state/live.ts';
import { pathTo, useNodes } from '../state/nodes.ts';
import { goTo } from '../state/place.ts';
import { requestPreviews, usePreviews } from '../state/previews.ts';
import { Failed, Loading } from '../ui/states.tsx';

/** The tree of a conversation, with the path on screen as its trunk. */
export function TreeTab({ node, leaf }: { readonly node: Node; readonly leaf: string }) {
  const nodes = useNodes((state) => state.nodes);
  const path = useMemo(() => pathTo(nodes, leaf), [nodes, leaf]);
  const top = path[0]?.id;
  const topology = useQuery({ ...queries.topology(top), enabled: top !== undefined });
  if (topology.error) return <Failed error={topology.error} onRetry={() => void topology.refetch()} />;
  if (!topology.data) return <Loading label="Loading the tree" lines={8} />;
  return <Lines items={topology.data.items} path={path} selected={node.id} />;
}

interface LinesProps {
  readonly items: readonly { readonly id: string; readonly parent: string; readonly role: string }[];
  readonly path: readonly Node[];
  readonly selected: string;
}

function Lines({ items, path, selected }: LinesProps) {
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set());
  const [active, setActive] = useState(selected);
  const list = useRef<VListHandle>(null);
  const name = useId();
  const live = useLiveTreeNodes();

  const tree = useMemo(() => {
    // Messages that were just written are shown before the topology is fetched again.
    const known = new Set(items.map(({ id }) => id));
    const all = [...items, ...path.filter(({ id }) => !known.has(id))];
    const ids = new Set(all.map(({ id }) => id));
    return buildTree([...all, ...live.filter(({ parent }) => ids.has(parent))]);
  }, [items, path, live]);
  const rows = useMemo(() => {
    const onPath = new Set(path.map(({ id }) => id));
    const folds = foldRuns(tree, (id) => id === selected || open.has(id) || isLiveId(id));
    return treeRows(
      folds,
      subtreeSizes(tree),
      (id) => onPath.has(id),
      (id) => open.has(id),
    );
  }, [tree, path, selected, open]);
  const onPath = useMemo(() => new Set(path.map(({ id }) => id)), [path]);

  const indexOf = (id: string) => rows.findIndex(({ fold }) => fold.ids.includes(id));
  useEffect(() => setActive(selected), [selected]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: only when another one is selected, not whenever the tree grows
  useEffect(() => list.current?.scrollToIndex(Math.max(0, indexOf(selected)), { align: 'nearest' }), [selected]);

  const toggle = ({ fold, isOpen }: TreeRow) =>
    setOpen((before) => {
      const after = new Set(before);
      for (const id of fold.ids) isOpen === true ? after.delete(id) : after.add(id);
      return after;
    });
  const pick = (row: TreeRow) => {
    setActive(row.fold.id);
    if (row.fold.ids.length > 1) toggle(row);
    else goTo(isLiveId(row.fold.id) ? tree.nodes.get(row.fold.id)!.parent : row.fold.id);
  };
  const moveTo = (index: number) => {
    const row = rows[Math.min(Math.max(index, 0), rows.length - 1)];
    if (!row) return;
    setActive(row.fold.id);
    list.current?.scrollToIndex(rows.indexOf(row), { align: 'nearest' });
  };
  const lastOnPath = rows.findLastIndex(({ fold }) => onPath.has(fold.id));
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
      ArrowLeft: () => (row.isOpen ? toggle(row) : moveTo(parentRow(rows, current))),
      Enter: () => pick(row),
      ' ': () => pick(row),
    };
    const step = steps[event.key];
    if (!step) return;
    event.preventDefault();
    step();
  };

  return (
    <div className="flex h-full flex-col">
      <div
        role="tree"
        aria-label="Tree of this conversation"
        tabIndex={0}
        aria-activedescendant={`${name}-${current}`}
        onKeyDown={onKeyDown}
        className="group min-h-0 grow py-1 outline-offset-[-2px]"
      >
        <VList ref={list} className="h-full" keepMounted={[current]}>
          {rows.map((row, index) => (
            <TreeLine
              key={row.fold.id}
              id={`${name}-${index}`}
              row={row}
              role={tree.nodes.get(row.fold.id)?.role ?? 'other'}
              isOnPath={onPath.has(row.fold.id)}
              isBesidePath={index < lastOnPath}
              isSelected={row.fold.id === selected}
              isActive={index === current}
              onPick={() => pick(row)}
              onToggle={() => toggle(row)}
            />
          ))}
        </VList>
      </div>
    </div>
  );
}

/** The line of the parent of a line. */
function parentRow(rows: readonly TreeRow[], index: number): number {
  const { level, branch } = rows[index]!;
  if (!branch) return index - 1;
  for (let at = index - 1; at >= 0; at -= 1)
    if (rows[at]!.level < level || (rows[at]!.level === level && !rows[at]!.branch)) return at;
  return index - 1;
}

interface TreeLineProps {
  readonly id: string;
  readonly row: TreeRow;
  readonly role: string;
  readonly isOnPath: boolean;
  /** The path continues below this line. */
  readonly isBesidePath: boolean;
  readonly isSelected: boolean;
  readonly isActive: boolean;
  readonly onPick: () => void;
  readonly onToggle: () => void;
}

const STEP = 16;

/** One line of the tree: the preview of a message, or a run of several messages. */
function TreeLine({ id, row, role, isOnPath, isBesidePath, isSelected, isActive, onPick, onToggle }: TreeLineProps) {
  const { fold, level, branch, hidden, isOpen } = row;
  const isRun = fold.ids.length > 1;
  const isLive = isLiveId(fold.id);
  const preview = usePreviews((state) => state.of.get(fold.id));
  const words = useLiveText(fold.id);
  useEffect(() => {
    if (!isRun && !isLive) requestPreviews([fold.id]);
  }, [fold.id, isRun, isLive]);
  const text = isRun
    ? `${fold.ids.length} messages`
    : isLive
      ? words || '…'
      : (preview?.text ?? '').replace(/^#+ /, '');
  const look = isSelected
    ? 'bg-accent-soft text-ink'
    : `hover:bg-hover ${isOnPath ? 'text-ink' : 'text-soft'} ${isRun ? 'italic' : ''}`;
  const meta = isSelected ? 'text-soft' : 'text-faint';
  const isExpandable = isOpen !== undefined || isRun;
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: keys are handled by the tree, which has the focus
    // biome-ignore lint/a11y/useFocusableInteractive: the tree names the active one
    <div
      id={id}
      role="treeitem"
      aria-level={level + 1}
      aria-selected={isSelected}
      {...(isExpandable && { 'aria-expanded': isOpen === true })}
      {...(branch && { 'aria-posinset': branch.index + 1, 'aria-setsize': branch.of })}
      onClick={onPick}
      style={{ paddingLeft: 10 + level * STEP }}
      className={`relative flex h-7 cursor-pointer items-center gap-1.5 pr-2 text-sm ${look} ${isActive ? 'group-focus-visible:outline-2 group-focus-visible:-outline-offset-2 group-focus-visible:outline-accent' : ''}`}
    >
      {(isOnPath || isBesidePath) && <span aria-hidden className="absolute inset-y-0 left-0 w-0.5 bg-accent" />}
      {level > 0 && (
        <span aria-hidden className="absolute inset-y-0 w-px bg-line-strong" style={{ left: 4 + level * STEP }} />
      )}
      {isLive ? (
        <Loader size={14} className="shrink-0 animate-spin text-assistant" aria-hidden />
      ) : (
        <RoleIcon role={isRun ? 'run' : role} />
      )}
      <span className="sr-only">{isRun ? '' : `${isLive ? 'being written' : role}: `}</span>
      <span className="min-w-0 grow truncate">{text}</span>
      {branch && preview?.model && (
        <span className={`max-w-28 shrink-0 truncate text-xs ${meta}`}>{preview.model}</span>
      )}
      {branch && (
        <span className={`flex shrink-0 items-center gap-0.5 text-xs ${meta}`}>
          <GitBranch size={12} aria-hidden />
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

/** A message that is being generated and has no node yet. */
interface LiveTreeNode {
  readonly id: string;
  readonly parent: string;
  readonly role: string;
}

const PREFIX = 'live:';

function isLiveId(id: string): boolean {
  return id.startsWith(PREFIX);
}

/** One tree node per branch of each running generation. The list changes only when a message ends. */
function useLiveTreeNodes(): readonly LiveTreeNode[] {
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
          return { id, parent, role: 'assistant' };
        }),
    [places],
  );
}

const LENGTH = 120;

/** The end of the text that has arrived so far. */
function useLiveText(id: string): string | undefined {
  return useLive(({ all }) => {
    if (!isLiveId(id)) return undefined;
    const [, generation = '', branch] = id.split(':');
    const blocks = all.get(generation)?.branches[Number(branch)]?.blocks ?? [];
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
      return `calls ${block.name}`;
    default:
      block satisfies { type: 'tool-result' | 'media' | 'unknown' };
      return '';
  }
}
