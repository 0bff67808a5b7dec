import type { LookupAddress } from 'node:dns';
import { lookup } from 'node:dns/promises';
import type { IncomingMessage } from 'node:http';
import { BlockList, isIP, isIPv4, type LookupFunction } from 'node:net';
import type { Readable } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { SkeinError, type Tool, type ToolOutput, tool } from '@skein/core';

/** The limits of `fetch_url`: hosts, bytes and time. */
export interface FetchToolOptions extends FetchRules {
  readonly maxBytes?: number;
  readonly seconds?: number;
}

/**
 * The tool `fetch_url`, which gets public addresses. Private addresses are refused, also behind a name or a redirect.
 *
 * @example
 * await run({ model, messages, tools: [fetchTool({ hosts: ['example.com'] })] }).result;
 */
export function fetchTool({ maxBytes = 1_000_000, seconds = 20, ...rules }: FetchToolOptions = {}): Tool {
  return tool({
    name: 'fetch_url',
    description: 'Gets what is at a public web address, as text or as an image.',
    input: {
      type: 'object',
      properties: { url: { type: 'string', description: 'An http or https address' } },
      required: ['url'],
      additionalProperties: false,
    },
    execute: async ({ url }, { signal }) =>
      shown(await fetchPublic(String(url), { ...rules, maxBytes, seconds, signal })),
  }) as Tool;
}

/**
 * Gets what is at a public address. Private addresses are refused, also behind a name or a redirect.
 *
 * @example
 * const { mediaType, body } = await fetchPublic('https://example.com/picture.png');
 */
export async function fetchPublic(
  url: string,
  options: FetchToolOptions & { readonly signal?: AbortSignal } = {},
): Promise<FetchResult> {
  const { maxBytes = 1_000_000, seconds = 20, signal = new AbortController().signal, ...rules } = options;
  return within(seconds, signal, (limited) => get(url, { ...rules, maxBytes, signal: limited }));
}

/** Replaces `AbortSignal.timeout`: a signal that only `AbortSignal.any` refers to is garbage-collected and never fires. */
async function within<T>(seconds: number, signal: AbortSignal, work: (limited: AbortSignal) => Promise<T>): Promise<T> {
  const limit = new AbortController();
  const giveUp = () => limit.abort(signal.reason);
  const timer = setTimeout(
    () => limit.abort(new Error(`There was no whole answer after ${seconds} seconds.`)),
    seconds * 1000,
  );
  signal.addEventListener('abort', giveUp, { once: true });
  if (signal.aborted) giveUp();
  try {
    return await work(limit.signal);
  } catch (error) {
    throw limit.signal.aborted ? limit.signal.reason : error;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', giveUp);
  }
}

function shown({ url, status, mediaType, body, cut }: FetchResult): ToolOutput {
  const head = `${url} answered ${status}, ${mediaType}${cut ? ', cut because it is too long' : ''}`;
  if (/^image\/(png|jpeg|gif|webp)$/.test(mediaType) && !cut) {
    const data = body.toString('base64');
    return [
      { type: 'text', text: head },
      { type: 'media', mediaType, source: { kind: 'base64', data } },
    ];
  }
  if (!/^text\/|[/+](json|xml|yaml|javascript)$/.test(mediaType)) throw new Error(`${head}: this is not text.`);
  return `${head}:\n\n${body.toString('utf8')}`;
}

interface GetOptions extends FetchRules {
  readonly maxBytes: number;
  readonly signal: AbortSignal;
}

/** What `fetchPublic` got. */
export interface FetchResult {
  readonly url: string;
  readonly status: number;
  readonly mediaType: string;
  readonly body: Buffer;
  /** Whether the body is longer than `maxBytes`. */
  readonly cut: boolean;
}

const MAX_REDIRECTS = 5;

/** Gets a URL. Every redirect is checked like the first address. */
async function get(address: string, options: GetOptions): Promise<FetchResult> {
  if (!URL.canParse(address)) throw new TypeError('This is not an address. Give one such as "https://example.com/".');
  let url = new URL(address);
  for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
    const response = await ask(url, options);
    const status = response.statusCode ?? 0;
    const { location } = response.headers;
    if (status < 300 || status > 399 || location === undefined) return receive(url, response, options.maxBytes);
    response.destroy();
    if (!URL.canParse(location, url.href)) throw new Error(`${url.origin} redirects to something that is no address.`);
    url = new URL(location, url);
  }
  throw new Error(`There were more than ${MAX_REDIRECTS} redirects.`);
}

async function ask(url: URL, options: GetOptions): Promise<IncomingMessage> {
  const addresses = await addressesFor(url, options);
  // Connects to the checked address, even if the name resolves to another one by now.
  const lookup = ((_host, wanted, done) => {
    const first = addresses[0]!;
    if (wanted.all) done(null, [...addresses]);
    else done(null, first.address, first.family);
  }) satisfies LookupFunction;
  // Newer versions of Node take as long to load these as to start.
  const { request } = await (url.protocol === 'https:' ? import('node:https') : import('node:http'));
  return new Promise((resolve, reject) => {
    const headers = {
      accept: 'text/*, application/json, image/*;q=0.5, */*;q=0.1',
      'user-agent': 'skein',
      'accept-encoding': 'identity',
    };
    const asked = request(url, { headers, lookup, signal: options.signal, agent: false }, resolve);
    asked.on('error', reject);
    asked.end();
  });
}

async function receive(url: URL, response: IncomingMessage, maxBytes: number): Promise<FetchResult> {
  const pieces: Buffer[] = [];
  let length = 0;
  // Counted after decompression: a short body can become very long.
  for await (const piece of unpacked(response) as AsyncIterable<Buffer>) {
    pieces.push(piece);
    length += piece.length;
    if (length > maxBytes) break;
  }
  response.destroy();
  const { origin, pathname, search } = url;
  const mediaType = (response.headers['content-type'] ?? 'application/octet-stream')
    .split(';')[0]!
    .trim()
    .toLowerCase();
  return {
    url: `${origin}${pathname}${search}`,
    status: response.statusCode ?? 0,
    mediaType,
    body: Buffer.concat(pieces).subarray(0, maxBytes),
    cut: length > maxBytes,
  };
}

/** Some servers compress although they were asked not to. */
function unpacked(response: IncomingMessage): Readable {
  const coding = response.headers['content-encoding']?.toLowerCase() ?? 'identity';
  const unpack = UNPACK[coding];
  if (coding === 'identity') return response;
  if (!unpack) throw new Error(`The body is packed in a way that is not known here (${coding}).`);
  const unpacking = unpack();
  response.on('error', (error) => unpacking.destroy(error));
  return response.pipe(unpacking);
}

const UNPACK: Readonly<Record<string, () => ReturnType<typeof createGunzip>>> = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
};

interface FetchRules {
  /** The allowed hosts; undefined allows all public hosts. */
  readonly hosts?: readonly string[] | undefined;
  /** Private addresses that are allowed, as `host:port`. */
  readonly privateHosts?: readonly string[] | undefined;
  /** Resolves a name to addresses; for tests. */
  readonly resolve?: (host: string) => Promise<readonly LookupAddress[]>;
}

/** An address is not allowed. */
class AddressRefusedError extends SkeinError {
  override readonly name = 'AddressRefusedError';
  readonly code = 'address_refused';

  constructor(url: URL, why: string) {
    super(`${url.origin} is not fetched: ${why}.`);
  }
}

/** The allowed addresses of a URL. The connection must use them: a second look-up could return others. */
async function addressesFor(url: URL, rules: FetchRules): Promise<readonly LookupAddress[]> {
  const { hosts, privateHosts = [], resolve = (host) => lookup(host, { all: true, verbatim: true }) } = rules;
  if (!/^https?:$/.test(url.protocol)) throw new AddressRefusedError(url, 'only http and https are');
  if (url.username || url.password) throw new AddressRefusedError(url, 'it holds a name or a password');
  const host = url.hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
  const isPrivateAllowed = privateHosts.includes(`${host}:${portOf(url)}`);
  if (hosts && !hosts.includes(host) && !isPrivateAllowed)
    throw new AddressRefusedError(url, `the only hosts that are: ${hosts.join(', ')}`);
  const family = isIP(host);
  const addresses = family === 0 ? await resolve(host) : [{ address: host, family }];
  if (addresses.length === 0) throw new AddressRefusedError(url, 'its name has no address');
  // A private address among public ones is an attack or a mistake.
  if (!isPrivateAllowed && !addresses.every(({ address }) => isPublicAddress(address)))
    throw new AddressRefusedError(url, 'its address is not public');
  return addresses;
}

function portOf(url: URL): string {
  return url.port || (url.protocol === 'https:' ? '443' : '80');
}

/** IPv4 ranges that are not public: loopback, private, link-local (cloud metadata), shared, documentation, multicast … */
const NOT_PUBLIC_V4 = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
] as const;

/** Only 2000::/3 of IPv6 is public, except for these ranges, some of which contain an IPv4 address. */
const NOT_PUBLIC_V6 = ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20'] as const;

const blocked = listOf(NOT_PUBLIC_V4, 'ipv4');
const blockedV6 = listOf(NOT_PUBLIC_V6, 'ipv6');
const publicV6 = listOf(['2000::/3'], 'ipv6');

/** Whether a text is a public address. */
function isPublicAddress(address: string): boolean {
  if (isIP(address) === 0) return false;
  if (isIPv4(address)) return !blocked.check(address, 'ipv4');
  return publicV6.check(address, 'ipv6') && !blockedV6.check(address, 'ipv6');
}

function listOf(ranges: readonly string[], family: 'ipv4' | 'ipv6'): BlockList {
  const list = new BlockList();
  for (const range of ranges) {
    const [network, prefix] = range.split('/') as [string, string];
    list.addSubnet(network, Number(prefix), family);
  }
  return list;
}
