import { allPages } from '../forest/index.ts';
import { type EntryRecord, type PackedBytes, packBytes, packedText, unpackBytes } from '../model/index.ts';
import type { Store } from '../store/index.ts';
import type { Hints } from './hints.ts';

/**
 * One request to an API and its answer, without their bytes: those are in parts of their own, so that lists stay
 * small and the request is written once. No key, no cookie and no header that signs in is in here.
 */
export interface Exchange {
  readonly id: string;
  /** When the request was sent, in milliseconds. Exchanges are in the order of (start, id). */
  readonly start: number;
  readonly firstByte?: number;
  readonly end?: number;
  readonly method: string;
  readonly host: string;
  readonly path: string;
  /** Without `?`, and without what signs in. */
  readonly query: string;
  readonly kind: ExchangeKind;
  readonly provider?: string;
  readonly dialect?: string;
  /** Who can read the opaque parts of the reply. */
  readonly issuer?: string;
  readonly model?: string;
  readonly requestHeaders: Readonly<Record<string, string>>;
  /** SHA-256 of the request's bytes, and of what a replay compares. */
  readonly requestSha256?: string;
  readonly replayKey?: string;
  readonly status?: number;
  readonly responseHeaders?: Readonly<Record<string, string>>;
  readonly responseId?: string;
  readonly responseBytes?: number;
  readonly outcome: Outcome;
  /** Why there is no answer, or no whole one. */
  readonly error?: string;
  /** Bytes of it were not kept: the store failed, or was too slow for too long. */
  readonly truncated?: boolean;
  /** A key stood in a body and was taken out before storing. */
  readonly redacted?: boolean;
  readonly tags: readonly string[];
  /** The name of the conversation, where the client gave one. */
  readonly thread?: string;
  /** Who speaks and in which session, as hashes; absent where the request does not say, or was recorded before hints were. */
  readonly hints?: Hints;
  /** What was wrong with the request's wishes to Skein, such as a name that cannot be used. */
  readonly notes?: readonly string[];
  /** The process that has it under way. */
  readonly writer: string;
}

/** `generate`: a model was asked; `poll`: a response that was asked for before; `other`: models, files, counts… */
export type ExchangeKind = 'generate' | 'poll' | 'other';

/**
 * `open`: under way; `done`: a whole answer; `cut`: it ended early, or the client left; `refused`: the API said no;
 * `failed`: there was no answer, or it reports a failure.
 */
export type Outcome = 'open' | 'done' | 'cut' | 'refused' | 'failed';

/** What all exchanges belong to. */
export const EXCHANGES = 'exchanges';

const FORMAT = 1;

export function exchangeRecord(exchange: Exchange, clock: string): EntryRecord {
  const data = { version: FORMAT, ...exchange };
  return { k: 'exchange', id: exchange.id, of: EXCHANGES, order: exchangeOrder(exchange), clock, data };
}

/** Its place among all exchanges, compared as text. */
function exchangeOrder({ start, id }: Pick<Exchange, 'start' | 'id'>): string {
  return `${startOrder(start)}.${id}`;
}

/** What the places of all that started at or after a time come behind. */
export function startOrder(start: number): string {
  return Math.max(0, Math.floor(start)).toString(36).padStart(9, '0');
}

/** Undefined for what this version cannot read; it is kept as it is. */
export function readExchangeRecord({ data }: EntryRecord): Exchange | undefined {
  const { version, id, start, method, path, outcome } = data;
  const isReadable =
    version === FORMAT &&
    typeof id === 'string' &&
    typeof start === 'number' &&
    typeof method === 'string' &&
    typeof path === 'string' &&
    typeof outcome === 'string';
  return isReadable ? (data as unknown as Exchange) : undefined;
}

/** The place of the request's bytes among the parts of an exchange. */
const REQUEST_PART = 'request';

/** The id of the part that holds the request's bytes; `forest.request` knows it, too. */
function requestPartId(exchange: string): string {
  return `${exchange}/${REQUEST_PART}`;
}

export function requestPart(exchange: string, bytes: Uint8Array, clock: string): EntryRecord {
  return partRecord(requestPartId(exchange), exchange, REQUEST_PART, clock, packBytes(bytes));
}

export function responsePart(
  exchange: string,
  index: number,
  packed: PackedBytes & { readonly marks?: readonly (readonly [end: number, at: number])[] },
  clock: string,
  at: number,
) {
  const name = `response.${String(index).padStart(8, '0')}`;
  return partRecord(`${exchange}/${name}`, exchange, name, clock, { ...packed, at });
}

function partRecord(id: string, of: string, order: string, clock: string, data: EntryRecord['data']): EntryRecord {
  return { k: 'exchange', id, of, order, clock, data };
}

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
  for (const { order, data } of await readParts(store, exchange))
    if (isResponsePart(order)) parts.push(...timedParts(data));
  return parts;
}

/** The request and the answer of an exchange as texts; empty where there is none. */
export async function readTexts(store: Store, exchange: string): Promise<{ request: string; response: string }> {
  const parts = await readParts(store, exchange);
  return {
    request: joinText(parts.filter(({ order }) => order === REQUEST_PART)),
    response: joinText(parts.filter(({ order }) => isResponsePart(order))),
  };
}

/** Where one part is no text, a character may have been cut between it and the next. */
function joinText(parts: readonly EntryRecord[]): string {
  const texts = parts.map(({ data }) => packedText(data));
  if (texts.every((text) => text !== undefined)) return texts.join('');
  return Buffer.concat(parts.map(({ data }) => unpackBytes(data) ?? NONE)).toString('utf8');
}

async function readParts(store: Store, exchange: string): Promise<readonly EntryRecord[]> {
  const parts: EntryRecord[] = [];
  for await (const items of allPages((page) => store.entries('exchange', { of: exchange, ...page })))
    parts.push(...items);
  return parts;
}

function isResponsePart(order: string): boolean {
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
