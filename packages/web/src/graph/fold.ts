import { getChildren, type Tree } from './tree.ts';

/** One node, or a run of several nodes without a fork, drawn as one. */
export interface FoldedRun {
  /** The id of the node, or of the first node of the run. */
  readonly id: string;
  readonly ids: readonly string[];
  readonly children: readonly FoldedRun[];
}

/** Shorter runs are drawn node by node. */
const SHORTEST_RUN = 2;

interface Growing extends FoldedRun {
  readonly children: Growing[];
}

/**
 * Folds runs of nodes. Tops, forks, children of a fork, leaves and nodes that `keeps` accepts stay on their own.
 * It does not recurse, because a path may have thousands of nodes.
 */
export function foldRuns(tree: Tree, keeps: (id: string) => boolean): readonly FoldedRun[] {
  const tops: Growing[] = [];
  const waiting: { readonly id: string; readonly into: Growing[]; readonly isFirst: boolean }[] = [];
  const wait = (ids: readonly string[], into: Growing[]) => {
    for (const id of ids.toReversed()) waiting.push({ id, into, isFirst: ids.length > 1 || into === tops });
  };
  wait(tree.tops, tops);
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const run = next.isFirst ? [] : runFrom(tree, next.id, keeps);
    const fold: Growing = { id: next.id, ids: run.length >= SHORTEST_RUN ? run : [next.id], children: [] };
    next.into.push(fold);
    wait(getChildren(tree, fold.ids.at(-1)!), fold.children);
  }
  return tops;
}

/** The nodes from `start` down that have exactly one child and need not be kept. */
function runFrom(tree: Tree, start: string, keeps: (id: string) => boolean): readonly string[] {
  const run: string[] = [];
  for (let id = start; !keeps(id); ) {
    const children = getChildren(tree, id);
    if (children.length !== 1) break;
    run.push(id);
    id = children[0]!;
  }
  return run;
}

/** Every fold, parents before their children. */
export function* eachFold(folds: readonly FoldedRun[]): Generator<FoldedRun> {
  const waiting = folds.toReversed();
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    yield next;
    for (let index = next.children.length - 1; index >= 0; index -= 1) waiting.push(next.children[index]!);
  }
}

/** One line of the tree that the inspector shows. */
export interface TreeRow {
  readonly fold: FoldedRun;
  /** The indentation: 0 for the path itself. */
  readonly level: number;
  /** Which branch of a fork it begins, and how many there are. */
  readonly branch?: { readonly index: number; readonly of: number };
  /** The number of messages of its branch that are hidden. */
  readonly hidden: number;
  /** Whether its branch is open; undefined if it cannot be opened. */
  readonly isOpen: boolean | undefined;
}

interface Next {
  readonly fold: FoldedRun;
  readonly level: number;
  readonly branch?: TreeRow['branch'];
  readonly isAside: boolean;
}

/**
 * The tree as lines. The path runs straight down; the other branches of each fork stand beside it, one line each until they
 * are opened. In an open branch the last child of a fork continues straight.
 */
export function treeRows(
  tops: readonly FoldedRun[],
  sizes: ReadonlyMap<string, number>,
  isOnPath: (id: string) => boolean,
  isOpen: (id: string) => boolean,
): readonly TreeRow[] {
  const rows: TreeRow[] = [];
  const waiting: Next[] = tops.toReversed().map((fold) => ({ fold, level: 0, isAside: false }));
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const { fold, level, branch, isAside } = next;
    const below = (sizes.get(fold.id) ?? 1) - fold.ids.length;
    const isClosed = isAside && below > 0 && !isOpen(fold.id);
    rows.push({
      fold,
      level,
      ...(branch && { branch }),
      hidden: isClosed ? below : 0,
      isOpen: isAside && below > 0 ? !isClosed : undefined,
    });
    if (!isClosed) waiting.push(...orderBranches(fold, level, isOnPath).reverse());
  }
  return rows;
}

/** The children of a fold in the order of their lines: the one that continues straight comes last. */
function orderBranches({ children }: FoldedRun, level: number, isOnPath: (id: string) => boolean): Next[] {
  if (children.length < 2) return children.map((fold) => ({ fold, level, isAside: false }));
  const straight = children.find(({ id }) => isOnPath(id)) ?? children.at(-1)!;
  const all = children.map((fold, index): Next => {
    const isStraight = fold === straight;
    const branch = { index, of: children.length };
    return { fold, level: isStraight ? level : level + 1, branch, isAside: !isStraight };
  });
  return [...all.filter(({ isAside }) => isAside), ...all.filter(({ isAside }) => !isAside)];
}

/** The number of nodes in the subtree of each node, itself included. */
export function subtreeSizes(tree: Tree): ReadonlyMap<string, number> {
  const order: string[] = [...tree.tops];
  for (let index = 0; index < order.length; index += 1) order.push(...getChildren(tree, order[index]!));
  const sizes = new Map<string, number>();
  for (const id of order.reverse())
    sizes.set(
      id,
      getChildren(tree, id).reduce((sum, child) => sum + sizes.get(child)!, 1),
    );
  return sizes;
}
