interface Page<T> {
  readonly items: readonly T[];
  readonly next?: string | undefined;
}

/** Fetches page after page until the list ends or `wanted` items are there. `query` selects the next page. */
export async function fetchPages<T>(
  fetchPage: (query: { readonly after?: string }) => Promise<Page<T>>,
  wanted: number,
): Promise<{ readonly items: readonly T[]; readonly isCut: boolean }> {
  const items: T[] = [];
  for (let after: string | undefined; ; ) {
    const page = await fetchPage(after === undefined ? {} : { after });
    items.push(...page.items);
    after = page.next;
    if (after === undefined || items.length >= wanted) return { items, isCut: after !== undefined };
  }
}
