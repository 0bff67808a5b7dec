import { childrenOf, type Tree } from './tree.ts';

/** One node as it is drawn, or a run of several that stand in a line. */
export interface Fold {
  /** Of the node, or of the first of the run. */
  readonly id: string;
  readonly ids: readonly string[];
  readonly children: readonly Fold[];
}

/** Fewer than this are drawn one by one. */
const SHORTEST_RUN = 2;

interface Growing extends Fold {
  readonly children: Growing[];
}

/**
 * Folds what stands in a line. Tops, forks, what follows a fork, ends, and what `keeps` names stay nodes of their own.
 * Written without recursion: a path may be thousands long.
 */
export function foldRuns(tree: Tree, keeps: (id: string) => boolean): readonly Fold[] {
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
    wait(childrenOf(tree, fold.ids.at(-1)!), fold.children);
  }
  return tops;
}

/** The nodes from this one on that have one child each and nothing else to show. */
function runFrom(tree: Tree, start: string, keeps: (id: string) => boolean): readonly string[] {
  const run: string[] = [];
  for (let id = start; !keeps(id); ) {
    const children = childrenOf(tree, id);
    if (children.length !== 1) break;
    run.push(id);
    id = children[0]!;
  }
  return run;
}

/** All of them, those above before those below. */
export function* eachFold(folds: readonly Fold[]): Generator<Fold> {
  const waiting = folds.toReversed();
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    yield next;
    for (let index = next.children.length - 1; index >= 0; index -= 1) waiting.push(next.children[index]!);
  }
}
