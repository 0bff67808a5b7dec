import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { openaiChatHome } from '../../dialects/openai-chat/provider.ts';
import { deliverExchange as exchange } from './deliver.ts';
import type { ExchangeOptions } from './exchange.ts';

/** The platform's own `fetch` against a server that behaves badly. Time limits here are short, and nothing sleeps. */
let server: Server | undefined;

afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});

async function listen(listener: RequestListener): Promise<ExchangeOptions> {
  const listening = createServer(listener);
  server = listening;
  await new Promise<void>((resolve) => listening.listen(0, '127.0.0.1', resolve));
  const { port } = listening.address() as AddressInfo;
  return {
    provider: openaiChatHome,
    model: 'm',
    body: '{"text":"ü"}',
    key: 'k',
    baseUrl: `http://127.0.0.1:${port}/v1`,
    retry: { baseMs: 0 },
  };
}

async function read(events: AsyncIterable<{ readonly data: string }>): Promise<string[]> {
  const seen: string[] = [];
  try {
    for await (const { data } of events) seen.push(data);
  } catch (error) {
    seen.push(`${(error as { code: string }).code}`);
  }
  return seen;
}

const SSE = { 'content-type': 'text/event-stream' };

describe('over a real connection', () => {
  it('the exact text goes out, and the exact text comes in, cut inside a character', async () => {
    const bytes = Buffer.from('{"reply":"grüße 😀","n":1.0}');
    const options = await listen((request, response) => {
      const pieces: Buffer[] = [];
      request.on('data', (piece: Buffer) => pieces.push(piece));
      request.on('end', () => {
        expect([request.url, Buffer.concat(pieces).toString()]).toEqual(['/v1/chat/completions', '{"text":"ü"}']);
        response.writeHead(200);
        response.write(bytes.subarray(0, 14));
        setImmediate(() => response.end(bytes.subarray(14)));
      });
    });
    expect((await exchange({ ...options, stream: false })).text).toBe(bytes.toString());
    const withBytes = <T>(use: (encoded: Uint8Array<ArrayBuffer>) => Promise<T>) =>
      use(new TextEncoder().encode(options.body));
    expect((await exchange({ ...options, withBytes, stream: false })).text).toBe(bytes.toString());
  });

  it('a connection that is cut before it answers is tried again', async () => {
    let requests = 0;
    const options = await listen((request, response) => {
      if (++requests < 3) request.socket.destroy();
      else response.end('{}');
    });
    expect(await exchange({ ...options, stream: false })).toMatchObject({ text: '{}', attempts: 3 });
  });

  it('a stream that is cut gives what had come, then an error', async () => {
    const options = await listen((_, response) => {
      response.writeHead(200, SSE).write('data: 1\n\ndata: 2\n\ndata: hal');
      setImmediate(() => response.destroy());
    });
    const { events } = await exchange({ ...options, stream: true });
    expect(await read(events)).toEqual(['1', '2', 'connection']);
  });

  it('a stream that falls silent gives what had come, then an error', async () => {
    const options = await listen((_, response) => {
      response.writeHead(200, SSE).write('data: 1\n\n');
    });
    const { events } = await exchange({ ...options, timeouts: { idleMs: 20 }, stream: true });
    expect(await read(events)).toEqual(['1', 'timeout']);
  });

  it('leaving a stream closes the connection', async () => {
    let closed: () => void;
    const closing = new Promise<void>((resolve) => {
      closed = resolve;
    });
    const options = await listen((_, response) => {
      response.on('close', () => closed());
      response.writeHead(200, SSE).write('data: 1\n\n');
    });
    const { events } = await exchange({ ...options, stream: true });
    for await (const _ of events) break;
    await closing;
  });

  it('aborting closes the connection', async () => {
    let closed: () => void;
    const closing = new Promise<void>((resolve) => {
      closed = resolve;
    });
    const controller = new AbortController();
    const options = await listen((_, response) => {
      response.on('close', () => closed());
      controller.abort();
    });
    await expect(exchange({ ...options, signal: controller.signal, stream: false })).rejects.toMatchObject({
      code: 'aborted',
    });
    await closing;
  });

  it('a redirect is not followed: the key would travel along', async () => {
    let requests = 0;
    const options = await listen((_, response) => {
      requests++;
      response.writeHead(307, { location: 'https://elsewhere.example/' }).end();
    });
    await expect(exchange({ ...options, stream: false })).rejects.toMatchObject({ status: 307 });
    expect(requests).toBe(1);
  });

  it('a redirect of a large body is not followed either, and the error still says where it leads', async () => {
    const paths: (string | undefined)[] = [];
    const options = await listen((request, response) => {
      paths.push(request.url);
      request.resume().on('end', () => response.writeHead(307, { location: 'https://elsewhere.example/' }).end());
    });
    const withBytes = <T>(use: (encoded: Uint8Array<ArrayBuffer>) => Promise<T>) => use(new Uint8Array(1_000_000));
    await expect(exchange({ ...options, withBytes, stream: false })).rejects.toMatchObject({
      status: 307,
      attempts: 1,
      message: expect.stringContaining('elsewhere.example'),
    });
    expect(new Set(paths)).toEqual(new Set(['/v1/chat/completions']));
  });

  it('a large body that a server wants over another connection is sent over another one', async () => {
    let requests = 0;
    const options = await listen((request, response) => {
      requests++;
      request.resume().on('end', () => response.writeHead(requests === 1 ? 421 : 200).end('{"ok":1}'));
    });
    const withBytes = <T>(use: (encoded: Uint8Array<ArrayBuffer>) => Promise<T>) => use(new Uint8Array(1_000_000));
    expect(await exchange({ ...options, withBytes, stream: false })).toMatchObject({ text: '{"ok":1}', attempts: 1 });
  });

  it('a broken connection under a large body is sent again, as that of a small one', async () => {
    let requests = 0;
    const options = await listen((request, response) => {
      requests++;
      if (requests < 3) return void request.socket.destroy();
      request.resume().on('end', () => response.end('{"ok":1}'));
    });
    const withBytes = <T>(use: (encoded: Uint8Array<ArrayBuffer>) => Promise<T>) => use(new Uint8Array(1_000_000));
    expect(await exchange({ ...options, withBytes, stream: false })).toMatchObject({ text: '{"ok":1}', attempts: 3 });
  });

  it('nobody there', async () => {
    const options = await listen(() => {});
    server?.close();
    await expect(exchange({ ...options, stream: false })).rejects.toMatchObject({ code: 'connection', attempts: 3 });
  });
});
