import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setImmediate as nextTurn, setTimeout as wait } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { afterEach, expect, it } from 'vitest';
import { createUpstreamConnections } from './upstream-fetch.ts';

const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

async function serve(answer: RequestListener): Promise<string> {
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closing.push(() => {
    server.close();
    server.closeAllConnections();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1?a=b`;
}

function upstreamFetch() {
  const { fetch, close } = createUpstreamConnections();
  closing.push(close);
  return fetch;
}

const init = { method: 'POST', headers: { 'x-one': '1' }, body: 'é' };

async function readAll(response: Response): Promise<string> {
  const reader = response.body!.getReader();
  const pieces: Uint8Array[] = [];
  for (let piece = await reader.read(); !piece.done; piece = await reader.read()) pieces.push(piece.value);
  return Buffer.concat(pieces).toString();
}

it('sends the body with its length and reads the answer, over one connection', async () => {
  const seen: unknown[] = [];
  const url = await serve(async (request, response) => {
    let body = '';
    for await (const piece of request) body += piece;
    const { 'x-one': one, 'content-length': length } = request.headers;
    seen.push([request.method, request.url, one, length, body, request.socket.remotePort]);
    response.writeHead(418, { 'x-two': '2' }).end('tea');
  });
  const fetch = upstreamFetch();
  for (let count = 0; count < 2; count++) {
    const response = await fetch(url, init);
    expect([response.status, response.ok, response.headers.get('X-Two')]).toEqual([418, false, '2']);
    expect(await readAll(response)).toBe('tea');
    // A connection is used again from the next turn of the event loop on: a server may close it right behind its answer.
    await nextTurn();
  }
  expect(seen[0]).toEqual(['POST', '/v1?a=b', '1', '2', 'é', expect.any(Number)]);
  expect(seen[1]).toEqual(seen[0]);
});

it('decodes a body that came compressed, though it did not ask for it', async () => {
  const url = await serve((_, response) => {
    response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync('plain'));
  });
  expect(await readAll(await upstreamFetch()(url, init))).toBe('plain');
});

it('pieces that arrived together are read together, in their order', async () => {
  const pieces = Array.from({ length: 100 }, (_, at) => `${at},`);
  const url = await serve((_, response) => {
    response.cork();
    for (const piece of pieces) response.write(piece);
    response.uncork();
    response.end('end');
  });
  const reader = (await upstreamFetch()(url, init)).body!.getReader();
  const read: string[] = [];
  for (let piece = await reader.read(); !piece.done; piece = await reader.read())
    read.push(Buffer.from(piece.value).toString());
  expect(read.join('')).toBe(`${pieces.join('')}end`);
  expect(read.length).toBeLessThan(pieces.length);
});

it('a body that nobody reads makes the provider wait', async () => {
  const piece = Buffer.alloc(2 ** 16, 'x');
  let sent = 0;
  const url = await serve(async (_, response) => {
    for (; sent < 1000 && !response.destroyed; sent++)
      if (!response.write(piece)) await new Promise((resolve) => response.once('drain', resolve));
    response.end();
  });
  const response = await upstreamFetch()(url, init);
  await wait(100);
  expect(sent).toBeLessThan(1000);
  expect(await readAll(response)).toHaveLength(1000 * piece.length);
});

it('a connection that breaks, and one that cannot be made, reject with their cause', async () => {
  const url = await serve((_, response) => {
    response.write('half', () => response.destroy());
  });
  const fetch = upstreamFetch();
  await expect(fetch(url, init).then(readAll)).rejects.toMatchObject({ cause: { code: 'UND_ERR_SOCKET' } });
  await expect(fetch('http://127.0.0.1:1/', init)).rejects.toMatchObject({ cause: { code: 'ECONNREFUSED' } });
});

it('an abort and a reader that cancels end the request at the provider', async () => {
  let ended = 0;
  const url = await serve((_, response) => {
    response.write('first');
    response.once('close', () => {
      ended += 1;
    });
  });
  const fetch = upstreamFetch();
  const leaving = new AbortController();
  const aborted = await fetch(url, { ...init, signal: leaving.signal });
  const reader = aborted.body!.getReader();
  await reader.read();
  leaving.abort();
  await expect(reader.read()).rejects.toThrow('terminated');
  await (await fetch(url, init)).body!.getReader().cancel();
  await expect.poll(() => ended).toBe(2);
});
