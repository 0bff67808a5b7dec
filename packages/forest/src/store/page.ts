import { type Page, type PageRequest, StoreError } from './store.ts';

const DEFAULT_LIMIT = 100;

export function pageLimit({ limit = DEFAULT_LIMIT }: PageRequest): number {
  return Math.max(1, Math.floor(limit));
}

/** Where an item stands in its list: compared part by part. No two items of a list stand at the same place. */
export type PagePosition = readonly (string | number)[];

function comparePlaces(a: PagePosition, b: PagePosition): number {
  for (let at = 0; at < a.length; at++) {
    if (a[at]! < b[at]!) return -1;
    if (a[at]! > b[at]!) return 1;
  }
  return 0;
}

/**
 * A page of a sorted list. It goes on behind a place, not behind an item: the item may have moved or gone meanwhile.
 * `direction` is -1 for a list that is sorted from the last place to the first.
 */
export function toPage<T>(
  items: readonly T[],
  placeOf: (item: T) => PagePosition,
  request: PageRequest = {},
  direction: 1 | -1 = 1,
): Page<T> {
  const start = request.after === undefined ? 0 : firstBehind(items, placeOf, readCursor(request.after), direction);
  const end = start + pageLimit(request);
  const found = items.slice(start, end);
  const last = found.at(-1);
  return end < items.length && last !== undefined
    ? { items: found, next: JSON.stringify(placeOf(last)) }
    : { items: found };
}

function firstBehind<T>(
  items: readonly T[],
  placeOf: (item: T) => PagePosition,
  place: PagePosition,
  direction: 1 | -1,
): number {
  let low = 0;
  let high = items.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (comparePlaces(placeOf(items[middle]!), place) * direction <= 0) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** What `after` says; it came back from outside. */
export function readCursor(after: string): PagePosition {
  try {
    const place: unknown = JSON.parse(after);
    if (Array.isArray(place) && place.every((part) => typeof part === 'string' || typeof part === 'number'))
      return place;
  } catch {
    // Said below.
  }
  throw new StoreError('store_cursor', `${JSON.stringify(after)} is not the "next" of a page. Begin without "after".`);
}
