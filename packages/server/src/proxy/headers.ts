/** Headers as they stand on the wire: names and values in turn, in their order and spelling. */
export type RawHeaders = readonly string[];

/** They belong to one connection, not to the message. */
const HOP_BY_HOP = new Set([
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
  const dropped = droppedBy(raw);
  const isOurs = (name: string) =>
    name === 'host' || name === 'expect' || name.startsWith('x-skein-') || without.has(name);
  const kept = pairsOf(raw).flatMap(([name, value]) => {
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
  const dropped = droppedBy(raw);
  const kept = pairsOf(raw).filter(([name]) => !dropped.has(name.toLowerCase()));
  return [...kept.flat(), ...SANDBOX];
}

export const SANDBOX: RawHeaders = [
  'content-security-policy',
  "sandbox; default-src 'none'",
  'x-content-type-options',
  'nosniff',
];

/** The same for code that looks values up; a repeated name has all its values. */
export function headersOf(raw: RawHeaders): Headers {
  const headers = new Headers();
  for (const [name, value] of pairsOf(raw)) headers.append(name, value);
  return headers;
}

/** Those of the list, and those that `Connection` names. */
function droppedBy(raw: RawHeaders): ReadonlySet<string> {
  const named = pairsOf(raw)
    .filter(([name]) => name.toLowerCase() === 'connection')
    .flatMap(([, value]) => value.toLowerCase().split(/\s*,\s*/));
  return new Set([...HOP_BY_HOP, ...named.filter((name) => name !== 'content-length')]);
}

export function pairsOf(raw: RawHeaders): [name: string, value: string][] {
  return Array.from({ length: raw.length / 2 }, (_, index) => [raw[index * 2]!, raw[index * 2 + 1]!]);
}
