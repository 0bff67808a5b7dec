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
      const { protocol, hostname, port, pathname, search } = new URL(url);
      const isSecure = protocol === 'https:';
      const text = String(body);
      const request = (isSecure ? https : http).request({
        hostname: hostname.replace(/^\[|\]$/g, ''),
        port: port || (isSecure ? 443 : 80),
        method: 'POST',
        path: `${pathname}${search}`,
        headers: {
          'user-agent': 'skein',
          ...(headers as Record<string, string>),
          'content-length': Buffer.byteLength(text),
        },
        agent: connections.agentFor(protocol),
      });
      request.on('error', (cause) => reject(new TypeError('fetch failed', { cause })));
      request.on('response', (incoming) => {
        connections.answered(request.socket, incoming);
        try {
          resolve(toResponse(incoming));
        } catch (error) {
          request.destroy();
          reject(error);
        }
      });
      signal?.addEventListener('abort', () => request.destroy(), { once: true });
      request.end(text);
    });
}

function toResponse(incoming: IncomingMessage): Response {
  const { statusCode = 502, rawHeaders } = incoming;
  const headers = new Headers([...toHeaderMap(rawHeaders)]);
  const reader = readIncoming(incoming, headers.get('content-encoding') ?? undefined);
  const isGood = statusCode >= 200 && statusCode < 300;
  const response = { status: statusCode, ok: isGood, headers, body: { getReader: () => reader } };
  return response as unknown as Response;
}

type BodyReader = Pick<ReadableStreamDefaultReader<Uint8Array>, 'read' | 'cancel'>;
type Piece = Awaited<ReturnType<BodyReader['read']>>;

/** Reads a body piece by piece. While nobody reads, the provider waits. */
function readIncoming(incoming: IncomingMessage, encoding: string | undefined): BodyReader {
  const pieces: Uint8Array[] = [];
  let end: { readonly error?: Error } | undefined;
  let waiting: { resolve(piece: Piece): void; reject(error: Error): void } | undefined;

  const push = (value: Uint8Array) => {
    if (waiting) {
      waiting.resolve({ done: false, value });
      waiting = undefined;
    } else {
      pieces.push(value);
      incoming.pause();
    }
  };
  const finish = (error?: Error) => {
    end ??= error ? { error } : {};
    if (!waiting) return;
    if (end.error) waiting.reject(end.error);
    else waiting.resolve({ done: true, value: undefined });
    waiting = undefined;
  };
  const fail = (cause: Error) => finish(new TypeError('terminated', { cause }));
  const decoder = createDecoder(encoding, push, fail);
  incoming.on('data', decoder ? decoder.push : push);
  incoming.on('end', decoder ? () => decoder.end(finish) : () => finish());
  incoming.on('error', fail);

  return {
    read: () =>
      new Promise((resolve, reject) => {
        const value = pieces.shift();
        if (value) return resolve({ done: false, value });
        if (end?.error) return reject(end.error);
        if (end) return resolve({ done: true, value: undefined });
        waiting = { resolve, reject };
        if (incoming.isPaused()) incoming.resume();
      }),
    async cancel() {
      incoming.destroy();
    },
  };
}
