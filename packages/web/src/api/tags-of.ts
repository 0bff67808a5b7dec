import type { Thread } from './types.ts';

/** All tags in use, those of most conversations first. */
export function tagsOf(threads: readonly Pick<Thread, 'tags'>[]): readonly string[] {
  const counts = new Map<string, number>();
  for (const tag of threads.flatMap(({ tags }) => tags)) counts.set(tag, (counts.get(tag) ?? 0) + 1);
  return [...counts].sort(([a, many], [b, more]) => more - many || (a < b ? -1 : 1)).map(([tag]) => tag);
}
