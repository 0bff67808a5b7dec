import type { Page, PageRequest } from '../store/index.ts';
import { ForestError } from './errors.ts';

const DEFAULT_LIMIT = 100;
const LARGEST_FETCH = 1000;

/**
 * Reads a page of the items that `keep` selects. The pages of the store end elsewhere, so a cursor names the beginning of a
 * page of the store and how many of its items are done.
 */
export async function filteredPage<T>(
  fetch: (page: PageRequest) => Promise<Page<T>>,
  keep: (items: readonly T[]) => Promise<readonly boolean[]>,
  request: PageRequest = {},
): Promise<Page<T>> {
  const limit = pageLimit(request);
  let { after, done } = readCursor(request.after);
  const items: T[] = [];
  for (;;) {
    const size = Math.max(Math.min(limit + 1, LARGEST_FETCH), done + 1);
    const page = await fetch({ limit: size, ...(after !== undefined && { after }) });
    const wanted = await keep(page.items);
    for (let index = done; index < page.items.length; index++) {
      if (!wanted[index]) continue;
      if (items.length === limit) return { items, next: `${index}~${after ?? ''}` };
      items.push(page.items[index]!);
    }
    if (page.next === undefined) return { items };
    after = page.next;
    done = 0;
  }
}

/** Yields every item of all pages. */
export async function* allItems<T>(fetch: (page: PageRequest) => Promise<Page<T>>): AsyncGenerator<T> {
  for await (const items of allPages(fetch)) yield* items;
}

/** Yields the items page by page, so that each page can be processed with one query. */
export async function* allPages<T>(fetch: (page: PageRequest) => Promise<Page<T>>): AsyncGenerator<readonly T[]> {
  for (let after: string | undefined; ; ) {
    const page = await fetch({ limit: LARGEST_FETCH, ...(after !== undefined && { after }) });
    yield page.items;
    if (page.next === undefined) return;
    after = page.next;
  }
}

export function pageLimit({ limit = DEFAULT_LIMIT }: PageRequest): number {
  return Math.max(1, Math.floor(limit) || 1);
}

function readCursor(text: string | undefined): { after: string | undefined; done: number } {
  if (text === undefined) return { after: undefined, done: 0 };
  const [, done, after] = /^(\d{1,9})~(.*)$/s.exec(text) ?? [];
  if (done === undefined) throw badPageError(text);
  return { after: after === '' ? undefined : after, done: Number(done) };
}

export function badPageError(text: string): ForestError {
  return new ForestError(
    'bad_page',
    text,
    `"${text.slice(0, 60)}" is not a cursor of this list: give the \`next\` of one of its pages.`,
  );
}
