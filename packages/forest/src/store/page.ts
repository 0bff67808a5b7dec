import { type Page, type PageRequest, StoreError } from './store.ts';

const DEFAULT_LIMIT = 100;

/**
 * The number of items of a page; at least 1.
 *
 * @example
 * pageLimit({}); // 100
 */
export function pageLimit({ limit = DEFAULT_LIMIT }: PageRequest): number {
  return Math.max(1, Math.floor(limit));
}

/** The position of an item in its list, compared part by part. It is unique in the list. */
export type PagePosition = readonly (string | number)[];

/** Compares two positions of a list in ascending order. */
export function comparePlaces(a: PagePosition, b: PagePosition): number {
  for (let at = 0; at < a.length; at++) {
    if (a[at]! < b[at]!) return -1;
    if (a[at]! > b[at]!) return 1;
  }
  return 0;
}

/**
 * A page of a sorted list. It continues after a position, not after an item, because the item may have moved or gone
 * meanwhile. `direction` is -1 for a list in descending order.
 *
 * @example
 * toPage(sorted, ({ at, id }) => [at, id], { after, limit: 50 });
 */
export function toPage<T>(
  items: readonly T[],
  placeOf: (item: T) => PagePosition,
  request: PageRequest = {},
  direction: 1 | -1 = 1,
): Page<T> {
  const [first] = items;
  const like = first === undefined ? undefined : placeOf(first);
  const start =
    request.after === undefined ? 0 : firstBehind(items, placeOf, readCursor(request.after, like), direction);
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

/**
 * Reads the position in `after`, which comes from outside. If `like` is given, a position of the list, it must have as many
 * parts, of the same types.
 *
 * @example
 * const [at, id] = readCursor(after, [0, '']);
 */
export function readCursor(after: string, like?: PagePosition): PagePosition {
  const position = tryParse(after);
  const isPart = (part: unknown, at: number) =>
    like ? typeof part === typeof like[at] : typeof part === 'string' || typeof part === 'number';
  if (Array.isArray(position) && position.every(isPart) && (like ?? position).length === position.length)
    return position;
  throw cursorError(after);
}

export function cursorError(after: string | undefined): StoreError {
  return new StoreError(
    'store_cursor',
    `${JSON.stringify(after)} is not a cursor of this list. Start without "after".`,
  );
}

function tryParse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
