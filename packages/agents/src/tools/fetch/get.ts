import { type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import type { LookupFunction } from 'node:net';
import type { Readable } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { addressesFor, type FetchRules } from './rules.ts';

export interface GetOptions extends FetchRules {
  readonly maxBytes: number;
  readonly signal: AbortSignal;
}

export interface Got {
  readonly url: string;
  readonly status: number;
  readonly mediaType: string;
  readonly body: Buffer;
  /** There is more than `maxBytes`. */
  readonly cut: boolean;
}

const MAX_REDIRECTS = 5;

/** Gets a URL. Every redirect is checked like the first address. */
export async function get(address: string, options: GetOptions): Promise<Got> {
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
  // The connection is made to what was checked, whatever the name stands for a moment later.
  const lookup = ((_host, wanted, done) => {
    const first = addresses[0]!;
    if (wanted.all) done(null, [...addresses]);
    else done(null, first.address, first.family);
  }) satisfies LookupFunction;
  const request = url.protocol === 'https:' ? requestHttps : requestHttp;
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

async function receive(url: URL, response: IncomingMessage, maxBytes: number): Promise<Got> {
  const pieces: Buffer[] = [];
  let length = 0;
  // Counted after unpacking: a short body can become a very long one.
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

/** Some servers pack although they were asked not to. */
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
