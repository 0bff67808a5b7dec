/** What a column shows: the path to a node, or a generation as it grows. */
export type ColumnEntry =
  | { readonly kind: 'node'; readonly id: string }
  | { readonly kind: 'generation'; readonly id: string };

export const MOST_COLUMNS = 4;

/** The prefix of a generation in the address. */
const GENERATION = 'g-';

/** Reads the columns from an address such as `a,b,g-c`. Duplicates count once. */
export function readEntries(text: string): readonly ColumnEntry[] {
  const names = text.split(',').map((name) => name.trim());
  return [...new Set(names)]
    .filter((name) => /^(g-)?[A-Za-z0-9_-]+$/.test(name))
    .slice(0, MOST_COLUMNS)
    .map((name) =>
      name.startsWith(GENERATION)
        ? { kind: 'generation', id: name.slice(GENERATION.length) }
        : { kind: 'node', id: name },
    );
}

export function writeEntries(entries: readonly ColumnEntry[]): string {
  return entries.map(({ kind, id }) => (kind === 'generation' ? `${GENERATION}${id}` : id)).join(',');
}

/** The number of nodes that all paths have in common; for a single path, all but its last. */
export function sharedLength(paths: readonly (readonly { readonly id: string }[])[]): number {
  const [first, ...others] = paths;
  if (!first) return 0;
  if (others.length === 0) return Math.max(0, first.length - 1);
  let length = 0;
  while (first[length] && others.every((path) => path[length]?.id === first[length]!.id)) length += 1;
  return length;
}
