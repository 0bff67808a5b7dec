import { assistant, type CostLookup, tool, user } from '@skein/core';
import { says } from '@skein/emulator';
import { describe, expect, test } from 'vitest';
import { FakeClock } from '../../src/providers/transport/test-clock.ts';
import {
  APIS,
  anthropic,
  ask,
  bodies,
  chat,
  eventsOf,
  expectAccepted,
  google,
  rolesOf,
  start,
  weather,
} from './kit.ts';

const question = [user('How is the weather?')];
const call = { blocks: [{ type: 'tool-use', name: 'get_weather', input: { city: 'Oslo' } }] } as const;

/** A model that never stops calling. */
const restless = () => start({ brain: () => call });

describe.each(APIS)('$protocol', (api) => {
  test('ten steps are enough, unless told otherwise; the history is complete', async () => {
    const emulator = await restless();
    const result = await ask(emulator, api, { messages: question, tools: [weather] }).result;
    expect(result.stop.reason).toBe('steps');
    expect(result.steps).toHaveLength(10);
    expect(result.messages.at(-1)?.role).toBe('tool');
    const more = { messages: [...question, ...result.messages], tools: [weather], limits: { steps: 2 } };
    expect((await ask(emulator, api, more).result).steps).toHaveLength(2);
    expectAccepted(emulator);
  });

  test('an answer that is too long is kept as far as it goes, and that is said', async () => {
    const emulator = await start();
    emulator.script(api.protocol, [says('It is', { stop: 'max-tokens' }), says(' cold.')]);
    const running = ask(emulator, api, { messages: question });
    const events = await eventsOf(running);
    const { stop, text, notices, messages } = await running.result;
    expect(stop.reason).toBe('length');
    expect(text).toBe('It is');
    expect(notices.map(({ code }) => code)).toContain('length');
    expect(events).toContainEqual({ type: 'notice', notice: expect.objectContaining({ code: 'length' }) });
    await ask(emulator, api, { messages: [...question, ...messages, user('Go on.')] }).result;
    expectAccepted(emulator);
  });

  test('calls of an answer that was too long are not run', async () => {
    const emulator = await start();
    emulator.script(api.protocol, [{ ...call, stop: 'max-tokens' }, says('Once more.')]);
    const { stop, messages, actions } = await ask(emulator, api, { messages: question, tools: [weather] }).result;
    expect(stop.reason).toBe('length');
    expect(actions.map(({ outcome }) => outcome)).toEqual(['not-run']);
    const next = await ask(emulator, api, { messages: [...question, ...messages], tools: [weather] }).result;
    expect(next.text).toBe('Once more.');
    expectAccepted(emulator);
  });
});

test('pause_turn goes on with the same conversation', async () => {
  const emulator = await start();
  const search = { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: { query: 'cats' } };
  const blocks = [
    { type: 'text', text: 'Let me see. ' },
    { type: 'native', value: search },
  ] as const;
  emulator.script(anthropic.protocol, [{ blocks, stop: 'pause' }, says('Cats purr.')]);
  const native = { dialect: anthropic.protocol, native: '{"type":"web_search_20250305","name":"web_search"}' };
  const result = await ask(emulator, anthropic, { messages: question, tools: [native] }).result;
  expect(result.stop.reason).toBe('end');
  expect(rolesOf(result.messages)).toEqual(['assistant', 'assistant']);
  expect(result.text).toBe('Let me see. Cats purr.');
  expectAccepted(emulator);
});

test('tokens', async () => {
  const emulator = await restless();
  const result = await ask(emulator, chat, { messages: question, tools: [weather], limits: { tokens: 60 } }).result;
  expect(result.stop.reason).toBe('tokens');
  expect(result.steps.length).toBeLessThan(10);
});

describe('cost', () => {
  const costOf: CostLookup = ({ output }) => ({ total: output / 100 });

  test('is summed and limited', async () => {
    const emulator = await restless();
    const options = { messages: question, tools: [weather], limits: { cost: 0.3 }, costOf };
    const result = await ask(emulator, anthropic, options).result;
    expect(result.stop.reason).toBe('cost');
    expect(result.cost).toBeCloseTo(result.usage!.output / 100);
  });

  test('that is not known is said once, not guessed', async () => {
    const emulator = await restless();
    const unknown: CostLookup = () => ({ total: undefined, reason: 'it is new' });
    const options = { messages: question, tools: [weather], limits: { cost: 0.3, steps: 3 }, costOf: unknown };
    const { cost, notices, stop } = await ask(emulator, anthropic, options).result;
    expect(cost).toBeUndefined();
    expect(stop.reason).toBe('steps');
    expect(notices.filter(({ code }) => code === 'price-unknown')).toEqual([
      { code: 'price-unknown', message: 'The cost of anthropic/claude-opus-5-5 is not known: it is new' },
    ]);
  });

  test('cannot be limited where there are no prices', async () => {
    const emulator = await start();
    const running = ask(emulator, anthropic, { messages: question, limits: { cost: 1 } });
    await expect(running.result).rejects.toThrow('needs "costOf"');
  });
});

test('time: what is on its way is stopped and kept', async () => {
  const emulator = await start();
  emulator.script(
    google.protocol,
    says('Word by word by word.', { pieces: 4, break: { after: { events: 3 }, how: 'hang' } }),
  );
  const clock = new FakeClock();
  const running = ask(emulator, google, { messages: question, limits: { seconds: 5 }, clock });
  let isOver = false;
  for await (const event of running) {
    // Text that had arrived before the time was over may still be told.
    if (event.type !== 'text' || isOver) continue;
    isOver = true;
    expect(clock.pending).toContain(5000);
    while (clock.pending.length > 0 && clock.pending[0]! <= 5000) clock.next();
  }
  const { stop, text } = await running.result;
  expect(stop.reason).toBe('time');
  expect(text).not.toBe('');
  expect(clock.pending).toEqual([]);
});

test('stopWhen ends behind the tools of a step', async () => {
  const emulator = await restless();
  const result = await ask(emulator, chat, {
    messages: question,
    tools: [weather],
    stopWhen: ({ steps }) => steps.length === 2,
  }).result;
  expect(result.stop.reason).toBe('stopped');
  expect(rolesOf(result.messages)).toEqual(['assistant', 'tool', 'assistant', 'tool']);
});

describe('the most tokens to write', () => {
  const sent = async (maxTokens: number | undefined, contextTokens: number, text: string) => {
    const emulator = await start();
    const { notices } = await ask(emulator, anthropic, {
      messages: [user(text), assistant('Hm.'), user('And?')],
      params: maxTokens === undefined ? {} : { maxTokens },
      modelLimits: () => ({ contextTokens, maxOutputTokens: 2000 }),
    }).result;
    return { sent: JSON.parse(bodies(emulator)[0]!).max_tokens as number, notices: notices.map(({ code }) => code) };
  };

  test('is what was asked for, where there is room', async () => {
    expect(await sent(500, 10_000, 'short')).toEqual({ sent: 500, notices: [] });
  });

  test('is at most what the model writes', async () => {
    expect(await sent(5000, 10_000, 'short')).toEqual({ sent: 2000, notices: ['max-tokens'] });
  });

  test('is what the context leaves, and never below 1', async () => {
    expect(await sent(1000, 1200, 'word '.repeat(800))).toEqual({ sent: 198, notices: ['max-tokens'] });
    expect((await sent(1000, 900, 'word '.repeat(800))).sent).toBe(1);
  });

  test('also where the dialect has to choose a number', async () => {
    expect(await sent(undefined, 10_000, 'short')).toEqual({ sent: 2000, notices: ['max-tokens'] });
    expect(await sent(undefined, 1200, 'word '.repeat(800))).toEqual({ sent: 198, notices: ['max-tokens'] });
  });

  test.each<[string, { maxTokens?: number; reasoning: { budget: number } }, number, number | undefined]>([
    ['budget and tokens above what the model writes', { maxTokens: 10_000, reasoning: { budget: 8000 } }, 5000, 2500],
    ['a budget near what the model writes', { reasoning: { budget: 63_000 } }, 64_000, 63_000],
    ['a budget above what the model writes', { reasoning: { budget: 80_000 } }, 64_000, 32_000],
    ['too little room to think', { reasoning: { budget: 2000 } }, 1500, undefined],
  ])('leaves a request that is taken: %s', async (_, params, maxOutputTokens, budget) => {
    const emulator = await start();
    const { notices, losses } = await ask(
      emulator,
      { ...anthropic, model: 'claude-sonnet-4-5' },
      { messages: question, params, modelLimits: () => ({ maxOutputTokens, contextTokens: 200_000 }) },
    ).result;
    expectAccepted(emulator);
    const body = JSON.parse(bodies(emulator)[0]!) as { max_tokens: number; thinking?: { budget_tokens: number } };
    expect(body.max_tokens).toBe(maxOutputTokens);
    expect(body.thinking?.budget_tokens).toBe(budget);
    const wanted = params.maxTokens ?? 4096 + params.reasoning.budget;
    expect(notices.map(({ message }) => message)).toContain(
      `There is no room for ${wanted} tokens; the reply may have ${maxOutputTokens}`,
    );
    const isChanged = budget !== params.reasoning.budget;
    expect(losses.map(({ path }) => path)).toEqual(isChanged ? ['params.reasoning.budget'] : []);
  });

  test('stays unsaid where the API does not insist on a number', async () => {
    const emulator = await start();
    const modelLimits = () => ({ maxOutputTokens: 2000, contextTokens: 10_000 });
    const { notices } = await ask(emulator, google, {
      messages: question,
      params: { reasoning: { budget: 4000 } },
      modelLimits,
    }).result;
    expect(bodies(emulator)[0]).not.toContain('maxOutputTokens');
    expect(notices).toEqual([]);
  });
});

test('a tool that takes too long is given up, and the model is told', async () => {
  const emulator = await start();
  emulator.script(chat.protocol, [call, says('Too slow.')]);
  const clock = new FakeClock();
  let signal: AbortSignal | undefined;
  const slow = tool({
    name: 'get_weather',
    input: weather.parameters,
    timeoutMs: 3000,
    execute: (_, context) => {
      signal = context.signal;
      queueMicrotask(() => clock.next());
      return new Promise<string>(() => {});
    },
  });
  const result = await ask(emulator, chat, { messages: question, tools: [slow], clock, retry: false }).result;
  expect(result.messages[1]?.text).toContain('did not finish within 3 s');
  expect(result.text).toBe('Too slow.');
  expect(signal?.aborted).toBe(true);
});
