import type { Fold } from '../graph/fold.ts';
import { childrenOf, type Tree } from '../graph/tree.ts';

/** A line of the tree. */
export interface TreeRow {
  readonly fold: Fold;
  /** How far it is set in: 0 for the path itself. */
  readonly level: number;
  /** Which of how many branches of a fork it begins. */
  readonly branch?: { readonly index: number; readonly of: number };
  /** How many messages of its branch are not shown. */
  readonly hidden: number;
  /** Whether its branch can be opened and closed, and is open. */
  readonly isOpen: boolean | undefined;
}

interface Next {
  readonly fold: Fold;
  readonly level: number;
  readonly branch?: TreeRow['branch'];
  readonly isAside: boolean;
}

/**
 * The tree in lines. The path runs straight down; beside each fork stand the other branches, one line each until they are
 * opened. In a branch that is open the last child of a fork goes on straight.
 */
export function treeRows(
  tops: readonly Fold[],
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
    if (!isClosed) waiting.push(...branchesOf(fold, level, isOnPath).reverse());
  }
  return rows;
}

/** The children of a fold in the order of their lines: what goes on straight comes last. */
function branchesOf({ children }: Fold, level: number, isOnPath: (id: string) => boolean): Next[] {
  if (children.length < 2) return children.map((fold) => ({ fold, level, isAside: false }));
  const straight = children.find(({ id }) => isOnPath(id)) ?? children.at(-1)!;
  const all = children.map((fold, index): Next => {
    const isStraight = fold === straight;
    const branch = { index, of: children.length };
    return { fold, level: isStraight ? level : level + 1, branch, isAside: !isStraight };
  });
  return [...all.filter(({ isAside }) => isAside), ...all.filter(({ isAside }) => !isAside)];
}

/** How many nodes a node and all below it are. */
export function sizesOf(tree: Tree): ReadonlyMap<string, number> {
  const order: string[] = [...tree.tops];
  for (let index = 0; index < order.length; index += 1) order.push(...childrenOf(tree, order[index]!));
  const sizes = new Map<string, number>();
  for (const id of order.reverse())
    sizes.set(
      id,
      childrenOf(tree, id).reduce((sum, child) => sum + sizes.get(child)!, 1),
    );
  return sizes;
}
