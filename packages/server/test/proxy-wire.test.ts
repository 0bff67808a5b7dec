import { createServer as createHttpServer, type IncomingMessage, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { says } from '@skein/emulator';
import { readRecorded } from '@skein/forest';
import { afterEach, describe, expect, test } from 'vitest';
import { startWorld } from './kit.ts';
import { KEYS, recorded, wire } from './proxy-kit.ts';

const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

/** A provider of our own making: whatever it is asked at, it does as told. */
async function startUpstream(listener: RequestListener) {
  const asked: { url: string; rawHeaders: string[]; body: Buffer }[] = [];
  const server = createHttpServer(async (request, response) => {
    asked.push({ url: request.url!, rawHeaders: request.rawHeaders, body: await bodyOf(request) });
    listener(request, response);
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  closing.push(() => server.close().closeAllConnections());
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { asked, env: { OLLAMA_BASE_URL: `${base}/v1` } };
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece as Buffer);
  return Buffer.concat(pieces);
}

const ANSWER = JSON.stringify({
  id: 'chatcmpl-1',
  object: 'chat.completion',
  model: 'm',
  choices: [{ index: 0, message: { role: 'assistant', content: 'Grüße ☃' }, finish_reason: 'stop' }],
});
const QUESTION = JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'Hallo' }] });
const CHAT = '/proxy/ollama/v1/chat/completions';
const json = { 'content-type': 'application/json' };

describe('bytes', () => {
  const bodies = {
    openai: ['/proxy/openai/v1/chat/completions', { model: 'gpt-5.5', messages: [{ role: 'user', content: 'Hi' }] }],
    anthropic: [
      '/proxy/anthropic/v1/messages',
      { model: 'claude-opus-5-5', max_tokens: 9, messages: [{ role: 'user', content: 'Hi' }] },
    ],
  } as const;
  for (const [name, [path, body]] of Object.entries(bodies))
    for (const stream of [false, true])
      test(`every byte and header of ${name} reaches the client (stream: ${stream})`, async () => {
        const { emulator, server } = await startWorld();
        const protocol = name === 'openai' ? 'openai-chat' : 'anthropic-messages';
        emulator.script(protocol, [
          says('Ein Gruß ☃ in Stücken', { chunkBytes: 7, headers: { 'X-Odd-Case': 'a, b' } }),
        ]);
        const text = ` ${JSON.stringify({ ...body, stream })}\n`;
        const auth = {
          authorization: 'Bearer k-12345678',
          'x-api-key': 'k-12345678',
          'anthropic-version': '2023-06-01',
        };
        const got = await wire(`${server.url}${path}`, { method: 'POST', headers: { ...json, ...auth }, body: text });
        await expect.poll(() => emulator.log[0]?.served).toBeDefined();
        const { served, body: received } = emulator.log[0]!;
        expect(received.toString()).toBe(text);
        expect(got.bytes.equals(served!.body)).toBe(true);
        for (const [header, value] of Object.entries(served!.headers)) {
          expect(got.rawHeaders).toContain(header);
          expect(got.rawHeaders).toContain(String(value));
        }
      });

  const encoders = { gzip: gzipSync, br: brotliCompressSync, deflate: deflateSync } as const;
  for (const [name, encode] of Object.entries(encoders))
    test(`${name} stays as it is for the client, and is recorded decoded, both ways`, async () => {
      const encoded = encode(ANSWER);
      const { asked, env } = await startUpstream((_, response) => {
        response.writeHead(200, 'Fine', { ...json, 'Content-Encoding': name });
        for (let at = 0; at < encoded.length; at += 10) response.write(encoded.subarray(at, at + 10));
        response.end();
      });
      const { forest, server } = await startWorld({ env });
      const sent = encode(QUESTION);
      const got = await wire(`${server.url}${CHAT}`, {
        method: 'POST',
        headers: { ...json, 'content-encoding': name, 'accept-encoding': name },
        body: sent,
      });
      expect(got).toMatchObject({ status: 200, statusMessage: 'Fine' });
      expect(got.bytes.equals(encoded)).toBe(true);
      expect(asked[0]!.body.equals(sent)).toBe(true);
      const [exchange] = await recorded(forest, 1);
      const kept = (await readRecorded(forest, exchange!.id))!;
      expect(Buffer.from(kept.request!).toString()).toBe(QUESTION);
      expect(Buffer.from(kept.response).toString()).toBe(ANSWER);
      expect(exchange!.landing).toMatchObject({ way: 'starts' });
    });

  test('what cannot be decoded passes, and is counted', async () => {
    const { env } = await startUpstream((request, response) => {
      response.writeHead(200, { ...json, 'content-encoding': request.headers['x-encoding'] as string });
      response.end('not what it says');
    });
    const { forest, server } = await startWorld({ env });
    for (const encoding of ['gzip', 'snail']) {
      const headers = { ...json, 'x-encoding': encoding };
      const got = await wire(`${server.url}${CHAT}`, { method: 'POST', headers, body: QUESTION });
      expect(got.bytes.toString()).toBe('not what it says');
    }
    const exchanges = await recorded(forest, 2);
    expect(exchanges.map(({ outcome }) => outcome)).toEqual(['cut', 'cut']);
    const metrics = await (await fetch(`${server.url}/metrics`)).text();
    expect(metrics).toContain('skein_undecodable_total{provider="ollama"} 2');
  });

  test('an event is there before the next one is sent', async () => {
    let goOn = () => {};
    const { env } = await startUpstream((_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write('data: {"a":1}\n\n');
      goOn = () => response.end('data: [DONE]\n\n');
    });
    const { server } = await startWorld({ env });
    const response = await fetch(`${server.url}${CHAT}`, { method: 'POST', headers: json, body: QUESTION });
    const reader = response.body!.getReader();
    expect(Buffer.from((await reader.read()).value!).toString()).toBe('data: {"a":1}\n\n');
    goOn();
    expect(Buffer.from((await reader.read()).value!).toString()).toBe('data: [DONE]\n\n');
  });

  test('a provider that breaks off breaks off for the client, too', async () => {
    const { env } = await startUpstream((_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write('data: {"a":1}\n\n', () => response.destroy());
    });
    const { forest, server } = await startWorld({ env });
    const got = await wire(`${server.url}${CHAT}`, { method: 'POST', headers: json, body: QUESTION });
    expect(got).toMatchObject({ broken: true });
    expect(got.bytes.toString()).toBe('data: {"a":1}\n\n');
    expect(await recorded(forest, 1)).toMatchObject([{ outcome: 'cut' }]);
  });
});

describe('headers', () => {
  test('they go on in their spelling, without what is ours or belongs to the connection', async () => {
    const { asked, env } = await startUpstream((_, response) => response.end('{}'));
    const { server } = await startWorld({ env });
    await wire(`${server.url}/proxy/ollama/v1/models?a=1&a=2`, {
      headers: {
        'X-Odd-CASE': 'yes',
        Connection: 'close, X-Private',
        'X-Private': 'no',
        TE: 'trailers',
        'x-skein-tags': 'a',
        'x-skein-thread': 't',
        cookie: 'skein_token=secret; other=1',
      },
    });
    const { rawHeaders, url } = asked[0]!;
    expect(url).toBe('/v1/models?a=1&a=2');
    expect(rawHeaders).toContain('X-Odd-CASE');
    const names = rawHeaders.filter((_, index) => index % 2 === 0).map((name) => name.toLowerCase());
    expect(names).not.toEqual(expect.arrayContaining(['x-private']));
    expect(names.filter((name) => name.startsWith('x-skein') || name === 'te')).toEqual([]);
    expect(rawHeaders[names.indexOf('cookie') * 2 + 1]).toBe('other=1');
    expect(rawHeaders[names.indexOf('host') * 2 + 1]).not.toBe(new URL(server.url).host);
  });

  test('a page that a provider serves cannot act as a page of this server', async () => {
    const { env } = await startUpstream((_, response) => {
      response.writeHead(200, { 'content-type': 'text/html', 'content-security-policy': 'script-src *' });
      response.end('<script>1</script>');
    });
    const { server } = await startWorld({ env });
    const response = await fetch(`${server.url}/proxy/ollama/v1/files/f/content`);
    expect(response.headers.get('content-security-policy')).toContain("sandbox; default-src 'none'");
  });

  test('a provider cannot set or clear the cookie of this server', async () => {
    const { env } = await startUpstream((_, response) => {
      response.writeHead(200, [
        ...['Set-Cookie', 'skein_token=stolen; Path=/', 'Set-Cookie', '=skein_token=stolen', 'Set-Cookie', 'own=1'],
        ...['Clear-Site-Data', '"cookies"', 'content-type', 'application/json'],
      ]);
      response.end('{}');
    });
    const { server } = await startWorld({ env });
    const { rawHeaders } = await wire(`${server.url}/proxy/ollama/v1/files/f/content`);
    expect(rawHeaders).toContain('own=1');
    expect(rawHeaders.join().toLowerCase()).not.toMatch(/skein_token|clear-site-data/);
  });

  test('the token of this server does not go on, however its parameter is spelt', async () => {
    const seen: string[] = [];
    const { env } = await startUpstream((request, response) => {
      seen.push(request.url!);
      response.end('{}');
    });
    const token = 'the-token-0123456789';
    const { server } = await startWorld({ env, token, proxy: { useServerKeys: true } });
    await wire(`${server.url}/proxy/ollama/v1/models?k%65y=${token}&a=1`);
    expect(seen).toEqual(['/v1/models?a=1']);
  });

  test('keys are in nothing that is kept, logged or shown', async () => {
    const { env } = await startUpstream((request, response) => {
      response.writeHead(401, { ...json, 'x-echo': request.url! });
      response.end(JSON.stringify({ error: { message: `Wrong key ${KEYS.google} at ${request.url}` } }));
    });
    const lines: string[] = [];
    const write = (...facts: unknown[]) => void lines.push(JSON.stringify(facts));
    const { api, forest, server } = await startWorld({ env, log: { info: write, error: write } });
    const headers = { ...json, authorization: `Bearer ${KEYS.openai}`, 'x-api-key': KEYS.anthropic };
    const url = `${server.url}${CHAT}?key=${KEYS.google}&alt=sse`;
    const got = await wire(url, { method: 'POST', headers, body: QUESTION });
    expect(got.bytes.toString()).toContain(KEYS.google);
    const [exchange] = await recorded(forest, 1);
    const kept = (await readRecorded(forest, exchange!.id))!;
    const all = [
      JSON.stringify(exchange),
      Buffer.from(kept.request!).toString(),
      Buffer.from(kept.response).toString(),
      ...lines,
      await (await fetch(`${server.url}/metrics`)).text(),
      JSON.stringify((await api('GET', '/health')).body),
    ].join('\n');
    for (const key of Object.values(KEYS)) expect(all).not.toContain(key);
    expect(all).toContain('[key removed]');
  });
});
