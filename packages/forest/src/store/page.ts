import type { Page, PageRequest } from './store.ts';

const DEFAULT_LIMIT = 100;

export function limitOf({ limit = DEFAULT_LIMIT }: PageRequest): number {
  return Math.max(1, Math.floor(limit));
}

/** A page of a list whose items each have a key of their own; it goes on behind the key that `after` names. */
export function pageOf<T>(items: readonly T[], keyOf: (item: T) => string, request: PageRequest = {}): Page<T> {
  const start = request.after === undefined ? 0 : items.findIndex((item) => keyOf(item) === request.after) + 1;
  return pageFrom(items, start, keyOf, request);
}

/** A page that begins at an index. */
export function pageFrom<T>(
  items: readonly T[],
  start: number,
  keyOf: (item: T) => string,
  request: PageRequest,
): Page<T> {
  const end = start + limitOf(request);
  const found = items.slice(start, end);
  const last = found.at(-1);
  return end < items.length && last !== undefined ? { items: found, next: keyOf(last) } : { items: found };
}
