import {
  assistant,
  Conversation,
  llm,
  type Message,
  MessageList,
  RunError,
  summarise,
  system,
  tool,
  type Usage,
  user,
} from '@skein/core';
import { type Emulator, says } from '@skein/emulator';
import { describe, expect, test } from 'vitest';
import { APIS, anthropic, bodies, chat, expectAccepted, modelOf, start, weather } from '../run/kit.ts';

const on = (emulator: Emulator, api = anthropic) =>
  llm.model(modelOf(api)).config({ env: emulator.env(), random: () => 0 });

const asks = (...cities: string[]) => ({
  blocks: cities.map((city) => ({ type: 'tool-use' as const, name: 'get_weather', input: { city } })),
});

const rolesOf = (messages: Iterable<Message>) => [...messages].map(({ role }) => role);

async function read(conversation: Conversation): Promise<Message[]> {
  const messages: Message[] = [];
  for await (const message of conversation) messages.push(message);
  return messages;
}

describe.each(APIS)('$protocol', (api) => {
  test('gives each message as it completes, ends with the answer, and goes on when more was added', async () => {
    const emulator = await start();
    emulator.script(api.protocol, [asks('Oslo', 'Rome'), says('Cold and warm.')]);
    const conversation = on(emulator, api).agent('Brief.').request(' Oslo and Rome? ').tools(weather).conversation();
    expect(emulator.log).toHaveLength(0);
    expect([...conversation.messages].map(({ text }) => text)).toEqual(['Brief.', 'Oslo and Rome?']);
    const told = await read(conversation);
    expect(rolesOf(told)).toEqual(['assistant', 'tool', 'tool', 'assistant']);
    expect(told.at(-1)?.text).toBe('Cold and warm.');
    expect(rolesOf(conversation.messages)).toEqual(['system', 'user', 'assistant', 'tool', 'tool', 'assistant']);
    expect(await read(conversation)).toEqual([]);
    expect(conversation.continuation.request('Thanks').conversation()).toBe(conversation);
    expect((await read(conversation)).map(({ text }) => text)).toEqual(['Echo: Thanks']);
    expect(emulator.log).toHaveLength(3);
    expect(conversation.usage?.output).toBeGreaterThan(0);
    expect(conversation.result?.stop.reason).toBe('end');
    expectAccepted(emulator);
  });
});

test('a change during a run holds from its next step, never between a call and its result', async () => {
  const emulator = await start();
  emulator.script('anthropic-messages', [asks('Oslo'), says('Cold.')]);
  emulator.script('openai-chat', says('Cold, too.'));
  const slow = tool({
    name: 'get_weather',
    input: weather.parameters,
    execute: () => {
      // While the call is open: by a builder, and by hand.
      conversation.continuation.request('In one word').model(modelOf(chat)).conversation();
      conversation.messages.append(user('Please'));
      return 'cold';
    },
  });
  const conversation = on(emulator).request('Oslo?').tools(slow).conversation();
  const told = await read(conversation);
  expect(rolesOf(told)).toEqual(['assistant', 'tool', 'assistant']);
  expect([...conversation.messages].map(({ role, text }) => `${role} ${text}`)).toEqual([
    'user Oslo?',
    'assistant ',
    'tool cold',
    'user In one word',
    'user Please',
    'assistant Cold, too.',
  ]);
  expect(emulator.log.map(({ protocol }) => protocol)).toEqual(['anthropic-messages', 'openai-chat']);
  expectAccepted(emulator);
});

test('what the reader changes between two messages is in the next request', async () => {
  const emulator = await start();
  emulator.script('anthropic-messages', [asks('Oslo'), says('Cold.')]);
  const conversation = on(emulator).request('Oslo?').tools(weather).conversation();
  for await (const message of conversation) {
    if (message.role === 'tool') conversation.continuation.request('Be quick').params({ maxTokens: 77 }).conversation();
  }
  expect(bodies(emulator)[0]).not.toContain('Be quick');
  expect(bodies(emulator)[1]).toContain('Be quick');
  expect(bodies(emulator)[1]).toContain('"max_tokens":77');
  expectAccepted(emulator);
});

test('what comes during the last step is not lost, and the next iteration sends it', async () => {
  const emulator = await start();
  const conversation = on(emulator).request('One').conversation();
  for await (const _ of conversation) conversation.continuation.request('Two').conversation();
  expect(emulator.log).toHaveLength(1);
  expect((await read(conversation)).map(({ text }) => text)).toEqual(['Echo: Two']);
});

test('leaving early stops the tools, keeps what is complete, and can be gone on from', async () => {
  const emulator = await start();
  emulator.script('anthropic-messages', [asks('Oslo'), says('Cold.')]);
  let stopped = false;
  let begin = () => {};
  const begun = new Promise<void>((resolve) => {
    begin = resolve;
  });
  const endless = tool({
    name: 'get_weather',
    input: weather.parameters,
    execute: (_, { signal }) =>
      new Promise(() => {
        signal.addEventListener('abort', () => {
          stopped = true;
        });
        begin();
      }),
  });
  const conversation = on(emulator).request('Oslo?').tools(endless).conversation();
  for await (const message of conversation) {
    expect(message.role).toBe('assistant');
    await begun;
    break;
  }
  expect(stopped).toBe(true);
  expect(emulator.log).toHaveLength(1);
  expect(rolesOf(conversation.messages)).toEqual(['user', 'assistant', 'tool']);
  expect([...conversation.messages].some(({ origin }) => origin.cut)).toBe(false);
  expect((await read(conversation)).map(({ text }) => text)).toEqual(['Cold.']);
  expectAccepted(emulator);
});

test('stop() ends a request that is under way; what arrived is kept', async () => {
  const emulator = await start();
  emulator.script(
    'anthropic-messages',
    says('A long story', { break: { after: { events: 4 }, how: 'hang' }, pieces: 2 }),
  );
  const running = on(emulator).request('Tell').stream();
  for await (const event of running) if (event.type === 'text') running.stop();
  const { stop, messages } = await running.result;
  expect(stop.reason).toBe('aborted');
  expect(messages[0]?.origin.cut).toBe(true);
});

test('the conversation itself can be stopped, and the queue goes on', async () => {
  const emulator = await start();
  emulator.script('anthropic-messages', [says('Never', { break: { after: 'head', how: 'hang' } }), says('Second.')]);
  const conversation = new Conversation({ config: { model: modelOf(anthropic), env: emulator.env() } });
  const first = conversation.continuation.request('One').prompt();
  const second = conversation.continuation.request('Two').prompt();
  while (emulator.log.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  conversation.stop();
  expect(await first).toBe('');
  expect(await second).toBe('Second.');
});

test('runs of one conversation are queued, and each is applied when its turn comes', async () => {
  const emulator = await start();
  const conversation = on(emulator).agent('Brief.').conversation();
  const texts = await Promise.all(
    ['One', 'Two', 'Three'].map((text) => conversation.continuation.request(text).prompt()),
  );
  expect(texts).toEqual(['Echo: One', 'Echo: Two', 'Echo: Three']);
  expect([...conversation.messages].map(({ text }) => text)).toEqual([
    'Brief.',
    'One',
    'Echo: One',
    'Two',
    'Echo: Two',
    'Three',
    'Echo: Three',
  ]);
  expectAccepted(emulator);
});

test('a builder that is applied twice appends twice', () => {
  const conversation = new Conversation();
  const builder = conversation.continuation.request('Again');
  expect(builder.conversation()).toBe(conversation);
  expect(builder.conversation()).toBe(conversation);
  expect([...conversation.messages].map(({ text }) => text)).toEqual(['Again', 'Again']);
});

test('a hundred branches of one builder at once do not touch each other', async () => {
  const emulator = await start();
  emulator.script('anthropic-messages', []);
  const base = on(emulator).agent('Brief.').context('We are in Oslo.').tools(weather);
  const texts = await Promise.all(
    Array.from({ length: 100 }, (_, index) => base.request(`Question ${index}`).prompt()),
  );
  expect(texts).toEqual(Array.from({ length: 100 }, (_, index) => `Echo: Question ${index}`));
  expect(emulator.log).toHaveLength(100);
  for (const body of bodies(emulator)) expect(body.match(/Question \d+/g)).toHaveLength(1);
  expect([...base.conversation().messages].map(({ text }) => text)).toEqual(['Brief.', 'We are in Oslo.']);
  expectAccepted(emulator);
});

test('an error keeps what is complete, and carries the messages of the whole turn', async () => {
  const emulator = await start();
  emulator.script('anthropic-messages', [asks('Oslo'), { error: { status: 500 } }]);
  const conversation = on(emulator).request('Oslo?').tools(weather).config({ retry: false }).conversation();
  const told: Message[] = [];
  const reading = async () => {
    for await (const message of conversation) told.push(message);
  };
  const error = await reading().catch((failure: unknown) => failure);
  expect(error).toBeInstanceOf(RunError);
  expect(rolesOf((error as RunError).messages)).toEqual(['assistant', 'tool']);
  expect((error as RunError).status).toBe(500);
  expect(rolesOf(told)).toEqual(['assistant', 'tool']);
  expect(rolesOf(conversation.messages)).toEqual(['user', 'assistant', 'tool']);
  expect(conversation.usage?.output).toBeGreaterThan(0);
  expect((await read(conversation)).map(({ role }) => role)).toEqual(['assistant']);
  expectAccepted(emulator);
});

test('limits hold for a whole run', async () => {
  const emulator = await start({ brain: () => asks('Oslo') });
  const stopped = async (builder: ReturnType<typeof on>) => (await builder.stream().result).stop.reason;
  const base = on(emulator).request('Oslo?').tools(weather);
  expect(await stopped(base.limit({ steps: 3 }))).toBe('steps');
  expect(emulator.log).toHaveLength(3);
  expect(await stopped(base)).toBe('steps');
  expect(emulator.log).toHaveLength(13);
  expect(await stopped(base.limit({ tokens: 1 }))).toBe('tokens');
  expect(emulator.log).toHaveLength(14);
  expect(await stopped(base.config({ stopWhen: ({ steps }) => steps.length === 2 }))).toBe('stopped');
  expect(emulator.log).toHaveLength(16);
  const costOf = () => ({ total: 0.4 });
  expect(await stopped(base.config({ costOf }).limit({ cost: 0.5 }))).toBe('cost');
  expect(emulator.log).toHaveLength(18);
  let now = 0;
  const clock = { now: () => (now += 400), setTimer: () => () => {} };
  expect(await stopped(base.config({ clock }).limit({ seconds: 20 }))).toBe('time');
});

test('usage, cost and losses add up over runs and providers', async () => {
  const emulator = await start();
  emulator.script('anthropic-messages', {
    blocks: [
      { type: 'thinking', text: 'Hm' },
      { type: 'text', text: 'Hello' },
    ],
  });
  const costOf = () => ({ total: 0.25 });
  const conversation = on(emulator).request('Hi').config({ costOf }).conversation();
  await read(conversation);
  expect(conversation.losses).toEqual([]);
  await conversation.continuation.model(modelOf(chat)).request('Go on').prompt();
  expect(conversation.losses.map(({ reason }) => reason)).toContain('foreign-reasoning');
  expect(conversation.cost).toBe(0.5);
  expect(JSON.parse(conversation.usage!.native)).toHaveLength(2);
  expectAccepted(emulator);
});

test('a model that cannot answer is not asked again in the same run, and its key is not shown to the next', async () => {
  const emulator = await start();
  emulator.script('anthropic-messages', [{ error: { status: 500 } }]);
  emulator.script('openai-chat', [asks('Oslo'), says('Cold.')]);
  const text = await on(emulator)
    .config({ fallback: [modelOf(chat)], retry: false, apiKey: 'sk-ant-own', extraHeaders: { 'x-own': 'secret' } })
    .request('Oslo?')
    .tools(weather)
    .prompt();
  expect(text).toBe('Cold.');
  expect(emulator.log.map(({ protocol }) => protocol)).toEqual(['anthropic-messages', 'openai-chat', 'openai-chat']);
  const others = emulator.log.filter(({ protocol }) => protocol === 'openai-chat');
  expect(JSON.stringify(others.map(({ headers }) => headers))).not.toMatch(/sk-ant-own|secret/);
});

test('approval ends a run; decisions let it go on', async () => {
  const emulator = await start();
  emulator.script('anthropic-messages', [{ blocks: [{ type: 'tool-use', name: 'erase', input: {} }] }, says('Done.')]);
  const erase = tool({ name: 'erase', needsApproval: true, execute: () => 'erased' });
  const conversation = on(emulator).request('Erase').tools(erase).conversation();
  await read(conversation);
  expect(conversation.pending.map(({ name }) => name)).toEqual(['erase']);
  const approvals = { [conversation.pending[0]!.id]: 'approve' } as const;
  conversation.apply({ config: { approvals } });
  expect(rolesOf(await read(conversation))).toEqual(['tool', 'assistant']);
  expect(conversation.pending).toEqual([]);
});

test('notices are told once in a run, however many steps it has', async () => {
  const emulator = await start();
  emulator.script('openai-chat', [asks('Oslo'), asks('Rome'), says('Done.')]);
  emulator.script('anthropic-messages', {
    blocks: [
      { type: 'thinking', text: 'Hm' },
      { type: 'text', text: 'Hi' },
    ],
  });
  const conversation = on(emulator).request('Hi').tools(weather).conversation();
  await read(conversation);
  const running = conversation.continuation.model(modelOf(chat)).request('Oslo?').stream();
  const notices: string[] = [];
  for await (const event of running) if (event.type === 'notice') notices.push(event.notice.code);
  expect(notices).toEqual(['losses']);
  expect((await running.result).steps).toHaveLength(3);
});

test('there is nothing to send in an empty conversation', async () => {
  await expect(llm.prompt()).rejects.toMatchObject({ code: 'nothing_to_send' });
});

test('a loaded conversation that was answered waits for more', async () => {
  const emulator = await start();
  const conversation = on(emulator).request('Hi').conversation();
  await read(conversation);
  const loaded = new Conversation({ messages: MessageList.fromJSON(conversation.save()), config: conversation.config });
  expect(await read(loaded)).toEqual([]);
  expect(await loaded.continuation.request('More').prompt()).toBe('Echo: More');
});

test('an answer put into its mouth is continued', async () => {
  const emulator = await start();
  const text = await on(emulator).agent('Poet').request('A line').assistant('Roses are').prompt();
  expect(text).not.toBe('');
  expect(emulator.log).toHaveLength(1);
  expectAccepted(emulator);
});

test('compaction that failed is not tried again in the same run', async () => {
  const emulator = await start();
  let tries = 0;
  emulator.script('anthropic-messages', [asks('Oslo'), asks('Rome'), says('Done.')]);
  const compaction = () => {
    tries++;
    throw new Error('no');
  };
  await on(emulator)
    .messages([system('Brief.'), user('Hi')])
    .tools(weather)
    .config({ compaction })
    .prompt();
  expect(tries).toBe(1);
});

test('a connection that breaks in the middle of an answer leaves the conversation open', async () => {
  const emulator = await start();
  emulator.script(
    'anthropic-messages',
    says('A long story', { break: { after: { events: 4 }, how: 'reset' }, pieces: 2 }),
  );
  const conversation = on(emulator).request('Tell').conversation();
  await expect(read(conversation)).rejects.toBeInstanceOf(RunError);
  expect(conversation.messages.at(-1)?.origin.cut).toBe(true);
  expect(rolesOf(await read(conversation))).toEqual(['assistant']);
  expectAccepted(emulator);
});

test('an answer with a pause in it is one text', async () => {
  const emulator = await start();
  emulator.script(anthropic.protocol, [
    { blocks: [{ type: 'text', text: 'First half, ' }], stop: 'pause' },
    says('second half.'),
  ]);
  const base = llm.config({ env: emulator.env() }).model(modelOf(anthropic));
  expect(await base.request('Go on').prompt()).toBe('First half, second half.');
});

test('what a summary cost is part of the usage, the cost and the limits', async () => {
  const emulator = await start();
  const usage = (output: number) => ({ usage: { input: 100, output, reasoning: 0 } });
  const call = { type: 'tool-use', name: 'get_weather', input: { city: 'Oslo' } } as const;
  emulator.script(chat.protocol, says('They talked.', usage(7)));
  emulator.script(anthropic.protocol, [
    { blocks: [call], ...usage(5) },
    says('Cold.', usage(3)),
    says('Bye.', usage(1)),
  ]);
  const env = emulator.env();
  const compaction = summarise({ model: modelOf(chat), env, above: 100 });
  const costOf = ({ output }: Usage) => ({ total: output });
  const talk = Array.from({ length: 6 }, (_, index) => [user(`${index} ${'x'.repeat(200)}`), assistant('Yes.')]).flat();
  const options = { messages: [...talk, user('Oslo?')] };
  const config = { env, model: modelOf(anthropic), tools: [weather], compaction, costOf };
  const conversation = new Conversation({ ...options, config });
  const result = await conversation.run().result;
  for (const { usage: sum, cost } of [result, conversation]) {
    expect(sum).toMatchObject({ input: 300, output: 15 });
    expect(JSON.parse(sum!.native)).toHaveLength(3);
    expect(cost).toBe(15);
  }
  await conversation.continuation.request('Bye').prompt();
  expect(conversation).toMatchObject({ usage: { input: 400, output: 16 }, cost: 16 });

  emulator.script(chat.protocol, says('They talked.', usage(7)));
  emulator.script(anthropic.protocol, [{ blocks: [call], ...usage(5) }, says('Never.')]);
  const limited = new Conversation({ ...options, config: { ...config, limits: { cost: 10 } } });
  expect((await limited.run().result).stop.reason).toBe('cost');
});
