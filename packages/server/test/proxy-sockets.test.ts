/** The Responses API over a WebSocket, through the proxy. */
import Anthropic from '@anthropic-ai/sdk';
import { says, startEmulator } from '@skein/emulator';
import { createForest, memoryStore, readRecorded } from '@skein/forest';
import { describe, expect, onTestFinished, test } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import { startWorld, type World } from './kit.ts';
import { KEYS, recorded } from './proxy-kit.ts';

interface Event {
  readonly type: string;
  readonly response?: { readonly id: string };
  readonly error?: { readonly code: string; readonly message: string };
}

/** As Codex connects: with its session and its thread in headers. */
async function connect(
  { server }: Pick<World, 'server'>,
  headers: Record<string, string> = {},
  perMessageDeflate = true,
) {
  const socket = new WebSocket(`${server.url.replace('http', 'ws')}/proxy/openai/v1/responses`, {
    headers: { authorization: `Bearer ${KEYS.openai}`, ...headers },
    perMessageDeflate,
  });
  onTestFinished(() => socket.terminate());
  const texts: string[] = [];
  const events: Event[] = [];
  socket.on('message', (data) => {
    texts.push(String(data));
    events.push(JSON.parse(String(data)) as Event);
  });
  await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
  const ask = async (frame: object) => {
    const ends = () => events.filter(({ type }) => /^(error|response\.(completed|incomplete|failed))$/.test(type));
    const before = ends().length;
    socket.send(JSON.stringify({ type: 'response.create', model: 'gpt-5.5', store: false, ...frame }));
    await expect.poll(() => ends().length).toBe(before + 1);
    return ends().at(-1)!;
  };
  return { socket, texts, events, ask };
}

const user = (text: string) => [{ type: 'message', role: 'user', content: text }];

describe('a WebSocket through the proxy', () => {
  test.each([true, false])('is recorded as one conversation, frame by frame (deflate: %s)', async (deflate) => {
    const world = await startWorld();
    const { ask, socket, texts } = await connect(world, { 'session-id': 's1', 'thread-id': 't1' }, deflate);
    expect(socket.extensions.includes('permessage-deflate')).toBe(deflate);
    const warm = await ask({ generate: false, instructions: 'Be brief.', input: user('Hi') });
    const first = await ask({ instructions: 'Be brief.', previous_response_id: warm.response!.id, input: [] });
    await ask({ instructions: 'Be brief.', previous_response_id: first.response!.id, input: user('And?') });
    const exchanges = await recorded(world.forest, 3);
    expect(new Set(exchanges.map(({ landing }) => landing!.thread)).size).toBe(1);
    const { head } = await world.forest.threads.get(exchanges[0]!.landing!.thread!);
    const words = (await world.forest.path(head)).map(({ message }) => message.text);
    // The warm-up is answered without output.
    expect(words).toEqual(['Be brief.', 'Hi', '', 'Echo: Hi', 'And?', 'Echo: And?']);
    const stored = await Promise.all(exchanges.map(({ id }) => readRecorded(world.forest, id)));
    const frames = stored
      .toSorted((a, b) => (a!.exchange.id < b!.exchange.id ? -1 : 1))
      .flatMap((one) =>
        [
          ...Buffer.from(one!.response)
            .toString()
            .matchAll(/^data: (.*)$/gm),
        ].map(([, data]) => data),
      );
    expect(frames).toEqual(texts);
    const last = await world.forest.request(head, { stateless: true });
    expect(JSON.parse(last.body)).toMatchObject({ model: 'gpt-5.5', instructions: 'Be brief.' });
    expect(JSON.parse(last.body)).not.toHaveProperty('type');
    expect(JSON.parse(last.body).input).toHaveLength(3);
    for (const one of stored) expect(Buffer.from(one!.response).toString()).not.toContain(KEYS.openai);
  });

  test('lanes side by side are conversations of their own', async () => {
    const world = await startWorld();
    const { socket, events } = await connect(world);
    for (const lane of ['a', 'b'])
      socket.send(
        JSON.stringify({ type: 'response.create', stream_id: lane, model: 'gpt-5.5', input: user(`Lane ${lane}`) }),
      );
    await expect.poll(() => events.filter(({ type }) => type === 'response.completed').length).toBe(2);
    const exchanges = await recorded(world.forest, 2);
    expect(new Set(exchanges.map(({ landing }) => landing!.thread)).size).toBe(2);
  });

  test('a refusal is an exchange without a node, and the connection goes on', async () => {
    const world = await startWorld();
    const { ask } = await connect(world);
    expect((await ask({ previous_response_id: 'resp_gone', input: user('Hi') })).error?.code).toBe(
      'previous_response_not_found',
    );
    expect((await ask({ input: user('Hi') })).type).toBe('response.completed');
    const exchanges = await recorded(world.forest, 2);
    expect(exchanges.map(({ outcome }) => outcome).sort()).toEqual(['done', 'refused']);
  });

  test('the message of a refusal is recorded and replayed as it came, with members that no other error has', async () => {
    const refusal = '{"type":"error", "status":429, "error":{"code":"usage_limit_reached"}, "headers":{"x-codex":"1"}}';
    const provider = new WebSocketServer({ port: 0 });
    onTestFinished(() => provider.close());
    provider.on('connection', (client) => client.on('message', () => client.send(refusal)));
    const { port } = provider.address() as { port: number };
    const forest = createForest(memoryStore());
    const env = { OPENAI_BASE_URL: `http://127.0.0.1:${port}/v1` };
    const limited = await startWorld({ forest, env });
    const { ask, texts } = await connect(limited);
    await ask({ input: user('Hi') });
    expect(texts).toEqual([refusal]);
    const [exchange] = await recorded(forest, 1);
    const stored = await readRecorded(forest, exchange!.id);
    expect([exchange!.status, Buffer.from(stored!.response).toString()]).toEqual([429, refusal]);
    const again = await connect(limited, { 'x-skein-mode': 'replay' });
    await again.ask({ input: user('Hi') });
    expect(again.texts).toEqual([refusal]);
  });

  test('a connection that is lost in the middle keeps what had come', async () => {
    const world = await startWorld();
    world.emulator.script('openai-responses', [
      { ...says('A long answer that never comes to its end'), break: { after: { events: 7 }, how: 'cut' } },
    ]);
    const { socket } = await connect(world);
    const closed = new Promise((resolve) => socket.once('close', resolve));
    socket.send(JSON.stringify({ type: 'response.create', model: 'gpt-5.5', input: user('Hi') }));
    await closed;
    const [exchange] = await recorded(world.forest, 1);
    expect(exchange!.outcome).toBe('cut');
    expect((await world.forest.node(exchange!.landing!.node!)).message.text).toMatch(/^A long/);
  });

  test('a response that follows a steered one is recorded behind it, with the input that was added', async () => {
    let open = () => {};
    const gate = new Promise<void>((resolve) => {
      open = resolve;
    });
    let pauses = 0;
    const emulator = await startEmulator({ seed: 'test', sleep: () => (++pauses < 4 ? Promise.resolve() : gate) });
    onTestFinished(() => emulator.close());
    const world = await startWorld({ env: emulator.env() });
    const long = says('A long answer that nobody wants.', { chunkDelay: 3, pieces: 4 });
    emulator.script('openai-responses', [long, says('Short.')]);
    const { socket, events } = await connect(world);
    const count = (type: string) => events.filter((event) => event.type === type).length;
    // The escape is not the usual spelling: both requests must have the same.
    socket.send(
      String.raw`{"type":"response.create","model":"gpt-5.5","store":false,"instructions":"Be \u0062rave.","input":"Hi"}`,
    );
    await expect.poll(() => count('response.created')).toBe(1);
    const { id } = events[0]!.response!;
    socket.send(JSON.stringify({ type: 'response.steer', previous_response_id: id, input: 'Be brief.' }));
    await expect.poll(() => count('response.steer.accepted')).toBe(1);
    open();
    await expect.poll(() => count('response.created')).toBe(2);
    const exchanges = await recorded(world.forest, 2);
    expect(new Set(exchanges.map(({ landing }) => landing!.thread)).size).toBe(1);
    const { head } = await world.forest.threads.get(exchanges[0]!.landing!.thread!);
    const words = (await world.forest.path(head)).map(({ message }) => message.text);
    expect(words).toEqual(['Be brave.', 'Hi', expect.stringContaining('A long answer'), 'Be brief.', 'Short.']);
  });

  test('is replayed from its recording', async () => {
    const world = await startWorld();
    const turns = async (headers: Record<string, string>) => {
      const { ask, texts } = await connect(world, headers);
      const first = await ask({ input: user('Hi') });
      await ask({ previous_response_id: first.response!.id, input: user('And?') });
      return texts;
    };
    const live = await turns({});
    await recorded(world.forest, 2);
    expect(await turns({ 'x-skein-mode': 'replay' })).toEqual(live);
    expect(world.emulator.log).toHaveLength(2);
    const { ask } = await connect(world, { 'x-skein-mode': 'replay' });
    expect((await ask({ input: user('Never asked') })).error?.message).toContain('No recording');
  });

  test('a provider that refuses the connection is heard', async () => {
    const world = await startWorld();
    const socket = new WebSocket(`${world.server.url.replace('http', 'ws')}/proxy/openai/v1/responses`);
    const status = await new Promise((resolve) => {
      socket.on('error', () => undefined);
      socket.once('unexpected-response', (_, { statusCode }) => resolve(statusCode));
    });
    expect(status).toBe(401);
  });
});

test("threads of Anthropic's SDK are one conversation, also after the API forgot them", async () => {
  const world = await startWorld();
  const client = new Anthropic({
    apiKey: KEYS.anthropic,
    baseURL: `${world.server.url}/proxy/anthropic`,
    maxRetries: 0,
  });
  const thread = client.beta.messages.thread({ model: 'claude-opus-5-5', max_tokens: 100, system: 'Be brief.' });
  await thread.send({ role: 'user', content: 'One' });
  await thread.send({ role: 'user', content: 'Two' });
  world.emulator.reset();
  await thread.send({ role: 'user', content: 'Three' });
  const exchanges = await recorded(world.forest, 4);
  const threads = new Set(exchanges.flatMap(({ landing }) => landing!.thread ?? []));
  expect(threads.size).toBe(1);
  const { head } = await world.forest.threads.get([...threads][0]!);
  const words = (await world.forest.path(head)).map(({ message }) => message.text);
  expect(words).toEqual(['Be brief.', 'One', 'Echo: One', 'Two', 'Echo: Two', 'Three', 'Echo: Three']);
});
