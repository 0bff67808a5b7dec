/** How well a text answers a query: all its words must be there; undefined when they are not. Less is better. */
function rank(query: readonly string[], text: string): number | undefined {
  let total = 0;
  for (const word of query) {
    const at = text.indexOf(word);
    if (at < 0) return undefined;
    const isWordStart = at === 0 || /[\s/_.-]/.test(text[at - 1]!);
    total += at + (isWordStart ? 0 : 1000);
  }
  return total;
}

/** The things whose text has all words of the query, best first; all of them, as they are, for an empty query. */
export function find<T>(items: readonly T[], query: string, textOf: (item: T) => string, limit: number): readonly T[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return items.slice(0, limit);
  const ranked = items.flatMap((item) => {
    const rated = rank(words, textOf(item).toLowerCase());
    return rated === undefined ? [] : [{ item, rated }];
  });
  return ranked
    .sort((a, b) => a.rated - b.rated)
    .slice(0, limit)
    .map(({ item }) => item);
}
