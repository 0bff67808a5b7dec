/** The pace of the gateway: nobody is sent more than it reads, and nothing goes on for a client that has left. */
import { once } from 'node:events';
import http, { type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { WebSocket } from 'ws';
import { startWorld } from './kit.ts';

const MB = 1024 * 1024;
/** More than the buffers of the system and of both connections hold together. */
const ANSWER = 32 * MB;
const PIECE = 32 * 1024;

const event = (value: { readonly type: string }) => `event: ${value.type}\ndata: ${JSON.stringify(value)}\n\n`;
const HEAD =
  event({
    type: 'message_start',
    message: { id: 'msg_1', type: 'message', role: 'assistant', model: 'm', content: [] },
  } as never) + event({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } } as never);
const PIECE_EVENT = event({
  type: 'content_block_delta',
  index: 0,
  delta: { type: 'text_delta', text: 'x'.repeat(PIECE) },
} as never);
const END =
  event({ type: 'content_block_stop', index: 0 } as never) +
  event({ type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 2 } } as never) +
  event({ type: 'message_stop' });

/** A provider that writes as fast as its connection takes it, and counts. */
async function startProvider(answer: (request: IncomingMessage, response: ServerResponse) => void) {
  const provider = http.createServer(answer).listen(0, '127.0.0.1');
  await new Promise((resolve) => provider.once('listening', resolve));
  onTestFinished(() => void provider.close());
  onTestFinished(() => provider.closeAllConnections());
  const url = `http://127.0.0.1:${(provider.address() as AddressInfo).port}`;
  return startWorld({ env: { ANTHROPIC_API_KEY: 'k', ANTHROPIC_BASE_URL: url } });
}

function fastProvider() {
  const state = { sent: 0, isLeft: false, isDone: false };
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    request.resume();
    const isClosed = once(response, 'close').then(() => {
      state.isLeft = !response.writableFinished;
    });
    response.setHeader('content-type', 'text/event-stream').write(HEAD);
    while (state.sent < ANSWER && !response.destroyed) {
      state.sent += PIECE;
      if (!response.write(PIECE_EVENT)) await Promise.race([once(response, 'drain'), isClosed]);
    }
    state.isDone = !response.destroyed;
    response.end(END);
  };
  return { state, answer };
}

const CHAT = { model: 'anthropic/claude-sonnet-4-5', stream: true, messages: [{ role: 'user', content: 'Hello' }] };

/** Sends a request whose answer is not read yet. */
function ask(url: string, body: object, path = '/gateway/openai/v1/chat/completions'): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json', 'x-skein-mode': 'pass' };
    const request = http.request(`${url}${path}`, { method: 'POST', headers, agent: false }, resolve);
    request.once('error', reject).end(JSON.stringify(body));
    onTestFinished(() => void request.destroy());
  });
}

/** Resolves when a count has stayed the same for many turns of all sockets. */
async function standsStill(count: () => number): Promise<number> {
  for (let last = -1, turns = 0; turns < 500; turns++) {
    if (count() !== last) turns = 0;
    last = count();
    await turn();
  }
  return count();
}

test('a provider has to wait for a client that does not read', async () => {
  const { state, answer } = fastProvider();
  const { server } = await startProvider(answer);
  const response = await ask(server.url, CHAT);
  await expect.poll(() => state.sent, { timeout: 90_000 }).toBeGreaterThan(MB);
  expect(await standsStill(() => state.sent)).toBeLessThan(ANSWER - 8 * MB);
  expect(state.isDone).toBe(false);
  let length = 0;
  for await (const bytes of response as AsyncIterable<Buffer>) length += bytes.length;
  expect(length).toBeGreaterThan(ANSWER);
  expect(state.isDone).toBe(true);
});

test('a provider is left when the client leaves, while it reads and while it does not', async () => {
  for (const reads of [true, false]) {
    const { state, answer } = fastProvider();
    const { server } = await startProvider(answer);
    const response = await ask(server.url, CHAT);
    if (reads) await new Promise((resolve) => response.once('data', resolve));
    else await expect.poll(() => state.sent, { timeout: 90_000 }).toBeGreaterThan(MB);
    response.destroy();
    await expect.poll(() => state.isLeft, { timeout: 90_000 }).toBe(true);
    expect(state.isDone).toBe(false);
  }
});

test('a provider has to wait for a client of a WebSocket that does not read', async () => {
  const { state, answer } = fastProvider();
  const { server } = await startProvider(answer);
  const socket = new WebSocket(`${server.url.replace('http', 'ws')}/gateway/openai/v1/responses`, {
    headers: { 'x-skein-mode': 'pass' },
    perMessageDeflate: false,
  });
  onTestFinished(() => socket.terminate());
  await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
  socket.send(JSON.stringify({ type: 'response.create', model: CHAT.model, input: 'Hello' }));
  socket.pause();
  await expect.poll(() => state.sent, { timeout: 90_000 }).toBeGreaterThan(MB);
  expect(await standsStill(() => state.sent)).toBeLessThan(ANSWER - 8 * MB);
  socket.terminate();
  await expect.poll(() => state.isLeft, { timeout: 90_000 }).toBe(true);
});

test('requests on a WebSocket wait only so far for their turn, and are given up when the client leaves', async () => {
  const asked: IncomingMessage[] = [];
  const { server } = await startProvider((request) => void asked.push(request.resume()));
  const socket = new WebSocket(`${server.url.replace('http', 'ws')}/gateway/openai/v1/responses`, {
    headers: { 'x-skein-mode': 'pass' },
    perMessageDeflate: false,
  });
  onTestFinished(() => socket.terminate());
  const refused: unknown[] = [];
  socket.on('message', (data) => refused.push(JSON.parse(String(data))));
  await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
  const frame = JSON.stringify({ type: 'response.create', model: CHAT.model, input: 'x'.repeat(6 * MB) });
  for (let count = 0; count < 3; count++) socket.send(frame);
  await expect.poll(() => refused.length, { timeout: 90_000 }).toBe(1);
  expect(refused).toEqual([expect.objectContaining({ type: 'error', status: 429 })]);
  await expect.poll(() => asked.length, { timeout: 90_000 }).toBe(1);
  socket.terminate();
  await expect.poll(() => asked[0]!.destroyed, { timeout: 90_000 }).toBe(true);
});

test('a body that is too long is refused in the form of the client', async () => {
  const { server } = await startProvider((request) => request.resume());
  const piece = Buffer.alloc(MB, 0x20);
  let sent = 0;
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    const request = http.request(
      `${server.url}/gateway/anthropic/v1/messages`,
      { method: 'POST', agent: false, headers: { 'content-type': 'application/json' } },
      resolve,
    );
    request.once('error', reject);
    onTestFinished(() => void request.destroy());
    const more = () => {
      while (sent < 512 && request.write(piece)) sent += 1;
    };
    request.on('drain', more);
    more();
  });
  expect(response.statusCode).toBe(413);
  let text = '';
  for await (const bytes of response) text += bytes;
  expect(JSON.parse(text)).toMatchObject({ type: 'error', error: { type: 'request_too_large' } });
  expect(sent).toBeLessThan(512);
});

test('a request is given up when the client leaves before its provider has read it', async () => {
  const asked: IncomingMessage[] = [];
  const { server } = await startProvider((request) => {
    request.pause();
    asked.push(request);
  });
  const input = { ...CHAT, messages: [{ role: 'user', content: 'x'.repeat(8 * MB) }] };
  const body = JSON.stringify(input);
  const request = http.request(`${server.url}/gateway/openai/v1/chat/completions`, {
    ...{ method: 'POST', agent: false },
    headers: { 'content-type': 'application/json', 'x-skein-mode': 'pass' },
  });
  request.on('error', () => undefined).end(body);
  await expect.poll(() => asked.length, { timeout: 90_000 }).toBe(1);
  const [got] = asked;
  const isLeft = new Promise((resolve) => got!.once('close', resolve));
  request.destroy();
  got!.resume();
  await isLeft;
  expect(got!.complete).toBe(false);
});
