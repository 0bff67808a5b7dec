import type { FoldedRun } from './fold.ts';

/** A line of the rail: one message, a run of several, or a branch that is closed. */
export interface RailRow {
  readonly fold: FoldedRun;
  /** The row of its parent; -1 for none. */
  readonly parent: number;
  /** Counted from the left. The path on screen is lane 0. */
  readonly lane: number;
  readonly isOnPath: boolean;
  /** Which branch of a fork it begins, and how many there are. */
  readonly branch?: { readonly index: number; readonly of: number };
  /** The number of messages of its branch that are hidden. */
  readonly hidden: number;
  /** Whether its branch is open; undefined if it cannot be opened. */
  readonly isOpen: boolean | undefined;
  /** The lanes that pass by, with the row that each leads to. */
  readonly passing: readonly RailLine[];
  /** The lanes that begin here and lead to a row below. */
  readonly leaving: readonly RailLine[];
}

interface RailLine {
  readonly lane: number;
  /** The first row of the branch. */
  readonly to: number;
}

export interface RailTree {
  readonly tops: readonly FoldedRun[];
  readonly sizes: ReadonlyMap<string, number>;
  readonly isOnPath: (id: string) => boolean;
  readonly isOpen: (id: string) => boolean;
  readonly timeOf: (id: string) => number;
}

interface Draft {
  readonly fold: FoldedRun;
  readonly above: Draft | undefined;
  readonly branch?: RailRow['branch'];
  readonly isOnPath: boolean;
  readonly hidden: number;
  readonly isOpen: boolean | undefined;
  /** The time at which it is listed: never before its parent. */
  readonly time: number;
  lane: number;
  row: number;
}

/**
 * The tree as a git client draws it: one line for each message in the order of writing, the path on screen straight down, every
 * other branch in a lane beside it. Branches that are not on the path are one line until they are opened.
 */
export function railRows(tree: RailTree): readonly RailRow[] {
  const drafts = visibleDrafts(tree);
  // Sorting keeps the order of equal times, in which parents come first.
  const rows = drafts.toSorted((a, b) => a.time - b.time);
  for (const [row, draft] of rows.entries()) draft.row = row;
  const chains = findChains(rows);
  assignLanes(chains);
  const passing: RailLine[][] = rows.map(() => []);
  const leaving: RailLine[][] = rows.map(() => []);
  const join = (from: Draft, to: Draft) => {
    const line = { lane: to.lane, to: to.row };
    leaving[from.row]!.push(line);
    for (let row = from.row + 1; row < to.row; row += 1) passing[row]!.push(line);
  };
  for (const draft of rows) if (draft.above) join(draft.above, draft);
  return rows.map(({ fold, above, branch, isOnPath, hidden, isOpen, lane, row }) => ({
    fold,
    parent: above?.row ?? -1,
    lane,
    isOnPath,
    ...(branch && { branch }),
    hidden,
    isOpen,
    passing: passing[row]!,
    leaving: leaving[row]!,
  }));
}

/** The folds that are shown, parents before their children. It does not recurse, because a path may be long. */
function visibleDrafts({ tops, sizes, isOnPath, isOpen, timeOf }: RailTree): readonly Draft[] {
  const drafts: Draft[] = [];
  const waiting: { fold: FoldedRun; above?: Draft; branch?: RailRow['branch'] }[] = tops
    .toReversed()
    .map((fold) => ({ fold }));
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const { fold, above, branch } = next;
    const below = (sizes.get(fold.id) ?? 1) - fold.ids.length;
    const isHere = fold.ids.some(isOnPath);
    const canOpen = branch !== undefined && !isHere && below > 0;
    const isClosed = canOpen && !isOpen(fold.id);
    const draft: Draft = {
      fold,
      above,
      ...(branch && { branch }),
      isOnPath: isHere,
      hidden: isClosed ? below : 0,
      isOpen: canOpen ? !isClosed : undefined,
      time: Math.max(timeOf(fold.id), above?.time ?? 0),
      lane: 0,
      row: 0,
    };
    drafts.push(draft);
    if (isClosed) continue;
    const of = fold.children.length;
    for (const [index, child] of [...fold.children.entries()].toReversed())
      waiting.push({ fold: child, above: draft, ...(of > 1 && { branch: { index, of } }) });
  }
  return drafts;
}

/** Branches beside the path: each goes on with the first child of its end. */
function findChains(rows: readonly Draft[]): readonly (readonly Draft[])[] {
  const chains: Draft[][] = [];
  const chainOf = new Map<Draft, Draft[]>();
  for (const draft of rows) {
    if (draft.isOnPath) continue;
    const before = draft.above && chainOf.get(draft.above);
    const isNext = before?.at(-1) === draft.above;
    const chain = isNext && before ? before : [];
    if (chain.length === 0) chains.push(chain);
    chain.push(draft);
    chainOf.set(draft, chain);
  }
  return chains;
}

/** Gives every branch the first lane that is free from its fork to its end. */
function assignLanes(chains: readonly (readonly Draft[])[]): void {
  const begins = (chain: readonly Draft[]) => chain[0]!.above?.row ?? chain[0]!.row;
  const busyUntil: number[] = [Infinity];
  for (const chain of chains.toSorted((a, b) => begins(a) - begins(b))) {
    const free = busyUntil.findIndex((until) => until <= begins(chain));
    const lane = free < 0 ? busyUntil.length : free;
    busyUntil[lane] = chain.at(-1)!.row;
    for (const draft of chain) draft.lane = lane;
  }
}
