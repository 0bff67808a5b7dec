import { create } from 'zustand';
import type { Thread } from '../api/types.ts';

/** The rows of lists that the reader folded or unfolded. Forgotten with the page. */
const useUnfolded = create<{ readonly groups: ReadonlyMap<string, boolean> }>(() => ({ groups: new Map() }));

/** A list as rows. The row of the conversation on screen is unfolded unless the reader folds it. */
export function useListRows(threads: readonly Thread[], here?: string): readonly ListRow[] {
  const groups = useUnfolded((state) => state.groups);
  return foldThreads(threads, (group, members) => groups.get(group) ?? members.some(({ id }) => id === here));
}

export function setUnfolded(group: string, isOpen: boolean): void {
  useUnfolded.setState(({ groups }) => ({ groups: new Map(groups).set(group, isOpen) }));
}

/**
 * A list of conversations as rows: those of one session, those that begin with the same words, and side calls stand behind
 * one row each, which unfolds. The conversations themselves stay apart.
 */
export type ListRow = ThreadRow | GroupRow;

interface ThreadRow {
  readonly kind: 'thread';
  readonly thread: Thread;
  /** How many rows it stands behind. */
  readonly depth: number;
}

export interface GroupRow {
  readonly kind: 'group';
  readonly what: 'session' | 'opening' | 'side';
  readonly group: string;
  /** The one that the row is named after. */
  readonly thread: Thread;
  readonly members: readonly Thread[];
  readonly depth: number;
  readonly isOpen: boolean;
}

/** Side calls that no session claims. */
const SIDE_CALLS = 'side';

type IsOpen = (group: string, members: readonly Thread[]) => boolean;

/** Rows are where the first of their conversations is in the list; side calls of no session come last. */
export function foldThreads(threads: readonly Thread[], isOpen: IsOpen): readonly ListRow[] {
  const groups = new Map<string, Thread[]>();
  for (const thread of threads) {
    const group = thread.group ?? thread.id;
    const members = groups.get(group);
    if (members) members.push(thread);
    else groups.set(group, [thread]);
  }
  const isAside = (members: readonly Thread[]) => members.every(({ part }) => part === 'side');
  const aside = [...groups.values()].filter(isAside).flat();
  const rows = [...groups].flatMap(([group, members]) =>
    isAside(members) ? [] : members.length > 1 ? groupRows(group, members, isOpen) : [threadRow(members[0]!, 0)],
  );
  if (aside.length === 0) return rows;
  return [...rows, ...unfolded(rowOf('side', SIDE_CALLS, aside, 0, isOpen))];
}

function groupRows(group: string, members: readonly Thread[], isOpen: IsOpen): readonly ListRow[] {
  if (!group.startsWith('session:')) return unfolded(rowOf('opening', group, members, 0, isOpen));
  const row = rowOf('session', group, members, 0, isOpen);
  if (!row.isOpen) return [row];
  const side = members.filter(({ part }) => part === 'side');
  return [
    row,
    ...members.filter(({ part }) => part !== 'side').map((thread) => threadRow(thread, 1)),
    ...(side.length > 0 ? unfolded(rowOf('side', `${group}/side`, side, 1, isOpen)) : []),
  ];
}

function rowOf(
  what: GroupRow['what'],
  group: string,
  members: readonly Thread[],
  depth: number,
  isOpen: IsOpen,
): GroupRow {
  // A session is known by the conversation that it began with, not by the subagent that spoke last.
  const main = members.filter(({ part }) => part === 'main');
  const first = main.toSorted((a, b) => a.createdAt - b.createdAt)[0];
  const thread = (what === 'session' ? first : main[0]) ?? members[0]!;
  return { kind: 'group', what, group, thread, members, depth, isOpen: isOpen(group, members) };
}

function unfolded(row: GroupRow): readonly ListRow[] {
  return row.isOpen ? [row, ...row.members.map((thread) => threadRow(thread, row.depth + 1))] : [row];
}

function threadRow(thread: Thread, depth: number): ThreadRow {
  return { kind: 'thread', thread, depth };
}
