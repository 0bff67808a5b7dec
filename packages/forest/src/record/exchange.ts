import type { Loss } from '@skein/core';
import type { LossNote } from '@skein/core/dialect';
import { allPages } from '../forest/index.ts';
import { sha256 } from '../model/ids.ts';
import { type EntryRecord, type PackedBytes, packedText, packWith, unpackBytes, utf8Bytes } from '../model/records.ts';
import type { Store } from '../store/index.ts';
import type { Hints } from './hints.ts';
import { byteLength } from './response-buffer.ts';

/**
 * One request to an API and its response, without their bytes: those are stored as separate parts, so that lists stay
 * small and the request is written once. It never contains keys, cookies or other credentials.
 */
export interface Exchange {
  readonly id: string;
  /** When the request was sent, in milliseconds. Exchanges are ordered by start, then id. */
  readonly start: number;
  readonly firstByte?: number;
  readonly end?: number;
  readonly method: string;
  readonly host: string;
  readonly path: string;
  /** Without `?` and without credentials. */
  readonly query: string;
  readonly kind: ExchangeKind;
  readonly provider?: string;
  readonly dialect?: string;
  /** Who can read the opaque parts of the reply. */
  readonly issuer?: string;
  readonly model?: string;
  readonly requestHeaders: Readonly<Record<string, string>>;
  /** SHA-256 of the request's bytes, and the key that a replay compares. */
  readonly requestSha256?: string;
  readonly replayKey?: string;
  /** How many bytes of the request are stored; absent in exchanges of older versions. */
  readonly requestBytes?: number;
  readonly status?: number;
  readonly responseHeaders?: Readonly<Record<string, string>>;
  readonly responseId?: string;
  readonly responseBytes?: number;
  readonly outcome: Outcome;
  /** Why there is no response, or only a part of one. */
  readonly error?: string;
  /** Some bytes were not kept, because the store failed or was too slow. */
  readonly truncated?: boolean;
  /** A key was found in a body and removed before storing. */
  readonly redacted?: boolean;
  readonly tags: readonly string[];
  /** The name of the conversation, if the client gave one. */
  readonly thread?: string;
  /**
   * Who speaks and in which session, as hashes; absent if the request does not say so, or was recorded before hints
   * existed.
   */
  readonly hints?: Hints;
  /** Problems with the request's `x-skein-` headers, such as an invalid name. */
  readonly notes?: readonly string[];
  /** The process that records it. */
  readonly writer: string;
  /** Set if it came through a gateway. */
  readonly gateway?: GatewayUse;
  /** Set if a gateway answered: the client's request and response are a translation of these. */
  readonly upstream?: UpstreamSide;
}

/** Who used a gateway, and by which rule the request went where it went. */
export interface GatewayUse {
  /** The name of the client's token, never the token itself. */
  readonly token?: string;
  /** The pattern of the route, or `provider/*` for a model that the client named. */
  readonly route?: string;
}

/**
 * The provider's side of an exchange that a gateway translated. Its request and response are parts of the exchange, beside
 * those of the client: the tree has the client's words from the client's request, and the reply from the provider's response.
 */
export interface UpstreamSide {
  readonly provider: string;
  readonly dialect: string;
  readonly issuer: string;
  readonly model: string;
  readonly host: string;
  readonly path: string;
  readonly status?: number;
  readonly responseHeaders?: Readonly<Record<string, string>>;
  /** Which attempt the parts are of: earlier ones did not answer. */
  readonly attempt: number;
  /** The prefix hash of the request, which bound reasoning in the reply is checked against. */
  readonly prefix?: string;
  /** What the request and the response lost on their way. */
  readonly losses: readonly (Loss | LossNote)[];
  /**
   * Messages of the client's request, by their index, that went out as the replies of these exchanges although they show
   * them in other words.
   */
  readonly restored?: Readonly<Record<number, string>>;
  /** The exchange whose history this one goes on from, where the gateway keeps it. */
  readonly continues?: string;
  /** Names and ids as the client has them, and as the provider has them. */
  readonly calls?: Readonly<Record<string, string>>;
}

/** `generate`: a model was asked; `poll`: the state of an earlier response; `other`: models, files, token counts… */
export type ExchangeKind = 'generate' | 'poll' | 'other';

/**
 * `open`: under way; `done`: a complete response; `cut`: it ended early, or the client left; `refused`: the API
 * answered with an error status; `failed`: there was no response, or it reports a failure.
 */
export type Outcome = 'open' | 'done' | 'cut' | 'refused' | 'failed';

/** The `of` of all exchange records. */
export const EXCHANGES = 'exchanges';

const FORMAT = 1;

export function exchangeRecord(exchange: Exchange, clock: string): EntryRecord {
  const data = { version: FORMAT, ...exchange };
  return { k: 'exchange', id: exchange.id, of: EXCHANGES, order: exchangeOrder(exchange), clock, data };
}

/** The sort key of an exchange. */
function exchangeOrder({ start, id }: Pick<Exchange, 'start' | 'id'>): string {
  return `${startOrder(start)}.${id}`;
}

/** A sort key that comes before those of all exchanges that started at or after a time. */
export function startOrder(start: number): string {
  return Math.max(0, Math.floor(start)).toString(36).padStart(9, '0');
}

/** Reads an exchange record; undefined for one that this version cannot read, which is kept as it is. */
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

/** The sort key of the part with the request's bytes. */
const REQUEST_PART = 'request';

/** The id of the part with the request's bytes; `forest.request` uses it, too. */
function requestPartId(exchange: string): string {
  return `${exchange}/${REQUEST_PART}`;
}

export function requestPart(exchange: string, packed: PackedBytes, clock: string): EntryRecord {
  return partRecord(requestPartId(exchange), exchange, REQUEST_PART, clock, packed);
}

export function responsePart(
  exchange: string,
  index: number,
  packed: PackedBytes,
  clock: string,
  at: number,
  marks?: readonly (readonly [end: number, at: number])[],
): EntryRecord {
  const name = `response.${String(index).padStart(8, '0')}`;
  return partRecord(`${exchange}/${name}`, exchange, name, clock, packWith(packed, { ...(marks && { marks }), at }));
}

/** The part with the body that a gateway sent to the provider. */
export function upstreamRequestPart(
  exchange: string,
  attempt: number,
  packed: PackedBytes,
  clock: string,
): EntryRecord {
  const name = `${UPSTREAM_REQUEST}.${attempt}`;
  return partRecord(`${exchange}/${name}`, exchange, name, clock, packed);
}

/** A part of what the provider answered to a gateway. */
export function upstreamResponsePart(
  exchange: string,
  attempt: number,
  index: number,
  packed: PackedBytes,
  clock: string,
): EntryRecord {
  const name = `${UPSTREAM_RESPONSE}.${attempt}.${String(index).padStart(8, '0')}`;
  return partRecord(`${exchange}/${name}`, exchange, name, clock, packed);
}

const UPSTREAM_REQUEST = 'upstream-request';
const UPSTREAM_RESPONSE = 'upstream-response';

function partRecord(id: string, of: string, order: string, clock: string, data: EntryRecord['data']): EntryRecord {
  return { k: 'exchange', id, of, order, clock, data };
}

/** Bytes of a response that arrived together, and when. */
export interface TimedPart {
  readonly bytes: Uint8Array;
  readonly at: number;
}

/** The exact bytes of a response, as far as they were kept. */
export async function readResponse(store: Store, exchange: string): Promise<Uint8Array> {
  const parts = await readResponseParts(store, exchange);
  return new Uint8Array(Buffer.concat(parts.map(({ bytes }) => bytes)));
}

/** The bytes of a response, split by arrival time. */
export async function readResponseParts(store: Store, exchange: string): Promise<TimedPart[]> {
  const parts: TimedPart[] = [];
  for (const { order, data } of await readParts(store, exchange))
    if (isResponsePart(order)) parts.push(...timedParts(data));
  return parts;
}

/** The texts of an exchange, empty where there is none; a response as bytes if it is no text, or not decoded yet. */
export interface ExchangeTexts {
  readonly request: string;
  readonly response: string | Uint8Array;
  /** What a gateway sent and got. */
  readonly upstream?: { readonly request: string; readonly response: string | Uint8Array };
}

export async function readTexts(store: Store, exchange: Pick<Exchange, 'id' | 'upstream'>): Promise<ExchangeTexts> {
  return joinTexts(exchange, await readParts(store, exchange.id));
}

/** The texts of several exchanges, in their order, read in one go. */
export async function readTextsOfAll(
  store: Store,
  exchanges: readonly Pick<Exchange, 'id' | 'upstream'>[],
): Promise<ExchangeTexts[]> {
  const parts = new Map<string, EntryRecord[]>(exchanges.map(({ id }) => [id, []]));
  for (const part of await readParts(store, [...parts.keys()])) parts.get(part.of)?.push(part);
  return exchanges.map((exchange) => joinTexts(exchange, parts.get(exchange.id) ?? []));
}

function joinTexts({ upstream }: Pick<Exchange, 'upstream'>, parts: readonly EntryRecord[]): ExchangeTexts {
  const join = (isWanted: (order: string) => boolean) => joinParts(parts.filter(({ order }) => isWanted(order)));
  const request = asText(join((order) => order === REQUEST_PART));
  if (!upstream) return { request, response: join(isResponsePart) };
  const { attempt } = upstream;
  return {
    request,
    // Whoever reads what the provider sent needs no other text, and joining long ones takes time.
    get response() {
      return join(isResponsePart);
    },
    upstream: {
      get request() {
        return asText(join((order) => order === `${UPSTREAM_REQUEST}.${attempt}`));
      },
      response: join((order) => order.startsWith(`${UPSTREAM_RESPONSE}.${attempt}.`)),
    },
  };
}

/** How many bytes an exchange takes in memory when it is read, before it is: a gateway stores each side twice. */
export function exchangeSize(record: EntryRecord | undefined): number {
  const exchange = record && readExchangeRecord(record);
  const { requestBytes, responseBytes = 0, upstream } = exchange ?? {};
  const size = requestBytes === undefined ? UNKNOWN_BYTES : requestBytes + responseBytes;
  return upstream ? 2 * size : size;
}

/** What is taken for the size of an exchange that does not say it. */
const UNKNOWN_BYTES = 2 ** 19;

/** How much of the bytes of an exchange is stored. */
export interface StoredBytes {
  /** Bytes of its request, of its response, and of what the provider answered to a gateway. */
  request: number;
  response: number;
  upstream: number;
}

/** Counts the bytes of a part of an exchange. */
export function countPart(stored: StoredBytes, { order, data }: Pick<EntryRecord, 'order' | 'data'>): void {
  const size = byteLength(packedText(data) ?? unpackBytes(data) ?? NONE);
  if (order === REQUEST_PART) stored.request += size;
  else if (isResponsePart(order)) stored.response += size;
  else if (order.startsWith(`${UPSTREAM_RESPONSE}.`)) stored.upstream += size;
}

/**
 * Whether the parts of an exchange are there. They are missing where a disk was damaged, or a transfer broke off; without them it
 * would count as an exchange that said nothing.
 */
export function isWhole(exchange: Exchange, stored: StoredBytes): boolean {
  const { responseBytes = 0, requestSha256, truncated, redacted, upstream } = exchange;
  if (truncated) return true;
  if (stored.request === 0 && requestSha256 !== undefined && requestSha256 !== EMPTY_SHA256) return false;
  if (responseBytes === 0) return true;
  if (upstream) return stored.upstream > 0 || upstream.status === undefined;
  return redacted ? stored.response > 0 : stored.response >= responseBytes;
}

const EMPTY_SHA256 = sha256('');

function asText(text: string | Uint8Array): string {
  return typeof text === 'string' ? text : Buffer.from(text).toString('utf8');
}

/** If a part is not text, a character may be split between it and the next, so all bytes are joined first. */
function joinParts(parts: readonly EntryRecord[]): string | Uint8Array {
  const undecoded = parts.map(({ data }) => utf8Bytes(data));
  // Whoever reads a long response decodes it piece by piece.
  if (parts.length > 0 && undecoded.every((piece) => piece !== undefined)) return Buffer.concat(undecoded);
  const texts = parts.map(({ data }) => packedText(data));
  if (texts.every((text) => text !== undefined)) return texts.join('');
  const bytes = Buffer.concat(parts.map(({ data }) => unpackBytes(data) ?? NONE));
  const text = bytes.toString('utf8');
  return Buffer.from(text).equals(bytes) ? text : bytes;
}

async function readParts(store: Store, of: string | readonly string[]): Promise<readonly EntryRecord[]> {
  const parts: EntryRecord[] = [];
  for await (const items of allPages((page) => store.entries('exchange', { of, ...page }))) parts.push(...items);
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

/** The text that was sent to the provider: the request of the client, or what a gateway made of it. */
export async function readSentText(
  store: Store,
  { id, upstream }: Pick<Exchange, 'id' | 'upstream'>,
): Promise<string | undefined> {
  return packedText((await store.entry('exchange', sentPartId(id, upstream?.attempt)))?.data);
}

/** The id of the part with the text that was sent to the provider; `attempt` is that of a gateway. */
export function sentPartId(exchange: string, attempt: number | undefined): string {
  return attempt === undefined ? requestPartId(exchange) : `${exchange}/${UPSTREAM_REQUEST}.${attempt}`;
}

/** The exchange of a part that may hold what was sent to the provider; undefined for the ids of other parts and of exchanges. */
export function sentPartExchange(id: string): string | undefined {
  const slash = id.lastIndexOf('/');
  const name = id.slice(slash + 1);
  const isSent = slash > 0 && (name === REQUEST_PART || name.startsWith(`${UPSTREAM_REQUEST}.`));
  return isSent ? id.slice(0, slash) : undefined;
}

/** The body of the request; undefined if it had none. */
export async function readRequestBody(store: Store, exchange: string): Promise<Uint8Array | undefined> {
  return unpackBytes((await store.entry('exchange', requestPartId(exchange)))?.data);
}

const NONE = new Uint8Array();
