/** Which tags come and go when a person writes a list of them. */
export function tagChanges(before: readonly string[], written: string): Record<string, boolean> {
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
