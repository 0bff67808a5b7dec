import { LossError, type Message, MessageList, RunError, type Usage, user } from '@skein/core';
import { type MessageReply, says } from '@skein/emulator';
import { describe, expect, test } from 'vitest';
import { FakeClock, settle } from '../../src/providers/transport/test-clock.ts';
import {
  APIS,
  anthropic,
  ask,
  bodies,
  chat,
  expectAccepted,
  google,
  responses,
  rolesOf,
  start,
  WAYS,
  weather,
} from '../run/kit.ts';

const question = [user('How is the weather in Oslo?')];
const looks: MessageReply = {
  blocks: [
    { type: 'thinking', text: 'Let me look.' },
    { type: 'tool-use', name: 'get_weather', input: { city: 'Oslo' } },
  ],
};

test('an agent cannot complete one tool call on Gemini 3 (langchain-ai/langchainjs#9624)', async () => {
  const emulator = await start();
  emulator.script(google.protocol, [looks, looks, says('Cold.')]);
  const { text } = await ask(emulator, google, { messages: question, tools: [weather] }).result;
  expect(text).toBe('Cold.');
  expect(bodies(emulator)[2]!.match(/"thoughtSignature":"[^"]{20,}"/g)).toHaveLength(2);
  expectAccepted(emulator);
});

test('nothing is stored, and reasoning is not found again (openai/openai-agents-js#546)', async () => {
  const emulator = await start();
  emulator.script(responses.protocol, [looks, says('Cold.')]);
  await ask(emulator, responses, { messages: question, tools: [weather] }).result;
  for (const body of bodies(emulator)) {
    expect(JSON.parse(body)).toMatchObject({ store: false, include: ['reasoning.encrypted_content'] });
  }
  expect(bodies(emulator)[1]).toContain('"encrypted_content"');
  expectAccepted(emulator);
});

describe('a system text that is written anew each turn breaks what is bound to it (anomalyco/opencode#48637)', () => {
  async function talked() {
    const emulator = await start({ settings: { enforcePrefix: true } });
    emulator.script(anthropic.protocol, [{ blocks: [...looks.blocks.slice(0, 1), ...says('Cold.').blocks] }]);
    const { messages } = await ask(emulator, anthropic, { messages: question, system: 'It is noon.' }).result;
    return { emulator, messages: [...question, ...messages, user('And now?')] };
  }

  test('the request goes through, and says what it left out', async () => {
    const { emulator, messages } = await talked();
    const { losses, notices } = await ask(emulator, anthropic, { messages, system: 'It is one o’clock.' }).result;
    expect(losses).toContainEqual(expect.objectContaining({ kind: 'dropped', message: 1, reason: 'prefix-bound' }));
    expect(notices.map(({ code }) => code)).toContain('losses');
    expectAccepted(emulator);
  });

  test('strict says so before anything is sent', async () => {
    const { emulator, messages } = await talked();
    const options = { messages, system: 'It is one o’clock.', strict: true };
    const error = await ask(emulator, anthropic, options).result.catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: 'would_lose', cause: expect.any(LossError) });
    expect(emulator.log).toHaveLength(1);
  });
});

test.each(APIS)(
  'an error inside a stream is a page of validation errors, and is not tried again: $protocol (vercel/ai#14932)',
  async (api) => {
    const emulator = await start();
    const overloaded = { afterEvents: 0, status: 503, message: 'Come back later' };
    emulator.script(api.protocol, [says('Never.', { streamError: overloaded }), says('Here I am.')]);
    const clock = new FakeClock();
    const running = ask(emulator, api, { messages: question, clock });
    const waits: number[] = [];
    for await (const event of running) {
      if (event.type !== 'retry') continue;
      waits.push(event.waitMs);
      await settle();
      while (!(await done(running)) && clock.pending.length > 0 && clock.pending[0]! <= event.waitMs) clock.next();
    }
    expect(waits).toHaveLength(1);
    expect((await running.result).text).toBe('Here I am.');
  },
);

/** Whether a run has ended by now. */
const done = (running: { readonly result: Promise<unknown> }): Promise<boolean> =>
  Promise.race([running.result.then(() => true), settle().then(() => false)]);

test.each(WAYS)(
  'what is kept lacks the steps with tools: $protocol, stream: $stream (vercel/ai v7 migration)',
  async ({ api, stream }) => {
    const emulator = await start();
    emulator.script(api.protocol, [looks, looks, says('Cold.'), says('Yes.')]);
    const list = new MessageList(question);
    const { messages } = await ask(emulator, api, { messages: list, tools: [weather], stream }).result;
    expect(rolesOf(messages)).toEqual(['assistant', 'tool', 'assistant', 'tool', 'assistant']);
    const loaded = MessageList.fromJSON(JSON.stringify(list.extend(messages))).append(user('Sure?'));
    await ask(emulator, api, { messages: loaded, tools: [weather], stream }).result;
    expect(bodies(emulator).at(-1)!.split('celsius')).toHaveLength(3);
    expectAccepted(emulator);
  },
);

test.each(APIS)('stopping loses the partial answer: $protocol (vercel/ai#7900)', async (api) => {
  const emulator = await start();
  const text = 'A first part that is long enough, and a second one that never came.';
  emulator.script(api.protocol, says(text, { pieces: 10, break: { after: { events: 7 }, how: 'hang' } }));
  const running = ask(emulator, api, { messages: question });
  for await (const { type } of running) if (type === 'text') running.stop();
  const { messages, stop } = await running.result;
  expect(stop.reason).toBe('aborted');
  const [kept] = [...MessageList.fromJSON(JSON.stringify(new MessageList(messages)))] as [Message];
  expect(kept.origin.cut).toBe(true);
  expect(text.startsWith(kept.text) && kept.text !== '').toBe(true);
});

describe('cached tokens are counted twice (Aider-AI/aider#5516)', () => {
  const total = (usage: Usage): number =>
    usage.input + usage.cacheRead + usage.cacheWrite5m + usage.cacheWrite1h + usage.output + usage.reasoning;

  test.each(WAYS)(
    'buckets are disjoint, and sum up to what the provider said: $protocol, stream: $stream',
    async (way) => {
      const emulator = await start();
      // These tell no tokens of reasoning.
      const isUntold = ['anthropic-messages', 'bedrock-converse', 'cohere-chat'].includes(way.protocol);
      // Cohere bills all of the input, and tells beside it what it read from its cache.
      const cached = way.protocol === 'cohere-chat' ? 0 : 600;
      const usage = { input: 1000, cached, output: 50, reasoning: isUntold ? 0 : 20 };
      emulator.script(way.protocol, says('Cold.', { usage }));
      const result = await ask(emulator, way.api, { messages: question, stream: way.stream }).result;
      const [native] = JSON.parse(result.usage!.native);
      // Anthropic tells cached tokens beside the others, all others among them.
      const uncached = way.api === anthropic ? native.input_tokens : 1000 - cached;
      expect(result.usage).toMatchObject({ input: uncached, cacheRead: cached, output: 50 - usage.reasoning });
      expect(total(result.usage!)).toBe(uncached + cached + 50);
    },
  );
});

describe('Retry-After is ignored (vercel/ai#5018)', () => {
  test.each([
    [{ ms: 1500 }, 1500],
    [{ seconds: 7 }, 7000],
    [{ dateIn: 20_000 }, 20_000],
    [{ seconds: 86_400 }, 60_000],
  ] as const)('%o: the wait is %d ms', async (retryAfter, waitMs) => {
    const clock = new FakeClock();
    const emulator = await start({ now: () => clock.now() });
    emulator.script(chat.protocol, [{ error: { status: 429 }, retryAfter }, says('Here.')]);
    const running = ask(emulator, chat, { messages: question, clock });
    for await (const event of running) {
      if (event.type !== 'retry') continue;
      expect(event.waitMs).toBe(waitMs);
      await settle();
      expect(clock.pending).toContain(waitMs);
      while (clock.pending.length > 0 && clock.pending[0]! <= waitMs) clock.next();
    }
    expect((await running.result).text).toBe('Here.');
  });

  test('the wait can be stopped', async () => {
    const clock = new FakeClock();
    const emulator = await start();
    emulator.script(chat.protocol, [{ error: { status: 429 }, retryAfter: { seconds: 30 } }, says('Never.')]);
    const running = ask(emulator, chat, { messages: question, clock });
    for await (const { type } of running) if (type === 'retry') running.stop();
    expect((await running.result).stop.reason).toBe('aborted');
    expect(emulator.log).toHaveLength(1);
    expect(clock.pending).toEqual([]);
  });
});

test('an error says too little to act on (vercel/ai#2463)', async () => {
  const emulator = await start();
  emulator.script(anthropic.protocol, { error: { status: 529 } });
  const error = await ask(emulator, anthropic, { messages: question, retry: false }).result.catch(
    (one: unknown) => one,
  );
  expect(error).toBeInstanceOf(RunError);
  expect(error).toMatchObject({ code: 'overloaded', status: 529, retryable: true, rawBody: expect.any(String) });
});
