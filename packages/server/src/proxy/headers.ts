import type { ReplayerOptions } from '@skein/forest';
import { Problem } from '../http/problem.ts';

/** What a client asks of the proxy, in `x-skein-*` headers; they are not forwarded. */
export interface ClientHeaders {
  readonly mode: 'record' | 'replay' | 'pass';
  readonly timing: 'none' | 'recorded';
  /** What a replay does for which there is no recording. */
  readonly onMiss: 'refuse' | 'pass' | 'route';
  readonly tags: readonly string[];
  /** As the client sent it: the recorder ignores an invalid name and notes that in the exchange. */
  readonly thread: string | undefined;
}

const MAX_TAGS = 50;

/** Throws a `Problem` for an unknown value: a test must not reach a provider because of a typing error. */
export function readClientHeaders(
  headers: ReadonlyMap<string, string>,
  { mode = 'record', onMiss = 'refuse' }: ProxyOptions,
): ClientHeaders {
  const skip = readChoice(headers, 'x-skein-skip', ['true', '1', 'false', '0'] as const) ?? 'false';
  const wanted = readChoice(headers, 'x-skein-mode', ['record', 'replay', 'pass'] as const) ?? mode;
  const isSkipped = skip === 'true' || skip === '1';
  return {
    mode: wanted === 'record' && isSkipped ? 'pass' : wanted,
    timing: readChoice(headers, 'x-skein-replay-timing', ['none', 'recorded'] as const) ?? 'none',
    onMiss: readChoice(headers, 'x-skein-on-miss', ['refuse', 'pass'] as const) ?? onMiss,
    tags: readTags(headers.get('x-skein-tags')),
    thread: headers.get('x-skein-thread'),
  };
}

function readChoice<T extends string>(
  headers: ReadonlyMap<string, string>,
  name: string,
  values: readonly T[],
): T | undefined {
  const given = headers.get(name)?.trim().toLowerCase();
  if (given === undefined || given === '') return undefined;
  const found = values.find((value) => value === given);
  if (found === undefined) throw new Problem('bad_header', `The header ${name} must be one of: ${values.join(', ')}.`);
  return found;
}

function readTags(text: string | undefined): string[] {
  if (text === undefined) return [];
  const tags = text
    .split(',')
    .map((tag) => tag.trim())
    .filter((tag) => tag !== '');
  if (tags.length > MAX_TAGS || tags.some((tag) => tag.length > 100))
    throw new Problem(
      'bad_header',
      `The header x-skein-tags may have at most ${MAX_TAGS} tags of up to 100 characters each, separated by commas.`,
    );
  return tags;
}

/** How the recording proxy works unless a request says otherwise. */
export interface ProxyOptions {
  /** `record`: forward and record (default); `replay`: answer from recordings; `pass`: forward only. */
  readonly mode?: 'record' | 'replay' | 'pass';
  /**
   * What a replay without a recording does: answer with an error of the provider's form (default), forward to the provider, or
   * let the gateway of this server answer by its routes.
   */
  readonly onMiss?: 'refuse' | 'pass' | 'route';
  /** How a replay compares requests with recordings, and whom it tells. */
  readonly replayer?: ReplayerOptions;
  /** Sign requests that have no key with the server's key. Everyone who may use the proxy then spends its money. */
  readonly useServerKeys?: boolean;
}

/** Headers as they were sent: names and values in turn, in their order and spelling. */
type RawHeaders = readonly string[];

/** These headers belong to one connection, not to the message. */
const HOP_BY_HOP: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** The headers that are sent to the provider, with its own name as the host. `given` is `raw` as a map. */
export function requestHeaders(
  raw: RawHeaders,
  given: ReadonlyMap<string, string>,
  host: string,
  without: ReadonlySet<string>,
): string[] {
  const dropped = connectionHeaders(given);
  const kept = ['Host', host];
  for (let at = 0; at < raw.length; at += 2) {
    const name = raw[at]!.toLowerCase();
    if (dropped.has(name) || without.has(name) || isForProxy(name)) continue;
    const value = name === 'cookie' ? withoutOwnCookies(raw[at + 1]!) : raw[at + 1]!;
    if (name !== 'cookie' || value !== '') kept.push(raw[at]!, value);
  }
  return kept;
}

function isForProxy(name: string): boolean {
  return name === 'host' || name === 'expect' || name.startsWith('x-skein-');
}

function withoutOwnCookies(cookies: string): string {
  const kept = cookies.split(/; */).filter((cookie) => !cookie.startsWith('skein_'));
  return kept.join('; ');
}

/**
 * The headers that are sent to the client, and two of our own: what a provider serves must not run as a page of this
 * server.
 */
export function responseHeaders(raw: RawHeaders, given: ReadonlyMap<string, string>): string[] {
  const dropped = connectionHeaders(given);
  const kept: string[] = [];
  for (let at = 0; at < raw.length; at += 2) {
    const name = raw[at]!.toLowerCase();
    if (!dropped.has(name) && !touchesOwnCookies(name, raw[at + 1]!)) kept.push(raw[at]!, raw[at + 1]!);
  }
  return [...kept, ...SANDBOX];
}

/** A browser would take these cookies for this server's. A cookie without a name is sent back as if its value had one. */
function touchesOwnCookies(name: string, value: string): boolean {
  return name === 'clear-site-data' || (name === 'set-cookie' && /^[\s="]*skein_/i.test(value));
}

export const SANDBOX: RawHeaders = [
  'content-security-policy',
  "sandbox; default-src 'none'",
  'x-content-type-options',
  'nosniff',
];

/** Headers by their name in lower case; a repeated one has all its values, separated by commas. */
export function toHeaderMap(raw: RawHeaders): Map<string, string> {
  const headers = new Map<string, string>();
  for (let at = 0; at < raw.length; at += 2) {
    const name = raw[at]!.toLowerCase();
    const before = headers.get(name);
    headers.set(name, before === undefined ? raw[at + 1]! : `${before}, ${raw[at + 1]}`);
  }
  return headers;
}

/** The hop-by-hop headers, and those that `Connection` names. */
function connectionHeaders(given: ReadonlyMap<string, string>): ReadonlySet<string> {
  const connection = given.get('connection')?.toLowerCase() ?? '';
  if (connection === '' || HOP_BY_HOP.has(connection) || connection === 'close') return HOP_BY_HOP;
  const named = connection.split(/\s*,\s*/).filter((name) => name !== 'content-length');
  return new Set([...HOP_BY_HOP, ...named]);
}
