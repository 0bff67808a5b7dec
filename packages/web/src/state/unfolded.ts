import { create } from 'zustand';
import { foldThreads, type ListRow } from '../api/fold-threads.ts';
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
