/** The samples of core's pages, run against the emulator. */

import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { trace } from '@opentelemetry/api';
import {
  anthropicMessages,
  assistant,
  Chat,
  type Checkpoint,
  type Conversation,
  decodeSse,
  dialect,
  firstOf,
  isRunError,
  keepLast,
  llm,
  MessageList,
  openaiChat,
  pendingCalls,
  type Reply,
  type RunOptions,
  run,
  SocketSession,
  type StandardSchema,
  samples,
  summarise,
  system,
  tool,
  user,
  writeRequest,
} from '@skein/core';
import { readBlocks, serving } from '@skein/core/dialect';
import * as files from '@skein/core/node';
import { otelObserver } from '@skein/core/otel';
import { costOf, modelInfoWithLimits } from '@skein/core/prices';
import { dialectConformance } from '@skein/core/testing';
import { type Emulator, says } from '@skein/emulator';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { start } from './run/kit.ts';

const PAGES = [
  'docs/dialects',
  'docs/chat',
  'docs/builder',
  'docs/message-lists',
  'docs/running',
  'docs/tools',
  'docs/compaction',
];

/** Without imports, comments, and all that a formatter changes. */
const plain = (code: string): string =>
  code
    .replace(/^import .*$|^export /gm, '')
    .replace(/(^|\s)\/\/.*$/gm, '')
    .replace(/\s+/g, '')
    .replace(/,(?=[)\]}])/g, '');

test.each(PAGES)('every sample of %s.md is run here', async (page) => {
  const text = await readFile(new URL(`../../../${page}.md`, import.meta.url), 'utf8');
  const source = plain(await readFile(fileURLToPath(import.meta.url), 'utf8'));
  const found = [...text.matchAll(/```ts\n(.*?)```/gs)].map(([, code = '']) => code);
  expect(found.length).toBeGreaterThan(0);
  expect(found.filter((code) => !source.includes(plain(code)))).toEqual([]);
});

let emulator: Emulator;

beforeEach(async () => {
  emulator = await start();
  for (const [name, value] of Object.entries(emulator.env())) vi.stubEnv(name, value);
  vi.spyOn(console, 'log').mockImplementation(() => {});
  vi.spyOn(process.stdout, 'write').mockImplementation(() => true);
});

afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

const model = 'anthropic/claude-sonnet-5';
const messages = [user('Hello')];
const call = { type: 'tool-use', name: 'get_weather', input: { city: 'Oslo' } } as const;
const fetchWeather = async (city: string, _: { signal: AbortSignal }) => ({ city, celsius: 4 });

/** As far as the pages need it. */
const z = {
  string: () => ({ type: 'string' }),
  number: () => ({ type: 'number' }),
  object: (properties: Record<string, object>): StandardSchema<{ city: string; people: number }> => ({
    '~standard': {
      version: 1,
      vendor: 'test',
      validate: (value) => ({ value: value as { city: string; people: number } }),
      jsonSchema: { input: () => ({ type: 'object', properties, required: Object.keys(properties) }) as never },
    },
  }),
};

const weather = tool({
  name: 'get_weather',
  description: 'The weather of a city',
  input: z.object({ city: z.string() }),
  execute: async ({ city }, { signal }) => fetchWeather(city, { signal }),
});
const tools = [weather];

test('chat', async () => {
  const saved = null;
  const keep = vi.fn(async (_: string) => {});
  const chat = new Chat({ model: 'anthropic/claude-sonnet-5', tools });

  const { text, state, discarded, notices } = await chat.chatWithState(saved, [system('You are …'), user('Hello')]);
  await keep(state);

  expect([text, discarded, notices]).toEqual(['Echo: Hello', undefined, []]);
  emulator.script('anthropic-messages', [{ blocks: [call] }, { error: { status: 400 } }]);
  expect(await failing(chat, state)).toContain('celsius');
});

async function failing(chat: Chat, before: string): Promise<string> {
  let state = before;
  try {
    state = (await chat.chatWithState(state, [user('Oslo?')])).state;
  } catch (error) {
    if (isRunError(error)) state = chat.appendToState(state, [user('Oslo?'), ...error.messages]);
  }
  return state;
}

test('builder', async () => {
  const base = llm.model('anthropic/claude-sonnet-5').agent('You are brief.').tools(weather);

  const text = await base.request('How is the weather in Oslo?').prompt();

  expect(text).toContain('Oslo');
  const conversation = base.request('How is the weather in Oslo?').conversation();

  for await (const message of conversation) {
    console.log(message.role, message.text);
  }
  await conversation.continuation.request('And in Rome?').prompt();

  expect(conversation.messages).toHaveLength(5);
  await saving(conversation);
});

async function saving(conversation: Conversation): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'skein-'));
  const saveConversation = (name: string, one: Conversation) => files.saveConversation(join(folder, name), one);
  const loadConversation = (name: string) => files.loadConversation(join(folder, name));
  const written: Uint8Array[] = [];
  const stream = {
    write(chunk: Uint8Array, done: () => void) {
      written.push(chunk);
      done();
    },
    async *[Symbol.asyncIterator]() {
      yield* written;
    },
  };

  const saved = conversation.save();
  await conversation.save(stream);
  await saveConversation('talk.json', conversation);

  const same = llm.load(saved);
  const also = await llm.load(stream);
  const file = await loadConversation('talk.json');

  for (const loaded of [same, also, file]) expect(loaded.save()).toEqual(saved);
  await rm(folder, { recursive: true });
}

test('message lists', async () => {
  const list = new MessageList([user('Hello')]);
  const { messages, manifest, checkpoints } = await run({ model, messages: list, previous: list.manifest }).result;
  list.extend(messages);
  list.manifest = manifest;
  list.checkpoints = checkpoints;

  expect(MessageList.fromJSON(JSON.stringify(list)).at(-1)?.text).toBe('Echo: Hello');
});

test('running', async () => {
  const running = run({
    model: 'anthropic/claude-sonnet-5',
    system: 'You are brief.',
    messages: [user('How is the weather in Oslo?')],
    tools: [weather],
  });

  for await (const event of running) {
    if (event.type === 'text') process.stdout.write(event.text);
  }
  const { messages, usage, stop } = await running.result;

  expect([messages.length, stop.reason]).toEqual([1, 'end']);
  expect(usage?.output).toBeGreaterThan(0);
});

test('running.md: a conversation that the API keeps', async () => {
  const messages = [user('The weather?')];
  const first = await run({ model: 'anthropic/claude-opus-5-5', messages, serverState: true }).result;
  const next = [...messages, ...first.messages, user('And tomorrow?')];
  await run({ model: 'anthropic/claude-opus-5-5', messages: next, previous: first.manifest, serverState: true }).result;
  expect(JSON.parse(emulator.log.at(-1)!.body.toString()).messages).toHaveLength(1);

  const tools = [tool({ name: 'look', input: { type: 'object' }, execute: () => 'found' })];
  await run({ model: 'openai/gpt-5.5', messages, tools, transport: 'websocket' }).result;
  expect(emulator.log.at(-1)!.method).toBe('WEBSOCKET');
});

test('running.md: steering, and a session', async () => {
  const [model, text, system] = ['openai/gpt-5.5', 'And tomorrow?', 'Be brief.'];
  const messages = [user('The weather?')];
  const tools = [tool({ name: 'look', input: { type: 'object' }, execute: () => 'found' })];
  const setTimeout = (call: () => void, _: number) => call();
  const running = run({ model, messages, tools, transport: 'websocket' });
  setTimeout(() => running.steer('In Fahrenheit, please.'), 2000);
  const { messages: added } = await running.result;
  expect(added.map((message) => message.text)).toContain('In Fahrenheit, please.');

  const session = new SocketSession();
  const options = { model, system, tools, transport: session };
  const { manifest } = await run({ ...options, messages, warmUp: true }).result;
  // Later, when the user has written:
  await run({ ...options, messages: [...messages, user(text)], previous: manifest }).result;
  session.close();
  expect(JSON.parse(emulator.log.at(-1)!.body.toString()).input).toHaveLength(1);
});

test('errors, usage, samples and responses', async () => {
  emulator.script('anthropic-messages', { error: { status: 401 } });
  const options = { model, messages };
  try {
    await run(options).result;
  } catch (error) {
    if (isRunError(error)) console.log(error.code, error.status, error.retryable, error.requestId, error.rawBody);
  }
  expect(vi.mocked(console.log).mock.lastCall?.slice(0, 2)).toEqual(['authentication', 401]);

  run({ model, messages, costOf, modelLimits: modelInfoWithLimits, limits: { cost: 0.5 } });

  const runs = samples(3, { model, messages, tools });
  const answers = await Promise.all(runs.map((one) => one.text));
  expect(answers).toEqual(Array(3).fill('Echo: Hello'));

  const optionsFor = async (request: Request): Promise<RunOptions> => ({
    model,
    messages: [user(await request.text())],
  });
  const POST = async (request: Request) => run(await optionsFor(request)).toResponse({ format: 'ui' });
  const response = await POST(new Request('http://localhost', { method: 'POST', body: 'Hey' }));
  expect(await response.text()).toContain('Hey');

  run({ model, messages, observer: otelObserver(trace.getTracer('my-app')) });
});

test('answers by a schema, and images', async () => {
  emulator.script('anthropic-messages', says('{"city":"Oslo","people":700000}'));
  const { output } = await run({
    model,
    messages: [user('The largest city of Norway?')],
    output: z.object({ city: z.string(), people: z.number() }),
  }).result;
  expect(output?.city).toBe('Oslo');

  const { messages } = await run({
    model: 'google/gemini-3.1-flash-image-preview',
    messages: [user('A cat in the rain')],
    params: { modalities: ['text', 'image'] },
  }).result;
  const images = messages.flatMap(({ content }) => content.filter(({ type }) => type === 'media'));
  expect(images).toEqual([]);
});

test('tools', async () => {
  const time = tool({
    name: 'get_time',
    input: { type: 'object', properties: { zone: { type: 'string' } }, required: ['zone'] },
    execute: ({ zone }) => new Date().toLocaleString('en', { timeZone: zone }),
  });
  expect(await time.check('{"zone":"UTC"}')).toEqual({ value: { zone: 'UTC' } });

  emulator.script('anthropic-messages', [{ blocks: [call, call] }, says('All right.')]);
  const asking = tool({ name: 'get_weather', needsApproval: true, execute: () => 'cold' });
  const first = await run({ model, messages, tools: [asking] }).result;
  const history = [...messages, ...first.messages];
  const [one, other] = pendingCalls(history);
  const last = await approved(history, [asking], one!, other!);
  expect(last.messages.map(({ text }) => text)).toEqual([
    'cold',
    'The call was denied: not in production',
    'All right.',
  ]);
});

function approved(
  history: RunOptions['messages'],
  tools: RunOptions['tools'],
  call: { id: string },
  other: { id: string },
) {
  const next = run({
    model,
    messages: history,
    tools,
    approvals: { [call.id]: 'approve', [other.id]: { deny: 'not in production' } },
  });
  return next.result;
}

test('compaction', async () => {
  emulator.script('openai-responses', says('They counted.'));
  emulator.script('anthropic-messages', says('Four.'));
  const turn = [user(`One. ${'x'.repeat(600_000)}`), assistant('Two.')];
  const history = [...turn, ...turn, user('Three?')];
  const saved: readonly Checkpoint[] = [];
  const compaction = firstOf(summarise({ model: 'openai/gpt-5.4-mini' }), keepLast(20));

  const { messages, checkpoints } = await run({ model, messages: history, compaction, checkpoints: saved }).result;

  expect(messages.map(({ text }) => text)).toEqual(['Four.']);
  expect(checkpoints.map(({ upTo }) => upTo)).toEqual([4]);
  expect(JSON.stringify(checkpoints)).toContain('They counted.');
});

const REPLY =
  '{"id":"msg_1","type":"message","role":"assistant","model":"claude","content":[{"type":"text","text":"Hi"}],"stop_reason":"end_turn","usage":{"input_tokens":1,"output_tokens":1}}';
const REQUEST = '{"model":"claude","max_tokens":9,"messages":[{"role":"user","content":"Hello"}]}';

/** What the dialect writes as a stream is what the page's reader reads. */
const STREAM = (): string => {
  const head = { id: 'msg_1', model: 'claude', created: 1 };
  return serving(anthropicMessages).writeStream!(head).finish(anthropicMessages.readResponse(REPLY));
};

test('dialects', async () => {
  const [bodyText, requestText, rawText] = [REPLY, REQUEST, '{"role":"user","content":"Hello"}'];
  const origin = {};
  const d = dialect('anthropic-messages');
  d.readResponse(bodyText, origin);
  d.readStream(origin);
  d.readRequest(requestText, origin);
  d.parseMessage(rawText, origin);
  writeRequest(d, { model, messages });

  const show = vi.fn();
  const response = { body: [new TextEncoder().encode(STREAM())] };
  const reader = d.readStream();
  const sse = decodeSse((event, data) => show(reader.push(event, data)));
  for await (const chunk of response.body) sse.push(chunk);
  sse.end();
  const reply = reader.finish();

  expect(reply.message.text).toBe('Hi');
  expect(show).toHaveBeenCalled();
  expect(answering(reply)).toContain('Hi');

  const mine = { ...openaiChat.home, id: 'mine', issuer: 'llm.example.com' };
  writeRequest(openaiChat, { provider: mine, model, messages });
});

function answering(reply: Reply): string {
  let sent = '';
  const send = (text = '') => {
    sent += text;
  };
  const [name, data] = ['', '{"choices":[{"index":0,"delta":{"role":"assistant","content":"Hi"}}]}'];
  const server = serving(anthropicMessages);
  const head = { id: 'msg_01', model: 'claude-opus-5-5', created: Math.floor(Date.now() / 1000) };
  server.writeReply?.({ ...head, ...reply });

  const writer = server.writeStream?.(head);
  const reader = readBlocks(openaiChat);
  for (const event of reader.push(name, data)) send(writer?.push(event));
  send(writer?.finish(reader.finish().reply));
  return sent;
}

describe('the suite for dialects', () => {
  const myDialect = anthropicMessages;
  const samples = {
    reply: REPLY,
    stream: sseEvents(STREAM()),
    toolCall: REPLY.replace(
      '{"type":"text","text":"Hi"}',
      '{"type":"tool_use","id":"toolu_1","name":"look","input":{}}',
    ),
    request: REQUEST,
    notThisProtocol: '{"error":"nope"}',
  };
  for (const { name, run } of dialectConformance(myDialect, samples)) test(name, run);
});

function sseEvents(text: string): [string | undefined, string][] {
  const events: [string | undefined, string][] = [];
  const sse = decodeSse((event, data) => events.push([event, data]));
  sse.push(new TextEncoder().encode(text));
  sse.end();
  return events;
}
