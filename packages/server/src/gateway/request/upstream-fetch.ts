import http, { type IncomingMessage } from 'node:http';
import https from 'node:https';
import type { Fetch } from '@skein/core';
import { createDecoder } from '../../proxy/decode.ts';
import type { Connections } from '../../proxy/forward.ts';
import { toHeaderMap } from '../../proxy/headers.ts';

/**
 * A `fetch` over the connections that the recording proxy keeps open. Its responses have what `exchange` reads: status,
 * headers, and a body that is read at the pace of its reader. The platform's own costs several times as much.
 */
export function createUpstreamFetch(connections: Connections): Fetch {
  return (url, { headers, body, signal }) =>
    new Promise((resolve, reject) => {
      const { protocol, host, hostname, port, path } = readPlace(url);
      const text = String(body);
      const all = { host, 'user-agent': 'skein', ...(headers as Record<string, string>) };
      // As a list, headers are written at once: Node keeps no map of them.
      const list = ['content-length', String(Buffer.byteLength(text))];
      for (const name in all) list.push(name, all[name as keyof typeof all]);
      const request = (protocol === 'https:' ? https : http).request({
        ...{ hostname, port, path },
        method: 'POST',
        headers: list as unknown as http.OutgoingHttpHeaders,
        agent: connections.agentFor(protocol),
      });
      request.on('error', (cause) => reject(new TypeError('fetch failed', { cause })));
      request.on('response', (incoming) => {
        const given = toHeaderMap(incoming.rawHeaders);
        connections.answered(request.socket, given);
        try {
          resolve(toResponse(incoming, given));
        } catch (error) {
          request.destroy();
          reject(error);
        }
      });
      signal?.addEventListener('abort', () => request.destroy(), { once: true });
      request.end(text);
    });
}

/** Where a request goes, in the words of `node:http`. */
interface Place {
  readonly protocol: string;
  readonly host: string;
  readonly hostname: string;
  readonly port: string | number;
  readonly path: string;
}

/** The models of some providers are in their addresses, and clients choose their names. */
const MOST_PLACES = 500;
const places = new Map<string, Place>();

function readPlace(url: string): Place {
  const known = places.get(url);
  if (known) return known;
  const { protocol, host, hostname, port, pathname, search } = new URL(url);
  const place = {
    ...{ protocol, host },
    hostname: hostname.replace(/^\[|\]$/g, ''),
    port: port || (protocol === 'https:' ? 443 : 80),
    path: `${pathname}${search}`,
  };
  if (places.size >= MOST_PLACES) places.clear();
  places.set(url, place);
  return place;
}

/** What is read of `Headers`. The platform's own checks every name and value again, and sorts them. */
function toHeaders(given: ReadonlyMap<string, string>): Pick<Headers, 'get' | typeof Symbol.iterator> {
  return {
    get: (name) => given.get(name.toLowerCase()) ?? null,
    [Symbol.iterator]: () => given.entries() as ReturnType<Headers['entries']>,
  };
}

function toResponse(incoming: IncomingMessage, given: ReadonlyMap<string, string>): Response {
  const { statusCode = 502 } = incoming;
  const headers = toHeaders(given);
  const reader = readIncoming(incoming, given.get('content-encoding'));
  const isGood = statusCode >= 200 && statusCode < 300;
  const response = { status: statusCode, ok: isGood, headers, body: { getReader: () => reader } };
  return response as unknown as Response;
}

type BodyReader = Pick<ReadableStreamDefaultReader<Uint8Array>, 'read' | 'cancel'>;
type Piece = Awaited<ReturnType<BodyReader['read']>>;

/** How many bytes wait for a reader before the provider has to wait as well. */
const MOST_WAITING = 64 * 1024;

/**
 * Reads a body in portions: what arrived since the last one is one portion, because each passes through a dozen promises. While
 * nobody reads, the provider waits.
 */
function readIncoming(incoming: IncomingMessage, encoding: string | undefined): BodyReader {
  let pieces: Uint8Array[] = [];
  let size = 0;
  let end: { readonly error?: Error } | undefined;
  let waiting: { resolve(piece: Piece): void; reject(error: Error): void } | undefined;

  const takeAll = (): Piece => {
    const value = pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces, size);
    pieces = [];
    size = 0;
    return { done: false, value };
  };
  const answer = () => {
    if (!waiting) return;
    if (pieces.length > 0) waiting.resolve(takeAll());
    else if (end?.error) waiting.reject(end.error);
    else if (end) waiting.resolve({ done: true, value: undefined });
    else return;
    waiting = undefined;
  };
  const push = (value: Uint8Array) => {
    // Node hands over the pieces of one read of the socket one by one, before anything that is queued here runs.
    if (waiting && pieces.length === 0) queueMicrotask(answer);
    pieces.push(value);
    size += value.length;
    if (size >= MOST_WAITING) incoming.pause();
  };
  const finish = (error?: Error) => {
    end ??= error ? { error } : {};
    answer();
  };
  const fail = (cause: Error) => finish(new TypeError('terminated', { cause }));
  const decoder = createDecoder(encoding, push, fail);
  incoming.on('data', decoder ? decoder.push : push);
  incoming.on('end', decoder ? () => decoder.end(finish) : () => finish());
  incoming.on('error', fail);

  return {
    read: () =>
      new Promise((resolve, reject) => {
        waiting = { resolve, reject };
        answer();
        if (incoming.isPaused()) incoming.resume();
      }),
    async cancel() {
      incoming.destroy();
    },
  };
}
