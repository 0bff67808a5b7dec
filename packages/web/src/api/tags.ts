import type { Thread } from './types.ts';

/** All tags in use, the most frequent first. */
export function listTags(threads: readonly Pick<Thread, 'tags'>[]): readonly string[] {
  const counts = new Map<string, number>();
  for (const tag of threads.flatMap(({ tags }) => tags)) counts.set(tag, (counts.get(tag) ?? 0) + 1);
  return [...counts].sort(([a, many], [b, more]) => more - many || (a < b ? -1 : 1)).map(([tag]) => tag);
}

/** The tags to add (`true`) and remove (`false`) so that they match a comma-separated list. */
export function diffTags(before: readonly string[], written: string): Record<string, boolean> {
  const wanted = new Set(
    written
      .split(',')
      .map((tag) => tag.trim().slice(0, 100))
      .filter(Boolean),
  );
  const gone = before.filter((tag) => !wanted.has(tag)).map((tag) => [tag, false] as const);
  const come = [...wanted].filter((tag) => !before.includes(tag)).map((tag) => [tag, true] as const);
  return Object.fromEntries([...gone, ...come]);
}
