import { useQuery } from '@tanstack/react-query';
import { type KeyboardEvent, useEffect, useId, useMemo, useRef, useState } from 'react';
import { VList, type VListHandle } from 'virtua';
import { queries } from '../api/queries.ts';
import type { Node } from '../api/types.ts';
import { foldRuns } from '../graph/fold.ts';
import { growTree } from '../graph/tree.ts';
import { pathTo, useNodes } from '../state/nodes.ts';
import { goTo } from '../state/place.ts';
import { Failed, Loading } from '../ui/states.tsx';
import { isLiveId, useLiveSprouts } from './live-sprouts.ts';
import { TreeLine } from './tree-line.tsx';
import { sizesOf, type TreeRow, treeRows } from './tree-rows.ts';

/** The tree that a path belongs to, with the path as its trunk. */
export function TreeTab({ node, leaf }: { readonly node: Node; readonly leaf: string }) {
  const nodes = useNodes((state) => state.nodes);
  const path = useMemo(() => pathTo(nodes, leaf), [nodes, leaf]);
  const top = path[0]?.id;
  const topology = useQuery({ ...queries.topology(top), enabled: top !== undefined });
  if (topology.error) return <Failed error={topology.error} onRetry={() => void topology.refetch()} />;
  if (!topology.data) return <Loading label="Loading the tree" lines={8} />;
  return <Lines items={topology.data.items} isCut={topology.data.isCut} path={path} selected={node.id} />;
}

interface LinesProps {
  readonly items: readonly { readonly id: string; readonly parent: string; readonly role: string }[];
  readonly isCut: boolean;
  readonly path: readonly Node[];
  readonly selected: string;
}

function Lines({ items, isCut, path, selected }: LinesProps) {
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set());
  const [active, setActive] = useState(selected);
  const list = useRef<VListHandle>(null);
  const name = useId();
  const live = useLiveSprouts();

  const tree = useMemo(() => {
    // What was just written is on screen before the structure is fetched again.
    const known = new Set(items.map(({ id }) => id));
    const all = [...items, ...path.filter(({ id }) => !known.has(id))];
    const ids = new Set(all.map(({ id }) => id));
    return growTree([...all, ...live.filter(({ parent }) => ids.has(parent))]);
  }, [items, path, live]);
  const rows = useMemo(() => {
    const onPath = new Set(path.map(({ id }) => id));
    const folds = foldRuns(tree, (id) => id === selected || open.has(id) || isLiveId(id));
    return treeRows(
      folds,
      sizesOf(tree),
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
      {isCut && (
        <p className="border-t border-line px-3 py-2 text-xs text-soft">The tree has more than is shown here.</p>
      )}
    </div>
  );
}

/** The line above that this one hangs below. */
function parentRow(rows: readonly TreeRow[], index: number): number {
  const { level, branch } = rows[index]!;
  if (!branch) return index - 1;
  for (let at = index - 1; at >= 0; at -= 1)
    if (rows[at]!.level < level || (rows[at]!.level === level && !rows[at]!.branch)) return at;
  return index - 1;
}
