import { canonical, dialect, dialects, isJson, type ProviderDescriptor, providers } from '@skein/core';
import { findSecrets, isSecretParameter, removeSecrets, sha256 } from '../model/index.ts';
import type { Exchange, ExchangeKind } from './exchange.ts';
import { type HintPlaces, readHints } from './hints.ts';
import type { HeaderPairs, RequestToRecord } from './recorder.ts';

/** A request as it is stored. */
export interface RequestDescription {
  readonly exchange: Exchange;
  /** What it was signed with, to be looked for in whatever is stored. */
  readonly secrets: readonly string[];
  /** Undefined when there is none, or it was not kept. */
  readonly body: Uint8Array | undefined;
  /** Hashing a long history takes time, so it is done once, at the end. */
  hashes(): Pick<Exchange, 'requestSha256' | 'replayKey'>;
}

export function describeRequest(
  request: RequestToRecord,
  begun: Pick<Exchange, 'id' | 'start' | 'writer'>,
  places?: HintPlaces,
): RequestDescription {
  const url = new URL(request.url);
  const secrets = findSecrets(url, request.headers);
  const body = cleanBody(request.body, secrets);
  const hints = readHints(request.headers, bodyText(request.hintBody ?? request.body), places);
  const name = readThreadName(request.thread);
  const exchange: Exchange = {
    ...begun,
    method: request.method,
    host: url.host,
    path: removeSecrets(url.pathname, secrets),
    query: safeQuery(url),
    ...describeTarget(url, request),
    requestHeaders: safeHeaders(request.headers),
    outcome: 'open',
    ...(body?.redacted && { redacted: true }),
    tags: request.tags ?? [],
    ...name,
    ...(hints && { hints }),
  };
  return {
    exchange,
    secrets,
    body: body?.bytes,
    hashes: () => ({
      ...(body && { requestSha256: sha256(decodeText(body.bytes)) }),
      replayKey: replayKey(request.method, url, body ? decodeText(body.bytes) : ''),
    }),
  };
}

/** A name that cannot be used is left out, and the exchange says so: the client is answered all the same. */
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

function bodyText(body: string | Uint8Array | undefined): string {
  return typeof body === 'string' ? body : decodeText(body ?? new Uint8Array());
}

function describeTarget(url: URL, { method, provider, issuer, body }: RequestToRecord) {
  const spoken = provider === undefined ? undefined : providers().find(({ id }) => id === provider)?.dialect;
  const { kind, dialect, model = findModel(body), responseId } = readAddress(method, url.pathname, spoken);
  const descriptor = provider === undefined || issuer === undefined ? providerAt(url, dialect) : undefined;
  const name = provider ?? descriptor?.id;
  return {
    kind,
    ...(dialect !== undefined && { dialect }),
    ...(name !== undefined && { provider: name }),
    issuer: issuer ?? issuerAt(url, descriptor),
    ...(model !== undefined && kind === 'generate' && { model }),
    ...(responseId !== undefined && { responseId }),
  };
}

/** Near the front of most bodies; a body is not parsed while a client waits. */
function findModel(body: string | Uint8Array | undefined): string | undefined {
  const front =
    typeof body === 'string' ? body.slice(0, 4096) : decodeText(body?.subarray(0, 4096) ?? new Uint8Array());
  return /"model"\s*:\s*"([^"\\]{1,200})"/.exec(front)?.[1];
}

function cleanBody(body: string | Uint8Array | undefined, secrets: readonly string[]) {
  if (body === undefined) return undefined;
  const bytes = typeof body === 'string' ? Buffer.from(body) : body;
  const text = decodeText(bytes);
  const clean = removeSecrets(text, secrets);
  return clean === text ? { bytes, redacted: false } : { bytes: Buffer.from(clean), redacted: true };
}

function decodeText({ buffer, byteOffset, byteLength }: Uint8Array): string {
  return Buffer.from(buffer, byteOffset, byteLength).toString('utf8');
}

/** What an address means. */
export interface Address {
  readonly kind: ExchangeKind;
  readonly dialect?: string;
  /** Google and others have the model in the path. */
  readonly model?: string;
  /** The response that is asked about. */
  readonly responseId?: string;
}

const KINDS = { ask: 'generate', poll: 'poll' } as const;

/** What a request to this path asks for. Where several protocols have such an address, that of the provider counts. */
export function readAddress(method: string, path: string, spoken?: string): Address {
  const plain = path.replace(/\/+$/, '');
  const known = dialects();
  const own = known.filter(({ id }) => id === spoken);
  for (const { id, endpoints = [] } of [...own, ...known]) {
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

/**
 * Whose address it is: the provider with this host. Of an unknown host (a gateway, an emulator) nothing is known but
 * what it speaks, so it is taken for that dialect's home, as core does when a base address is changed.
 */
function providerAt(url: URL, dialectId: string | undefined): ProviderDescriptor | undefined {
  const here = providers().filter(({ connection }) => connection?.baseUrl && readHost(connection.baseUrl) === url.host);
  if (dialectId === undefined) return here[0];
  return here.find((one) => one.dialect === dialectId) ?? here[0] ?? dialect(dialectId).home;
}

/** Who issues what comes from there. */
function issuerAt(url: URL, descriptor: ProviderDescriptor | undefined): string {
  return descriptor ? descriptor.issuer.replace('{host}', url.host) : url.host;
}

function readHost(address: string): string | undefined {
  return URL.canParse(address) ? new URL(address).host : undefined;
}

function decodePathPart(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** What of a request and its answer may be stored. Headers by a list of the harmless, because new secrets appear. */
const KEPT_HEADERS =
  /^(?:content-type|accept|user-agent|date|retry-after(?:-ms)?|x-should-retry|anthropic-version|anthropic-beta|openai-beta|openai-version|openai-processing-ms|(?:x-|apim-|x-goog-|x-groq-)?request-?id|x-amzn-requestid|cf-ray|x-stainless-[a-z-]+|x-goog-api-client|(?:x|anthropic)-ratelimit-[a-z-]+)$/;

export function safeHeaders(headers: HeaderPairs): Record<string, string> {
  return Object.fromEntries([...headers].filter(([name]) => KEPT_HEADERS.test(name)));
}

export function isEventStream(headers: HeaderPairs): boolean {
  for (const [name, value] of headers) if (name === 'content-type') return value.includes('event-stream');
  return false;
}

/** The query without what signs in, such as Google's `?key=`. */
function safeQuery({ searchParams }: URL): string {
  return new URLSearchParams([...searchParams].filter(([name]) => !isSecretParameter(name))).toString();
}

/**
 * What two requests must have in common to be the same for a replay: method, path, query without keys, and the body.
 * JSON is compared by value, so that key order, spaces and the spelling of numbers and strings do not count; other
 * bodies byte for byte. Host and headers do not count: another address or key asks the same.
 */
export function replayKey(method: string, url: URL, body: string): string {
  const query = new URLSearchParams(safeQuery(url));
  query.sort();
  return sha256([method, url.pathname, query.toString(), isJson(body) ? canonical(body) : body].join('\n'));
}
