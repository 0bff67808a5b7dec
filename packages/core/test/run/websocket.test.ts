/** `transport: 'websocket'`: all requests of a run go over one connection. */
import { type Message, type RunOptions, SocketSession, user } from '@skein/core';
import { type Emulator, says } from '@skein/emulator';
import { describe, expect, test } from 'vitest';
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
  const slow = {
    ...weather,
    execute: () => {
      now += 2 * 60 * 60_000;
      return { celsius: 4 };
    },
  };
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

const read = (emulator: Emulator) => bodies(emulator).map((body) => JSON.parse(body));

test.each([true, false])(
  'a conversation goes on after its connection broke in the middle of a reply (serverState: %s)',
  async (serverState) => {
    const emulator = await start();
    const options = { ...base, serverState, messages: [user('Weather?')], retry: false as const };
    emulator.script('openai-responses', [
      CALL,
      { ...says('A long answer that never ends'), break: { after: { events: 6 }, how: 'cut' } },
    ]);
    const failed = await ask(emulator, responses, options).result.catch((error: unknown) => error);
    const { messages: kept } = failed as { messages: readonly Message[] };
    expect(kept.map(({ role }) => role)).toEqual(['assistant', 'tool', 'assistant']);
    const messages = [user('Weather?'), ...kept, user('Go on')];
    const { text, losses } = await ask(emulator, responses, { ...options, messages }).result;
    expect(text).toBe('Echo: Go on');
    // By the book: nothing is replayed, and the whole input is sent without a parent.
    expect(read(emulator).at(-1)).not.toHaveProperty('previous_response_id');
    expect(bodies(emulator).at(-1)).toContain('A long');
    expect(losses.every(({ reason }) => reason === 'cut')).toBe(true);
    expect(emulator.log.map(({ verdict }) => verdict.refusal)).toEqual(Array(3).fill(undefined));
  },
);

describe('a session', () => {
  test('is one connection for runs one after the other, which continue each other', async () => {
    const emulator = await start();
    const { sockets, openSocket } = counted();
    const session = new SocketSession({ openSocket });
    const options = { system: 'Be brief.', transport: session };
    const first = await ask(emulator, responses, { ...options, messages: [user('One')] }).result;
    const messages = [user('One'), ...first.messages, user('Two')];
    const second = await ask(emulator, responses, { ...options, messages, previous: first.manifest }).result;
    expect(second.text).toBe('Echo: Two');
    expect(inputs(emulator)).toEqual([1, 1]);
    expect(read(emulator).every(({ store }) => store === false)).toBe(true);
    expect(sockets).toHaveLength(1);
    expect(sockets[0]!.readyState).toBe(WebSocket.OPEN);
    session.close();
    await expect.poll(() => sockets[0]!.readyState).toBe(WebSocket.CLOSED);
  });

  test('has a lane for each run, and another connection beyond 33 of them', async () => {
    const emulator = await start();
    const { sockets, openSocket } = counted();
    const session = new SocketSession({ openSocket });
    const texts = Array.from({ length: 35 }, (_, index) => `Number ${index}`);
    const runs = texts.map((text) => ask(emulator, responses, { transport: session, messages: [user(text)] }).text);
    expect(await Promise.all(runs)).toEqual(texts.map((text) => `Echo: ${text}`));
    expect(sockets).toHaveLength(2);
    expect(emulator.log.map(({ verdict }) => verdict.refusal)).toEqual(Array(35).fill(undefined));
    session.close();
  });

  test('a run that forks from an older response gets the whole history, if nobody keeps it any more', async () => {
    const emulator = await start();
    const session = new SocketSession();
    const options = { transport: session };
    const first = await ask(emulator, responses, { ...options, messages: [user('One')] }).result;
    const next = (text: string) => [user('One'), ...first.messages, user(text)];
    const { manifest: previous } = first;
    expect(await ask(emulator, responses, { ...options, messages: next('A'), previous }).text).toBe('Echo: A');
    const forked = await ask(emulator, responses, { ...options, messages: next('B'), previous }).result;
    expect(forked.text).toBe('Echo: B');
    expect(forked.notices.map(({ code }) => code)).toEqual(['server-state']);
    session.close();
  });

  test('a response that a failure evicted is sent again with the whole history', async () => {
    const emulator = await start();
    const session = new SocketSession();
    const options = { transport: session };
    const first = await ask(emulator, responses, { ...options, messages: [user('One')] }).result;
    const messages = [user('One'), ...first.messages, user('Two')];
    const go = (extraBody = {}) =>
      ask(emulator, responses, { ...options, messages, extraBody, previous: first.manifest }).result;
    await expect(go({ nonsense: 1 })).rejects.toMatchObject({ code: 'invalid_request' });
    const second = await go();
    expect(second.text).toBe('Echo: Two');
    expect(second.notices.map(({ code }) => code)).toEqual(['server-state']);
    expect(inputs(emulator)).toEqual([1, 1, 1, 3]);
    expect(second.losses).toEqual([]);
    session.close();
  });

  test('a run that is stopped does not take the connection from the others', async () => {
    const emulator = await start({ sleep: () => new Promise<void>((resolve) => setImmediate(resolve)) });
    const { sockets, openSocket } = counted();
    const session = new SocketSession({ openSocket });
    emulator.script('openai-responses', [
      { ...says('A long answer', { pieces: 1 }), chunkDelay: 1 },
      { ...says('Another long answer', { pieces: 1 }), chunkDelay: 1 },
    ]);
    const [one, other] = ['One', 'Two'].map((text) =>
      ask(emulator, responses, { transport: session, messages: [user(text)] }),
    );
    for await (const event of one!) if (event.type === 'text') one!.stop();
    expect((await one!.result).stop.reason).toBe('aborted');
    expect(await other!.text).toMatch(/long answer$/);
    expect(await ask(emulator, responses, { transport: session, messages: [user('Three')] }).text).toBe('Echo: Three');
    expect(sockets).toHaveLength(1);
    session.close();
  });

  test('a run keeps its lane when the connection is too old, and another run gets its own', async () => {
    let now = 0;
    const emulator = await start({ now: () => now });
    const { sockets, openSocket } = counted();
    const session = new SocketSession({ openSocket });
    const ask3 = (text: string) => ask(emulator, responses, { transport: session, messages: [user(text)] }).text;
    const others: string[] = [];
    const slow = {
      ...weather,
      execute: async () => {
        now += 2 * 60 * 60_000;
        others.push(...(await Promise.all([ask3('One'), ask3('Two')])));
        return { celsius: 4 };
      },
    };
    emulator.script('openai-responses', [CALL]);
    const tools = [slow as unknown as typeof weather];
    const { text } = await ask(emulator, responses, { transport: session, tools, messages: [user('Weather?')] }).result;
    expect(text).toContain('Tool results');
    expect(others).toEqual(['Echo: One', 'Echo: Two']);
    expect(sockets).toHaveLength(2);
    session.close();
  });

  test('a warm-up generates nothing, and the next run continues it', async () => {
    const emulator = await start();
    const session = new SocketSession();
    const options = { transport: session, system: 'Be brief.', tools: [weather] };
    const warm = await ask(emulator, responses, { ...options, messages: [user('One')], warmUp: true }).result;
    expect(warm.messages).toEqual([]);
    const messages = [user('One'), user('Two')];
    const { text, notices } = await ask(emulator, responses, { ...options, messages, previous: warm.manifest }).result;
    expect(text).toBe('Echo: Two');
    expect(notices).toEqual([]);
    expect(inputs(emulator)).toEqual([1, 1]);
    expect(read(emulator)[1].previous_response_id).toBe(JSON.parse(warm.steps[0]!.envelope).id);
    session.close();
  });
});

test('a warm-up over HTTP prepares the cache; where there is none, it fails and says so', async () => {
  const emulator = await start();
  const warm = await ask(emulator, responses, { messages: [user('One')], warmUp: true, serverState: true }).result;
  expect(read(emulator)[0].prompt_cache_options).toEqual({ prewarm: true });
  expect(warm.messages).toEqual([]);
  const running = ask(emulator, anthropic, { messages: [user('One')], warmUp: true });
  await expect(running.result).rejects.toThrow('anthropic/claude-opus-5-5 has no request that only warms up');
});
