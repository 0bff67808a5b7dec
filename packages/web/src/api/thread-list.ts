import type { Thread } from './types.ts';

export interface ThreadFilter {
  readonly deleted?: boolean;
  readonly tag?: string;
}

/** A list, last changed first, with a thread as it is now: at its place, or gone from it. */
export function withThread(list: readonly Thread[], thread: Thread, { deleted = false, tag }: ThreadFilter): Thread[] {
  const others = list.filter(({ id }) => id !== thread.id);
  const isWanted = thread.deleted === deleted && (tag === undefined || thread.tags.includes(tag));
  if (!isWanted) return others;
  const place = others.findIndex(({ updatedAt }) => updatedAt <= thread.updatedAt);
  return others.toSpliced(place < 0 ? others.length : place, 0, thread);
}
