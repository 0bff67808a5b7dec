/** `transport: 'websocket'`: all requests of a run go over one connection. */
import { type RunOptions, user } from '@skein/core';
import { type Emulator, says } from '@skein/emulator';
import { expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { anthropic, ask, bodies, responses, start, weather } from './kit.ts';

const CALL = {
  blocks: [
    { type: 'thinking' as const, text: 'Let me look.' },
    { type: 'tool-use' as const, name: 'get_weather', input: { city: 'Oslo' } },
  ],
};
const base: Omit<RunOptions, 'model' | 'messages'> = { tools: [weather], transport: 'websocket', system: 'Be brief.' };
const inputs = (emulator: Emulator): number[] => bodies(emulator).map((body) => JSON.parse(body).input.length);

/** Opens connections as the default does, and keeps them. */
function counted() {
  const sockets: WebSocket[] = [];
  const openSocket: NonNullable<RunOptions['openSocket']> = async (url, headers, { onMessage, onClose }) => {
    const socket = new WebSocket(url, { headers: { ...headers } });
    sockets.push(socket);
    socket.on('message', (data) => onMessage(String(data)));
    socket.on('close', () => onClose(''));
    await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
    return { send: (text) => socket.send(text), close: () => socket.close() };
  };
  return { sockets, openSocket };
}

test('a loop uses one connection, sends only what is new, and stores nothing', async () => {
  const emulator = await start();
  const { sockets, openSocket } = counted();
  emulator.script('openai-responses', [CALL, CALL, says('Warm.')]);
  const result = await ask(emulator, responses, { ...base, openSocket, messages: [user('Weather?')] }).result;
  expect(result.text).toBe('Warm.');
  expect(emulator.log.map(({ method, verdict }) => [method, verdict.refusal])).toEqual(
    Array(3).fill(['WEBSOCKET', undefined]),
  );
  expect(inputs(emulator)).toEqual([1, 1, 1]);
  expect(bodies(emulator).every((body) => JSON.parse(body).store === false)).toBe(true);
  expect(sockets).toHaveLength(1);
  await expect.poll(() => sockets[0]!.readyState).toBe(WebSocket.CLOSED);
});

test('the default opens the connection with the package ws', async () => {
  const emulator = await start();
  expect(await ask(emulator, responses, { ...base, messages: [user('Hello')] }).text).toBe('Echo: Hello');
});

test('a lost connection is opened again, and the whole history is sent', async () => {
  const emulator = await start();
  const { sockets, openSocket } = counted();
  emulator.script('openai-responses', [
    CALL,
    { ...says('Lost'), break: { after: 'request', how: 'cut' } },
    says('Warm.'),
  ]);
  const result = await ask(emulator, responses, { ...base, openSocket, messages: [user('Weather?')] }).result;
  expect(result.text).toBe('Warm.');
  expect(sockets).toHaveLength(2);
  expect(result.notices.map(({ code }) => code)).toEqual(['server-state']);
  expect(inputs(emulator).at(-1)).toBeGreaterThan(1);
});

test('a connection that breaks in the middle of a reply leaves what had come', async () => {
  const emulator = await start();
  emulator.script('openai-responses', [
    { ...says('A long answer that never ends'), break: { after: { events: 6 }, how: 'cut' } },
  ]);
  const running = ask(emulator, responses, { ...base, messages: [user('Hello')], retry: false });
  const failed = await running.result.catch((error: unknown) => error as { messages: { text: string }[] });
  expect((failed as { messages: { text: string }[] }).messages[0]!.text).toMatch(/^A long/);
});

test('a connection that is too old is replaced without a word', async () => {
  let now = 0;
  const emulator = await start({ now: () => now });
  const { sockets, openSocket } = counted();
  const slow = { ...weather, execute: () => ({ celsius: (now += 2 * 60 * 60_000) }) };
  emulator.script('openai-responses', [CALL, says('Warm.')]);
  const tools = [slow as typeof weather];
  const options = { ...base, tools, openSocket, serverState: true, messages: [user('Weather?')] };
  const result = await ask(emulator, responses, options).result;
  expect(result.text).toBe('Warm.');
  expect(sockets).toHaveLength(2);
  expect(result.notices).toEqual([]);
  expect(inputs(emulator)).toEqual([1, 1]);
});

test('a refusal is an error with its code, and an abort closes the connection', async () => {
  const emulator = await start();
  const wrong = ask(emulator, responses, { ...base, messages: [user('Hi')], extraBody: { nonsense: 1 } });
  await expect(wrong.result).rejects.toMatchObject({ code: 'invalid_request', status: 400 });
  const { sockets, openSocket } = counted();
  emulator.script('openai-responses', [{ ...says('Never', { pieces: 1 }), chunkDelay: 1 }]);
  const running = ask(emulator, responses, { ...base, openSocket, messages: [user('Hi')] });
  for await (const event of running) if (event.type === 'text') running.stop();
  await expect.poll(() => sockets[0]!.readyState).toBe(WebSocket.CLOSED);
});

test('a protocol without WebSockets says so', async () => {
  const emulator = await start();
  const running = ask(emulator, anthropic, { ...base, messages: [user('Hi')] });
  await expect(running.result).rejects.toThrow('anthropic/claude-opus-5-5 is not spoken over a WebSocket');
});
