import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { dialect, provider } from '@skein/core';
import { says } from '@skein/emulator';
import {
  createForest,
  type Forest,
  listExchanges,
  memoryStore,
  openForest,
  readRecorded,
  StoreError,
} from '@skein/forest';
import { describe, expect, onTestFinished, test } from 'vitest';
import { startWorld, type World } from './kit.ts';
import { recorded, wire } from './proxy-kit.ts';

const ask = (text: string, more: object = {}) =>
  JSON.stringify({ model: 'gpt-5.5', messages: [{ role: 'user', content: text }], ...more });
const PATH = '/proxy/openai/v1/chat/completions';

async function post(
  { server }: Pick<World, 'server'>,
  body: string,
  headers: Record<string, string> = {},
  path = PATH,
) {
  const got = await wire(`${server.url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: 'Bearer sk-client-0123', ...headers },
    body,
  });
  const text = got.bytes.toString();
  return { ...got, text, json: () => JSON.parse(text) };
}

describe('modes', () => {
  test('pass and skip keep nothing; a thread of the client is its thread', async () => {
    const world = await startWorld();
    await post(world, ask('a'), { 'x-skein-mode': 'pass' });
    await post(world, ask('b'), { 'x-skein-skip': '1' });
    await post(world, ask('c'), { 'x-skein-thread': 'mine' });
    await post(world, ask('d'), { 'x-skein-thread': 'mine' });
    const exchanges = await recorded(world.forest, 2);
    expect(new Set(exchanges.map(({ landing }) => landing!.thread)).size).toBe(1);
  });

  test('a replay without a recording says which is nearest, in the words of the provider', async () => {
    const world = await startWorld({ proxy: { mode: 'replay' } });
    await post(world, ask('How is Oslo?'), { 'x-skein-mode': 'record' });
    await recorded(world.forest, 1);
    const missed = await post(world, ask('How is Rome?'));
    expect(missed).toMatchObject({ status: 404 });
    expect(missed.json().error.message).toContain('they part at messages[0]');
    const asClaude = await post(world, '{"messages":[]}', {}, '/proxy/anthropic/v1/messages');
    expect(asClaude.json()).toMatchObject({ type: 'error', error: { type: 'not_found_error' } });
    expect(world.emulator.log).toHaveLength(1);
    const hit = await post(world, ` ${ask('How is Oslo?')}`);
    expect(hit.bytes.equals(world.emulator.log[0]!.served!.body)).toBe(true);
    expect(hit.rawHeaders).toContain('x-skein-replay');
  });

  test('a body that cannot be decoded is no fault of the server: it is refused, or goes on', async () => {
    const world = await startWorld({ proxy: { mode: 'replay' } });
    const refused = await post(world, 'no gzip', { 'content-encoding': 'gzip' });
    expect(refused.json()).toMatchObject({ status: 415, code: 'undecodable' });
    expect((await post(world, 'x', { 'content-encoding': 'snail' })).status).toBe(415);
    await post(world, 'no gzip', { 'content-encoding': 'gzip', 'x-skein-on-miss': 'pass' });
    expect(world.emulator.log).toHaveLength(1);
  });

  test('a miss goes on to the provider if asked, and is a hit from then on', async () => {
    const world = await startWorld({ proxy: { mode: 'replay', onMiss: 'pass' } });
    const first = await post(world, ask('Hi'));
    expect(first.status).toBe(200);
    await recorded(world.forest, 1);
    await world.emulator.close();
    expect((await post(world, ask('Hi'))).text).toBe(first.text);
    expect((await post(world, ask('Other'), { 'x-skein-on-miss': 'refuse' })).status).toBe(404);
  });

  test('what was cut is cut again, and who could not be reached cannot be reached again', async () => {
    const world = await startWorld();
    world.emulator.script('openai-chat', [says('Cut in the middle.', { break: { after: { events: 3 }, how: 'cut' } })]);
    const cut = await post(world, ask('Hi', { stream: true }));
    expect(cut.broken).toBe(true);
    await recorded(world.forest, 1);
    await world.emulator.close();
    const gone = await post(world, ask('Nobody there'));
    expect(gone.status).toBe(502);
    expect(gone.json()).toMatchObject({ error: { message: expect.stringContaining('openai') } });
    await recorded(world.forest, 2);
    const again = await post(world, ask('Hi', { stream: true }), { 'x-skein-mode': 'replay' });
    expect(again).toMatchObject({ broken: true, text: cut.text });
    expect((await post(world, ask('Nobody there'), { 'x-skein-mode': 'replay' })).status).toBe(502);
  });

  test('a header that means nothing is refused before anything is sent', async () => {
    const world = await startWorld();
    for (const headers of [
      { 'x-skein-mode': 'reply' },
      { 'x-skein-skip': 'maybe' },
      { 'x-skein-replay-timing': 'fast' },
      { 'x-skein-tags': 'a,'.repeat(60) },
    ] as Record<string, string>[])
      expect((await post(world, ask('Hi'), headers)).json()).toMatchObject({ status: 400, code: 'bad_header' });
    expect(world.emulator.log).toHaveLength(0);
  });

  test('an unknown name of a thread begins one of that name, and the id of a recorded thread leads to it', async () => {
    const world = await startWorld();
    await post(world, ask('a'));
    const [first] = await recorded(world.forest, 1);
    const { thread } = first!.landing!;
    await post(world, ask('b'), { 'x-skein-thread': thread! });
    await post(world, ask('c'), { 'x-skein-thread': 'nobody-knows-it' });
    const [, second, third] = await recorded(world.forest, 3);
    expect(second!.landing).toMatchObject({ thread, found: 'named' });
    expect(third!.landing).toMatchObject({ found: 'named', way: 'starts' });
    expect(await world.forest.threads.get(third!.landing!.thread!)).toMatchObject({ title: 'nobody-knows-it' });
  });

  test('the thread of another project begins one of that name here, and is not touched there', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'skein-projects-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const [there, here] = await Promise.all(
      ['there', 'here'].map(async (project) => {
        const forest = await openForest(folder, { project });
        onTestFinished(() => forest.close());
        return startWorld({ forest });
      }),
    );
    await post(there!, ask('a'));
    const [first] = await recorded(there!.forest, 1);
    const { thread } = first!.landing!;
    const before = await there!.forest.threads.get(thread!);
    expect(await post(here!, ask('b'), { 'x-skein-thread': thread! })).toMatchObject({ status: 200 });
    const [second] = await recorded(here!.forest, 1);
    expect(second!.landing).toMatchObject({ found: 'named', way: 'starts' });
    expect(second!.landing!.thread).not.toBe(thread);
    expect(await here!.forest.threads.get(second!.landing!.thread!)).toMatchObject({ title: thread });
    expect(await there!.forest.threads.get(thread!)).toEqual(before);
  });

  test('a name of a thread that cannot be used is ignored, and the exchange says so', async () => {
    const world = await startWorld();
    expect(await post(world, ask('Hi'), { 'x-skein-thread': 'x'.repeat(300) })).toMatchObject({ status: 200 });
    const [exchange] = await recorded(world.forest, 1);
    expect(exchange).toMatchObject({ landing: { found: 'new' }, notes: [expect.stringContaining('x-skein-thread')] });
  });
});

/** A forest whose store refuses everything while `isAway` is true. */
function fragileForest() {
  const store = memoryStore();
  const state = { isAway: true };
  const append: typeof store.append = (records) =>
    state.isAway ? Promise.reject(new StoreError('store_unreachable', 'The database is away.')) : store.append(records);
  const events: string[] = [];
  const log = { info: (event: string) => void events.push(event), error: (event: string) => void events.push(event) };
  return { forest: createForest({ ...store, append }), state, events, log };
}

test('a store that fails is not noticed by the client, shown elsewhere while it fails, and has everything afterwards', async () => {
  const { forest, state, events, log } = fragileForest();
  const world = await startWorld({ forest, log });
  const got = await post(world, ask('Hi', { stream: true }));
  expect(got).toMatchObject({ status: 200, broken: false });
  expect(got.text).toContain('[DONE]');
  await expect.poll(async () => (await world.api('GET', '/health')).body.status).toBe('degraded');
  expect((await world.api('GET', '/health')).body.problems).toEqual([
    'One recorded exchange waits for the store in memory: The database is away.',
  ]);
  const metrics = async () => (await fetch(`${world.server.url}/metrics`)).text();
  expect(await metrics()).toMatch(/skein_recordings_waiting 1\nskein_|skein_recordings_waiting 1$/m);
  expect(await metrics()).not.toContain('skein_recording_failures_total');
  state.isAway = false;
  await recorded(forest, 1);
  await expect.poll(async () => (await world.api('GET', '/health')).body.status).toBe('ok');
  expect(events).toEqual(['recordings-wait', 'recordings-wait-over']);
});

test('what waits in memory when the server is closed in an outage is reported as lost', async () => {
  const { forest, events, log } = fragileForest();
  const world = await startWorld({ forest, log });
  await post(world, ask('Hi'));
  await expect.poll(() => events).toContain('recordings-wait');
  await world.server.close();
  expect(events).toContain('recording-failed');
});

test('what waits in a folder when the server is closed in an outage is recorded by the next one', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'skein-waiting-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const { forest, state, events, log } = fragileForest();
  const world = await startWorld({ forest, log, waiting: { folder } });
  await post(world, ask('Hi'));
  await expect.poll(() => readdirSync(folder)).toHaveLength(1);
  const [name] = readdirSync(folder);
  expect(statSync(join(folder, name!)).mode & 0o777).toBe(0o600);
  expect(readFileSync(join(folder, name!), 'utf8')).not.toContain('sk-client-0123');
  await world.server.close();
  expect(events).not.toContain('recording-failed');
  state.isAway = false;
  // The next process has another name; this one is not alive any more.
  const next = createForest({ ...forest.store, writer: 'next', isAlive: async () => false });
  const after = await startWorld({ forest: next, waiting: { folder } });
  await recorded(after.forest, 1);
  await expect.poll(() => readdirSync(folder)).toEqual([]);
});

test('redaction before storing: the provider gets the exact text, the store does not', async () => {
  const { config } = await import('@skein/agents').then(({ loadConfig }) =>
    loadConfig({ cwd: '/', env: {}, home: '/nonexistent' }),
  );
  const redaction = { patterns: ['\\d{3}-\\d{4}'], fields: ['user'], beforeStoring: true };
  const world = await startWorld({ config: { ...config, redaction } });
  const body = ask('Call 555-1234', { user: 'u-17' });
  world.emulator.script('openai-chat', [says('I will call 555-1234.')]);
  const got = await post(world, body);
  expect(got.text).toContain('555-1234');
  expect(world.emulator.log[0]!.body.toString()).toBe(body);
  const [exchange] = await recorded(world.forest, 1);
  const kept = await textsOf(world.forest, exchange!.id);
  expect(kept).not.toMatch(/555-1234|u-17/);
  expect(kept).toContain('I will call [redacted].');
  expect((await post(world, body, { 'x-skein-mode': 'replay' })).text).toContain('I will call [redacted].');
});

test.each([
  ['bedrock', 'converse-stream', { messages: [{ role: 'user', content: [{ text: 'Call 555-1234' }] }] }],
  [
    'bedrock-invoke',
    'invoke-with-response-stream',
    {
      anthropic_version: 'bedrock-2023-05-31',
      max_tokens: 100,
      messages: [{ role: 'user', content: 'Call 555-1234' }],
    },
  ],
] as const)('redaction before storing leaves the frames of %s whole', async (name, operation, body) => {
  const { config } = await import('@skein/agents').then(({ loadConfig }) =>
    loadConfig({ cwd: '/', env: {}, home: '/nonexistent' }),
  );
  const redaction = { patterns: ['\\d{3}-\\d{4}'], fields: [], beforeStoring: true };
  const world = await startWorld({ config: { ...config, redaction } });
  const text = 'I will call 555-1234, “ü”.';
  for (const protocol of ['bedrock-converse', 'anthropic-messages'] as const)
    world.emulator.script(protocol, [says(text, { pieces: 50 })]);
  const ask = (headers: Record<string, string> = {}) =>
    fetch(`${world.server.url}/proxy/${name}/model/us.anthropic.claude-opus-4-8/${operation}`, {
      method: 'POST',
      headers: { authorization: 'Bearer k', 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    }).then(async (answer) => new Uint8Array(await answer.arrayBuffer()));
  const read = (bytes: Uint8Array) => {
    const { framing: own, dialect: spoken } = provider(name);
    const reader = dialect(spoken).readStream();
    const decoder = (own ?? dialect(spoken).framing!).split((event, data) => reader.push(event, data));
    decoder.push(bytes);
    decoder.end();
    return reader.finish();
  };
  expect(read(await ask()).message.text).toBe(text);
  const [exchange] = await recorded(world.forest, 1);
  const { message, stop } = read((await readRecorded(world.forest, exchange!.id))!.response);
  expect(message.text).toBe('I will call [redacted], “ü”.');
  expect([message.origin.cut, stop.reason]).toEqual([undefined, 'end']);
  expect(read(await ask({ 'x-skein-mode': 'replay' })).message.text).toBe(message.text);
  expect((await world.forest.threads.list()).items).toHaveLength(1);
});

async function textsOf(forest: Forest, id: string): Promise<string> {
  const { request, response } = (await readRecorded(forest, id))!;
  return `${Buffer.from(request!)}\n${Buffer.from(response)}`;
}

describe('keys and tokens', () => {
  const sentKey = ({ emulator }: World) => emulator.log.at(-1)?.headers.authorization;

  test('the key of the client goes on, and that of the server stays unless the operator allows it', async () => {
    const world = await startWorld();
    await post(world, ask('Hi'));
    expect(sentKey(world)).toBe('Bearer sk-client-0123');
    await post(world, ask('Hi'), { authorization: 'Bearer skein' });
    expect(sentKey(world)).toBeUndefined();
    const generous = await startWorld({ proxy: { useServerKeys: true } });
    await post(generous, ask('Hi'), { authorization: 'Bearer skein' });
    expect(sentKey(generous)).toBe('Bearer sk-emulator');
    await post(generous, ask('Hi'));
    expect(sentKey(generous)).toBe('Bearer sk-client-0123');
  });

  test('on a server with a token it is needed, and goes no further', async () => {
    const token = 'correct-horse-battery';
    const own = await startWorld({ token });
    expect((await post(own, ask('Hi'))).json()).toMatchObject({ status: 401, code: 'token_needed' });
    expect((await post(own, ask('Hi'), { authorization: `Bearer ${token}` })).status).toBe(401);
    expect((await post(own, ask('Hi'), { cookie: `skein_token=${token}` })).status).toBe(401);
    expect((await post(own, ask('Hi'), { 'x-skein-token': token })).status).toBe(200);
    expect(JSON.stringify(own.emulator.log)).not.toContain(token);

    const generous = await startWorld({ token, proxy: { useServerKeys: true } });
    expect((await post(generous, ask('Hi'))).status).toBe(401);
    expect((await post(generous, ask('Hi'), { authorization: `Bearer ${token}` })).status).toBe(200);
    expect(sentKey(generous)).toBe('Bearer sk-emulator');
    const google = await post(
      generous,
      '{"contents":[{"role":"user","parts":[{"text":"Hi"}]}]}',
      { authorization: '' },
      `/proxy/google/v1beta/models/gemini-2.5-flash:generateContent?alt=json&key=${token}`,
    );
    expect(google.status).toBe(200);
    expect(generous.emulator.log.at(-1)).toMatchObject({ headers: { 'x-goog-api-key': 'sk-emulator' } });
    expect(JSON.stringify(generous.emulator.log)).not.toContain(token);
  });
});

test('a server that is told to end lets a stream end, cuts what hangs, and keeps both', async () => {
  const world = await startWorld();
  world.emulator.script('openai-chat', [
    says('Never to be heard in full', { break: { after: { events: 2 }, how: 'hang' } }),
  ]);
  const hanging = post(world, ask('Hi', { stream: true }));
  await expect.poll(async () => (await fetch(`${world.server.url}/metrics`)).text()).toContain('skein_proxy_streams 1');
  await world.server.close();
  expect((await hanging).broken).toBe(true);
  const { items } = await listExchanges(world.forest);
  expect(items).toMatchObject([{ outcome: 'cut', landing: { state: 'landed' } }]);
});
