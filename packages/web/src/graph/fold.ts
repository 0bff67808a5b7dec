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
