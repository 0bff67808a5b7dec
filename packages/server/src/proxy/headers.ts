/** Headers as they stand on the wire: names and values in turn, in their order and spelling. */
export type RawHeaders = readonly string[];

/** They belong to one connection, not to the message. */
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

/** What goes on to the provider, with its own name as the host. */
export function requestHeaders(raw: RawHeaders, host: string, without: ReadonlySet<string>): string[] {
  const pairs = pairsOf(raw);
  const dropped = droppedBy(pairs);
  const isOurs = (name: string) =>
    name === 'host' || name === 'expect' || name.startsWith('x-skein-') || without.has(name);
  const kept = pairs.flatMap(([name, value]) => {
    const lower = name.toLowerCase();
    if (dropped.has(lower) || isOurs(lower)) return [];
    if (lower !== 'cookie') return [name, value];
    const cookies = value.split(/; */).filter((cookie) => !cookie.startsWith('skein_'));
    return cookies.length === 0 ? [] : [name, cookies.join('; ')];
  });
  return ['Host', host, ...kept];
}

/**
 * What goes back to the client. The two last ones are ours: what a provider serves must not run as a page of this
 * server.
 */
export function responseHeaders(raw: RawHeaders): string[] {
  const pairs = pairsOf(raw);
  const dropped = droppedBy(pairs);
  const kept = pairs.filter(([name]) => !dropped.has(name.toLowerCase()));
  return [...kept.flat(), ...SANDBOX];
}

export const SANDBOX: RawHeaders = [
  'content-security-policy',
  "sandbox; default-src 'none'",
  'x-content-type-options',
  'nosniff',
];

/** The same for code that looks values up, names in lower case; a repeated name has all its values. */
export function headersOf(raw: RawHeaders): Map<string, string> {
  const headers = new Map<string, string>();
  for (const [spelling, value] of pairsOf(raw)) {
    const name = spelling.toLowerCase();
    const before = headers.get(name);
    headers.set(name, before === undefined ? value : `${before}, ${value}`);
  }
  return headers;
}

/** Those of the list, and those that `Connection` names. */
function droppedBy(pairs: readonly HeaderPair[]): ReadonlySet<string> {
  const named = pairs
    .filter(([name]) => name.toLowerCase() === 'connection')
    .flatMap(([, value]) => value.toLowerCase().split(/\s*,\s*/))
    .filter((name) => name !== 'content-length' && !HOP_BY_HOP.has(name));
  return named.length === 0 ? HOP_BY_HOP : new Set([...HOP_BY_HOP, ...named]);
}

type HeaderPair = readonly [name: string, value: string];

export function pairsOf(raw: RawHeaders): HeaderPair[] {
  const pairs: HeaderPair[] = [];
  for (let at = 0; at < raw.length; at += 2) pairs.push([raw[at]!, raw[at + 1]!]);
  return pairs;
}
