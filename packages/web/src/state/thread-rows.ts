import { useMemo } from 'react';
import { create } from 'zustand';
import type { Thread } from '../api/types.ts';
import { isPinned } from './thread-state.ts';

/** The groups that the reader folded or unfolded. Lost when the page is closed. */
const useUnfolded = create<{ readonly groups: ReadonlyMap<string, boolean> }>(() => ({ groups: new Map() }));

/** The rows of a list of threads. The group of the current conversation is open unless the reader folds it. */
export function useListRows(threads: readonly Thread[], here?: string): readonly ListRow[] {
  const groups = useUnfolded((state) => state.groups);
  return useMemo(() => {
    const isOpen: IsOpen = (group, members) => groups.get(group) ?? members.some(({ id }) => id === here);
    const pinned = threads.filter(isPinned);
    if (pinned.length === 0) return foldThreads(threads, isOpen);
    // What is pinned stands on its own, above everything else.
    const others = threads.filter((thread) => !isPinned(thread));
    return [...pinned.map((thread) => threadRow(thread, 0)), ...foldThreads(others, isOpen)];
  }, [threads, groups, here]);
}

export function setUnfolded(group: string, isOpen: boolean): void {
  useUnfolded.setState(({ groups }) => ({ groups: new Map(groups).set(group, isOpen) }));
}

/**
 * A row of the list of conversations: a single one, or a group that unfolds. Conversations of one session, conversations
 * that begin alike, and side calls form groups.
 */
export type ListRow = ThreadRow | GroupRow;

interface ThreadRow {
  readonly kind: 'thread';
  readonly thread: Thread;
  /** The number of groups that it is nested in. */
  readonly depth: number;
}

export interface GroupRow {
  readonly kind: 'group';
  readonly what: 'session' | 'opening' | 'side';
  readonly group: string;
  /** The thread whose title names the group. */
  readonly thread: Thread;
  readonly members: readonly Thread[];
  readonly depth: number;
  readonly isOpen: boolean;
}

/** The group of side calls without a session. */
const SIDE_CALLS = 'side';

type IsOpen = (group: string, members: readonly Thread[]) => boolean;

/** A group stands where its first conversation is in the list; side calls without a session come last. */
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
  return [...rows, ...unfold(toGroupRow('side', SIDE_CALLS, aside, 0, isOpen))];
}

function groupRows(group: string, members: readonly Thread[], isOpen: IsOpen): readonly ListRow[] {
  if (!group.startsWith('session:')) return unfold(toGroupRow('opening', group, members, 0, isOpen));
  const row = toGroupRow('session', group, members, 0, isOpen);
  if (!row.isOpen) return [row];
  const side = members.filter(({ part }) => part === 'side');
  return [
    row,
    ...members.filter(({ part }) => part !== 'side').map((thread) => threadRow(thread, 1)),
    ...(side.length > 0 ? unfold(toGroupRow('side', `${group}/side`, side, 1, isOpen)) : []),
  ];
}

function toGroupRow(
  what: GroupRow['what'],
  group: string,
  members: readonly Thread[],
  depth: number,
  isOpen: IsOpen,
): GroupRow {
  // A session is named after its first conversation, not after the subagent that spoke last.
  const main = members.filter(({ part }) => part === 'main');
  const first = main.toSorted((a, b) => a.createdAt - b.createdAt)[0];
  const thread = (what === 'session' ? first : main[0]) ?? members[0]!;
  return { kind: 'group', what, group, thread, members, depth, isOpen: isOpen(group, members) };
}

function unfold(row: GroupRow): readonly ListRow[] {
  return row.isOpen ? [row, ...row.members.map((thread) => threadRow(thread, row.depth + 1))] : [row];
}

function threadRow(thread: Thread, depth: number): ThreadRow {
  return { kind: 'thread', thread, depth };
}
