import { canonical, dialect, dialects, isSkeinError, type ProviderDescriptor, parseJson, providers } from '@skein/core';
import { canonicalText, sha256 } from '../model/ids.ts';
import { type PackedBytes, packBytes } from '../model/records.ts';
import { createHeaderTest, findSecrets, isSecretParameter, removeSecrets } from '../model/secrets.ts';
import type { Exchange, ExchangeKind } from './exchange.ts';
import { type HintPlaces, readHints } from './hints.ts';
import type { HeaderPairs, RequestToRecord } from './recorder.ts';
import { byteLength } from './response-buffer.ts';

/** A request as it is stored, without secrets. */
export interface RequestDescription {
  readonly exchange: Exchange;
  /** The credentials of the request, to be removed from whatever is stored. */
  readonly secrets: readonly string[];
  /** Undefined if there is none. */
  readonly body: PackedBytes | undefined;
  /** The hashes of the body, computed once at the end, because hashing a long history takes time. */
  hashes(): Pick<Exchange, 'requestSha256' | 'replayKey' | 'requestBytes'>;
}

/** A body that is hashed: its text, and the same or its UTF-8. */
export interface BodyToHash {
  readonly text: string;
  readonly exact: string | Uint8Array;
}

export type BodyHashes = Pick<Exchange, 'requestSha256' | 'replayKey'>;

/** `hash` may know a part of what it is asked for. */
export function describeRequest(
  request: RequestToRecord,
  begun: Pick<Exchange, 'id' | 'start' | 'writer'>,
  places?: HintPlaces,
  hash: (method: string, url: URL, body: BodyToHash | undefined) => BodyHashes = hashWhole,
): RequestDescription {
  const url = readUrl(request.url);
  const secrets = findSecrets(url, request.headers);
  const body = cleanBody(request.body, secrets);
  const hintText = request.hintBody === undefined ? body?.given : bodyText(request.hintBody);
  const hints = readHints(request.headers, hintText ?? '', places);
  const name = readThreadName(request.thread);
  const exchange: Exchange = {
    ...begun,
    method: request.method,
    host: url.host,
    path: removeSecrets(url.pathname, secrets),
    query: safeQuery(url),
    ...describeTarget(url, request, body?.given ?? ''),
    requestHeaders: safeHeaders(request.headers),
    outcome: 'open',
    ...(body?.redacted && { redacted: true }),
    tags: request.tags ?? [],
    ...name,
    ...(request.notes && { notes: [...request.notes, ...(name.notes ?? [])] }),
    ...(hints && { hints }),
    ...(request.gateway && { gateway: request.gateway }),
  };
  return {
    exchange,
    secrets,
    body: body?.packed,
    hashes: () => ({
      ...(body && { requestBytes: byteLength(body.exact) }),
      ...hash(request.method, url, body),
    }),
  };
}

/** Parses an address. Clients and gateways use few, over and over. */
export function readUrl(text: string): Readonly<URL> {
  const known = urls.get(text);
  if (known) return known;
  const url = new URL(text);
  if (urls.size >= MOST_ADDRESSES) urls.clear();
  urls.set(text, url);
  return url;
}

const urls = new Map<string, Readonly<URL>>();

/** An invalid name is dropped and noted in the exchange; the request itself goes on. */
function readThreadName(given: string | undefined): Pick<Exchange, 'thread' | 'notes'> {
  const name = given?.trim();
  if (name === undefined || name === '') return {};
  if (name.length <= LONGEST_NAME && !/\p{Cc}/u.test(name)) return { thread: name };
  return {
    notes: [
      `x-skein-thread was ignored: a name has at most ${LONGEST_NAME} characters and no control characters. The conversation was placed by its history.`,
    ],
  };
}

const LONGEST_NAME = 200;

function bodyText(body: string | Uint8Array): string {
  return typeof body === 'string' ? body : decodeText(body);
}

function describeTarget(url: URL, { method, provider, issuer }: RequestToRecord, body: string) {
  const {
    kind,
    dialect,
    model = findModel(body),
    responseId,
  } = readAddress(method, url.pathname, provider ?? withOwnEndpoints(url)?.id);
  const descriptor = provider === undefined || issuer === undefined ? providerAt(url, dialect) : undefined;
  const name = provider === undefined ? descriptor?.id : findSibling(provider, dialect);
  return {
    kind,
    ...(dialect !== undefined && { dialect }),
    ...(name !== undefined && { provider: name }),
    issuer: issuer ?? issuerAt(url, descriptor),
    ...(model !== undefined && kind === 'generate' && { model }),
    ...(responseId !== undefined && { responseId }),
  };
}

/** A provider at the same hosts that speaks the dialect, where the named one speaks another: clouds serve several APIs. */
function findSibling(provider: string, dialect: string | undefined): string {
  const all = providers();
  const named = all.find(({ id }) => id === provider);
  if (dialect === undefined || !named?.hosts || named.dialect === dialect) return provider;
  return all.find((one) => one.dialect === dialect && one.hosts?.source === named.hosts?.source)?.id ?? provider;
}

/** Searches the front of the body only; it is not parsed while a client waits. */
function findModel(body: string): string | undefined {
  return /"model"\s*:\s*"([^"\\]{1,200})"/.exec(body.slice(0, 4096))?.[1];
}

/** A body as it was given, as it is stored, and as it is hashed. It is decoded once, and not encoded again to be hashed. */
interface CleanBody extends BodyToHash {
  readonly given: string;
  readonly packed: PackedBytes;
  readonly redacted: boolean;
}

function cleanBody(body: string | Uint8Array | undefined, secrets: readonly string[]): CleanBody | undefined {
  if (body === undefined) return undefined;
  const packed = typeof body === 'string' ? { text: body.toWellFormed() } : packBytes(body);
  const given = 'text' in packed ? packed.text : bodyText(body);
  const text = removeSecrets(given, secrets);
  if (text !== given) return { given, text, exact: text, packed: { text }, redacted: true };
  const isSame = typeof body !== 'string' && 'text' in packed;
  return { given, text, exact: isSame ? body : text, packed, redacted: false };
}

function decodeText({ buffer, byteOffset, byteLength }: Uint8Array): string {
  return Buffer.from(buffer, byteOffset, byteLength).toString('utf8');
}

/** The meaning of a method and path. */
export interface Address {
  readonly kind: ExchangeKind;
  readonly dialect?: string;
  /** Some APIs, such as Google's, have the model in the path. */
  readonly model?: string;
  /** The id of the response that is polled. */
  readonly responseId?: string;
}

const KINDS = { ask: 'generate', poll: 'poll' } as const;

/**
 * Reads what a request to this path asks for. The provider's own paths go first, then those of its dialect; without a
 * provider, the path of any dialect counts, and no provider's own.
 *
 * @example
 * readAddress('POST', '/v1/messages').kind; // 'generate'
 */
export function readAddress(method: string, path: string, provider?: string): Address {
  const [known, all] = [dialects(), providers()];
  if (addresses.dialects !== known || addresses.providers !== all || addresses.found.size >= MOST_ADDRESSES)
    addresses = { dialects: known, providers: all, found: new Map() };
  const key = `${method} ${path} ${provider ?? ''}`;
  const address = addresses.found.get(key) ?? findAddress(method, path, provider);
  addresses.found.set(key, address);
  return address;
}

/** Clients use few paths, over and over. */
const MOST_ADDRESSES = 1000;
let addresses = { dialects: dialects(), providers: providers(), found: new Map<string, Address>() };

function findAddress(method: string, path: string, provider: string | undefined): Address {
  const plain = path.replace(/\/+$/, '');
  const known = dialects();
  const named = providers().find(({ id }) => id === provider);
  const own = known.filter(({ id }) => id === named?.dialect);
  const replaced = named ? [{ id: named.dialect, endpoints: named.endpoints }] : [];
  for (const { id, endpoints = [] } of [...replaced, ...own, ...known]) {
    for (const endpoint of endpoints) {
      const found = endpoint.method === method ? endpoint.path.exec(plain) : null;
      if (!found) continue;
      const { model, response } = found.groups ?? {};
      return {
        kind: KINDS[endpoint.operation],
        dialect: id,
        ...(model !== undefined && { model: decodePathPart(model) }),
        ...(response !== undefined && { responseId: response }),
      };
    }
  }
  return { kind: 'other' };
}

/** The provider with this host that has paths of its own. */
function withOwnEndpoints(url: URL): ProviderDescriptor | undefined {
  return providers().find((one) => one.endpoints && isAt(url, one));
}

/**
 * The provider with this host. An unknown host, such as a gateway or an emulator, is taken for a provider of the dialect
 * that has this path as its own, or else for the dialect's home, as core does if a base URL is changed.
 */
function providerAt(url: URL, dialectId: string | undefined): ProviderDescriptor | undefined {
  const here = providers().filter((one) => isAt(url, one));
  if (dialectId === undefined) return here[0];
  const isOwn = ({ path }: { readonly path: RegExp }) => path.test(url.pathname);
  return (
    here.find((one) => one.dialect === dialectId) ??
    here[0] ??
    providers().find((one) => one.dialect === dialectId && one.endpoints?.some(isOwn)) ??
    dialect(dialectId).home
  );
}

/** Who issues the replies from this address. */
function issuerAt(url: URL, descriptor: ProviderDescriptor | undefined): string {
  return descriptor ? descriptor.issuer.replace('{host}', url.host) : url.host;
}

function isAt({ host }: URL, provider: ProviderDescriptor): boolean {
  return provider.hosts?.test(host) || (host !== '' && baseHost(provider) === host);
}

/** The host of each provider's base URL: every request is compared with all of them. */
const baseHosts = new WeakMap<ProviderDescriptor, string>();

function baseHost(provider: ProviderDescriptor): string {
  const known = baseHosts.get(provider);
  if (known !== undefined) return known;
  const address = provider.connection?.baseUrl ?? '';
  const host = URL.canParse(address) ? new URL(address).host : '';
  baseHosts.set(provider, host);
  return host;
}

function decodePathPart(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** The headers that may be stored. A list of harmless ones, because new secret headers appear. */
const KEPT_HEADERS =
  /^(?:content-type|accept|user-agent|date|retry-after(?:-ms)?|x-should-retry|anthropic-version|anthropic-beta|openai-beta|openai-version|openai-processing-ms|(?:x-|apim-|x-goog-|x-groq-)?request-?id|x-amzn-requestid|cf-ray|x-stainless-[a-z-]+|x-goog-api-client|(?:x|anthropic)-ratelimit-[a-z-]+)$/;

const isKept = createHeaderTest(KEPT_HEADERS);

export function safeHeaders(headers: HeaderPairs): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const [name, value] of headers) if (isKept(name)) kept[name] = value;
  return kept;
}

export function isEventStream(headers: HeaderPairs): boolean {
  for (const [name, value] of headers) if (name === 'content-type') return value.includes('event-stream');
  return false;
}

/** The query without credentials, such as Google's `?key=`. */
function safeQuery(url: URL): string {
  if (url.search === '') return '';
  return new URLSearchParams([...url.searchParams].filter(([name]) => !isSecretParameter(name))).toString();
}

/**
 * A hash of what two requests must have in common to be the same for a replay: method, path, query without credentials,
 * and body. JSON bodies are compared by value, so key order, spaces and spelling do not count; other bodies are
 * compared byte for byte. Host and headers do not count.
 */
export function replayKey(method: string, url: URL, body: string): string {
  return sha256(`${replayFront(method, url)}\n${byValue(body)}`);
}

/** What a replay key is made of beside the body. */
export function replayFront(method: string, url: URL): string {
  return [method, url.pathname, sortedQuery(url)].join('\n');
}

export function hashWhole(method: string, url: URL, body: BodyToHash | undefined): BodyHashes {
  return {
    ...(body && { requestSha256: sha256(body.exact) }),
    replayKey: replayKey(method, url, body?.text ?? ''),
  };
}

function sortedQuery(url: URL): string {
  if (url.search === '') return '';
  const query = new URLSearchParams(safeQuery(url));
  query.sort();
  return query.toString();
}

/** Whether a JSON text may have numbers that a double does not hold, such as one of 16 digits or with a large exponent; they may also be in a text. */
export function mayRound(text: string): boolean {
  return MAY_ROUND.test(text);
}

const MAY_ROUND = /\d(?:[\d.]{15}|[eE][+-]?\d{3})/;

function byValue(body: string): string {
  try {
    return mayRound(body) ? canonical(body) : canonicalText(parseJson(body));
  } catch (error) {
    if (isSkeinError(error, 'invalid_json')) return body;
    throw error;
  }
}
