interface Page<T> {
  readonly items: readonly T[];
  readonly next?: string | undefined;
}

/** The items of page after page, until there are no more of them or as many as wanted. `query` is for the next one. */
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
