import { limitOf, type Place } from '../page.ts';
import type { Page, PageRequest } from '../store.ts';
import { StoreError } from '../store-error.ts';

export function placeOf({ after }: PageRequest, length: number): Place | undefined {
  if (after === undefined) return undefined;
  let place: unknown;
  try {
    place = JSON.parse(after);
  } catch {}
  const isPart = (part: unknown) => typeof part === 'string' || typeof part === 'number';
  if (Array.isArray(place) && place.length === length && place.every(isPart)) return place;
  throw new StoreError('store_cursor', `${JSON.stringify(after)} is not the "next" of a page. Begin without "after".`);
}

/** Of one row more than asked for, the page; it says where it ended when there is more. */
export function pageOfRows<Row, T>(
  rows: readonly Row[],
  request: PageRequest,
  read: (rows: readonly Row[]) => T[],
  placeIn: (row: Row) => Place,
): Page<T> {
  const limit = limitOf(request);
  const last = rows[limit - 1];
  if (rows.length <= limit || last === undefined) return { items: read(rows) };
  return { items: read(rows.slice(0, limit)), next: JSON.stringify(placeIn(last)) };
}
