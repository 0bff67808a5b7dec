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

/** What goes on to the provider, with its own name as the host. `given` is the same for looking up. */
export function requestHeaders(
  raw: RawHeaders,
  given: ReadonlyMap<string, string>,
  host: string,
  without: ReadonlySet<string>,
): string[] {
  const dropped = droppedBy(given);
  const kept = ['Host', host];
  for (let at = 0; at < raw.length; at += 2) {
    const name = raw[at]!.toLowerCase();
    if (dropped.has(name) || without.has(name) || isOurs(name)) continue;
    const value = name === 'cookie' ? withoutOurs(raw[at + 1]!) : raw[at + 1]!;
    if (name !== 'cookie' || value !== '') kept.push(raw[at]!, value);
  }
  return kept;
}

function isOurs(name: string): boolean {
  return name === 'host' || name === 'expect' || name.startsWith('x-skein-');
}

function withoutOurs(cookies: string): string {
  const kept = cookies.split(/; */).filter((cookie) => !cookie.startsWith('skein_'));
  return kept.join('; ');
}

/**
 * What goes back to the client. The two last ones are ours: what a provider serves must not run as a page of this
 * server.
 */
export function responseHeaders(raw: RawHeaders, given: ReadonlyMap<string, string>): string[] {
  const dropped = droppedBy(given);
  const kept: string[] = [];
  for (let at = 0; at < raw.length; at += 2) {
    const name = raw[at]!.toLowerCase();
    if (!dropped.has(name) && !touchesOurCookies(name, raw[at + 1]!)) kept.push(raw[at]!, raw[at + 1]!);
  }
  return [...kept, ...SANDBOX];
}

/** A browser would keep them as this server's. One without a name is sent back as if its value had one. */
function touchesOurCookies(name: string, value: string): boolean {
  return name === 'clear-site-data' || (name === 'set-cookie' && /^[\s="]*skein_/i.test(value));
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
  for (let at = 0; at < raw.length; at += 2) {
    const name = raw[at]!.toLowerCase();
    const before = headers.get(name);
    headers.set(name, before === undefined ? raw[at + 1]! : `${before}, ${raw[at + 1]}`);
  }
  return headers;
}

/** Those of the list, and those that `Connection` names. */
function droppedBy(given: ReadonlyMap<string, string>): ReadonlySet<string> {
  const connection = given.get('connection')?.toLowerCase() ?? '';
  if (connection === '' || HOP_BY_HOP.has(connection) || connection === 'close') return HOP_BY_HOP;
  const named = connection.split(/\s*,\s*/).filter((name) => name !== 'content-length');
  return new Set([...HOP_BY_HOP, ...named]);
}
