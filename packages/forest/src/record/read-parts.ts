import { everyItem } from '../forest/pages.ts';
import { type EntryRecord, unpackBytes } from '../model/index.ts';
import type { Store } from '../store/index.ts';
import { requestPartId } from './exchange.ts';

/** Bytes of an answer that came together, and when. */
export interface TimedPart {
  readonly bytes: Uint8Array;
  readonly at: number;
}

/** The exact bytes of an exchange, as far as they were kept. */
export async function readResponse(store: Store, exchange: string): Promise<Uint8Array> {
  const parts = await readResponseParts(store, exchange);
  return new Uint8Array(Buffer.concat(parts.map(({ bytes }) => bytes)));
}

/** The same, cut where time passed. */
export async function readResponseParts(store: Store, exchange: string): Promise<TimedPart[]> {
  const parts: TimedPart[] = [];
  for await (const { order, data } of everyItem((page) => store.entries('exchange', { of: exchange, ...page })))
    if (order.startsWith('response.')) parts.push(...timedParts(data));
  return parts;
}

function timedParts(data: EntryRecord['data']): TimedPart[] {
  const bytes = unpackBytes(data) ?? NONE;
  const at = typeof data.at === 'number' ? data.at : 0;
  const marks = Array.isArray(data.marks) ? data.marks.filter(isMark) : [];
  const parts: TimedPart[] = [];
  let from = 0;
  for (const [end, when] of marks) {
    if (end <= from || end >= bytes.length) continue;
    parts.push({ bytes: bytes.slice(from, end), at: when });
    from = end;
  }
  return [...parts, { bytes: bytes.slice(from), at: marks.at(-1)?.[1] ?? at }];
}

function isMark(value: unknown): value is readonly [end: number, at: number] {
  return Array.isArray(value) && typeof value[0] === 'number' && typeof value[1] === 'number';
}

/** Undefined when the request had no body, or it was not kept. */
export async function readRequestBody(store: Store, exchange: string): Promise<Uint8Array | undefined> {
  return unpackBytes((await store.entry('exchange', requestPartId(exchange)))?.data);
}

const NONE = new Uint8Array();
