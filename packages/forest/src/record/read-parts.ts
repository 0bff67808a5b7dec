import { everyPage } from '../forest/pages.ts';
import { type EntryRecord, packedText, unpackBytes } from '../model/index.ts';
import type { Store } from '../store/index.ts';
import { REQUEST_PART, requestPartId } from './exchange.ts';

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
  for (const { order, data } of await everyPart(store, exchange))
    if (isOfResponse(order)) parts.push(...timedParts(data));
  return parts;
}

/** The request and the answer of an exchange as texts; empty where there is none. */
export async function readTexts(store: Store, exchange: string): Promise<{ request: string; response: string }> {
  const parts = await everyPart(store, exchange);
  return {
    request: textOf(parts.filter(({ order }) => order === REQUEST_PART)),
    response: textOf(parts.filter(({ order }) => isOfResponse(order))),
  };
}

/** Where one part is no text, a character may have been cut between it and the next. */
function textOf(parts: readonly EntryRecord[]): string {
  const texts = parts.map(({ data }) => packedText(data));
  if (texts.every((text) => text !== undefined)) return texts.join('');
  return Buffer.concat(parts.map(({ data }) => unpackBytes(data) ?? NONE)).toString('utf8');
}

async function everyPart(store: Store, exchange: string): Promise<readonly EntryRecord[]> {
  const parts: EntryRecord[] = [];
  for await (const items of everyPage((page) => store.entries('exchange', { of: exchange, ...page })))
    parts.push(...items);
  return parts;
}

function isOfResponse(order: string): boolean {
  return order.startsWith('response.');
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
