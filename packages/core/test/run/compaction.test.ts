import {
  assistant,
  type Checkpoint,
  type Compaction,
  diffPrefix,
  firstOf,
  keepLast,
  type Message,
  RunError,
  summarise,
  type Usage,
  user,
  withinTokens,
} from '@skein/core';
import { type Emulator, says } from '@skein/emulator';
import { describe, expect, test } from 'vitest';
import { rangeDigest } from '../../src/run/compaction/checkpoint.ts';
import {
  type Api,
  anthropic,
  ask,
  bodies,
  chat,
  expectAccepted,
  google,
  modelOf,
  start,
  WAYS,
  weather,
} from './kit.ts';

/** A talk of that many turns, a few hundred tokens each. */
const talk = (turns: number): Message[] => [
  ...Array.from({ length: turns }, (_, turn) => [
    user(`Question ${turn} ${'x'.repeat(400)}`),
    assistant(`Answer ${turn} ${'y'.repeat(400)}`),
  ]).flat(),
  user('And now?'),
];

const codes = ({ notices }: { notices: readonly { code: string }[] }): string[] => notices.map(({ code }) => code);

describe.each(WAYS)('$protocol, stream: $stream', ({ api, protocol, stream }) => {
  test('a long conversation with tools: requests part where a checkpoint was made, and nowhere else', async () => {
    const emulator = await start();
    const history: Message[] = [];
    let checkpoints: readonly Checkpoint[] = [];
    const parts: number[] = [];
    for (let turn = 0; turn < 14; turn++) {
      emulator.script(protocol, [
        {
          blocks: [
            { type: 'thinking', text: `Turn ${turn}.` },
            { type: 'text', text: 'One moment.' },
            { type: 'tool-use', name: 'get_weather', input: { city: `City ${turn}` } },
          ],
        },
        says(`Answer ${turn}.`),
      ]);
      history.push(user(`Question ${turn}`));
      const before = emulator.log.length;
      const stored = history.map(({ raw }) => raw);
      const compaction = keepLast(3);
      const options = { system: 'Be brief.', messages: history, tools: [weather], stream, compaction, checkpoints };
      const result = await ask(emulator, api, options).result;
      expect(history.map(({ raw }) => raw)).toEqual(stored);
      expect(result.checkpoints.slice(0, checkpoints.length)).toEqual(checkpoints);
      if (result.checkpoints.length > checkpoints.length) parts.push(before);
      // As if they had been saved.
      checkpoints = JSON.parse(JSON.stringify(result.checkpoints));
      history.push(...result.messages);
    }
    expectAccepted(emulator);
    const sent = bodies(emulator);
    expect(sent).toHaveLength(28);
    expect(checkpoints).toHaveLength(2);
    for (let index = 1; index < sent.length; index++) {
      if (parts.includes(index)) expect(diffPrefix(sent[index - 1]!, sent[index]!)).toBeDefined();
      else expect(diffPrefix(sent[index - 1]!, sent[index]!)).toBeUndefined();
    }
    expect(sent.at(-1)).not.toContain('Question 7"');
    expect(sent.at(-1)).toContain('Question 8"');
  });

  test('a checkpoint in the middle of a turn with reasoning and tools is accepted, and the requests behind it extend it', async () => {
    const emulator = await start();
    const call = (city: string) => ({
      blocks: [
        { type: 'thinking' as const, text: `About ${city}.` },
        { type: 'tool-use' as const, name: 'get_weather', input: { city } },
      ],
    });
    const cities = ['Oslo', 'Rome', 'x'.repeat(1500), 'Bern', 'Riga'];
    emulator.script(protocol, [says('Hello.'), ...cities.map(call), says('Done.')]);
    const params = { reasoning: { effort: 'high' as const }, maxTokens: 8000 };
    const options = { tools: [weather], params, stream, compaction: withinTokens(900) };
    const opening = [user(`Hi ${'x'.repeat(2000)}`)];
    const first = await ask(emulator, api, { ...options, messages: opening }).result;
    const messages = [...opening, ...first.messages, user('How is the weather?')];
    const { checkpoints, text, notices } = await ask(emulator, api, { ...options, messages }).result;
    expectAccepted(emulator);
    expect(text).toBe('Done.');
    expect(checkpoints.map(({ upTo }) => upTo)).toEqual([2]);
    // What is left is one long turn.
    expect(notices.filter(({ code }) => code === 'compaction-failed')).toHaveLength(1);
    const sent = bodies(emulator);
    const parted = sent.flatMap((body, index) => (index > 0 && diffPrefix(sent[index - 1]!, body) ? [index] : []));
    expect(parted).toEqual([4]);
  });

  test('a summary by another model stands for all but the last turns, and is itself summarised', async () => {
    const emulator = await start();
    const other = protocol === anthropic.protocol ? chat : anthropic;
    emulator.script(other.protocol, [says('They talked about x.'), says('They talked about x and more.')]);
    emulator.script(protocol, [says('Now this.'), says('Now that.')]);
    const compaction = summarising(emulator, other);
    const messages = talk(6);
    const first = await ask(emulator, api, { messages, compaction, stream }).result;
    expect(codes(first).filter((code) => code.startsWith('compaction'))).toEqual(['compaction']);
    expect(first.checkpoints).toHaveLength(1);
    const [summary, answer] = bodies(emulator) as [string, string];
    expect(summary).toContain('Question 4 ');
    expect(summary).not.toContain('Question 5 ');
    expect(summary).not.toContain('"tools"');
    expect(answer).toContain('They talked about x.');
    expect(answer).toContain('Question 5 ');
    expect(answer).not.toContain('Question 4 ');

    const { checkpoints } = first;
    const more = [...messages, ...first.messages, ...talk(5)];
    const second = await ask(emulator, api, { messages: more, compaction, checkpoints, stream }).result;
    expect(second.checkpoints).toHaveLength(2);
    expect(bodies(emulator)[2]).toContain('They talked about x.');
    expect(bodies(emulator)[3]).toContain('They talked about x and more.');
    expect(second.text).toBe('Now that.');
    expectAccepted(emulator);
  });
});

const summarising = (emulator: Emulator, api: Api, above = 1000): Compaction =>
  summarise({ model: modelOf(api), env: emulator.env(), above, keep: 2, retry: false });

describe('when compaction fails, the answer comes all the same', () => {
  const whole = async (compaction: Compaction, steps = 3) => {
    const emulator = await start();
    const call = { blocks: [{ type: 'tool-use' as const, name: 'get_weather', input: { city: 'Oslo' } }] };
    emulator.script(anthropic.protocol, [...Array.from({ length: steps - 1 }, () => call), says('Done.')]);
    const result = await ask(emulator, anthropic, { messages: talk(6), tools: [weather], compaction }).result;
    expect(result.text).toBe('Done.');
    expect(result.checkpoints).toEqual([]);
    expect(codes(result)).toEqual(['compaction-failed']);
    for (const body of bodies(emulator)) expect(body).toContain('Question 0 ');
    expectAccepted(emulator);
    return result.notices[0]!.message;
  };

  test('it throws: asked once, told once', async () => {
    let asked = 0;
    const broken: Compaction = () => {
      asked++;
      throw new Error('out of ideas');
    };
    expect(await whole(broken)).toContain('out of ideas');
    expect(asked).toBe(1);
    expect(await whole(async () => Promise.reject('just text'))).toContain('just text');
  });

  test('it makes nothing shorter', async () => {
    const replacement = [user('z'.repeat(10_000)).raw];
    expect(await whole(({ cuts }) => ({ upTo: cuts[0]!, replacement }))).toContain('no shorter');
  });

  test('it cuts where no turn begins, or puts something in that cannot stand there', async () => {
    expect(await whole(() => ({ upTo: 1, replacement: [] }))).toContain('not where a turn begins');
    expect(await whole(({ stored }) => ({ upTo: stored.length, replacement: [] }))).toContain('not where a turn');
    await whole(({ cuts }) => ({ upTo: cuts[2]!, replacement: ['no JSON'] }));
    const call = '{"role":"tool","tool_call_id":"1","content":[{"type":"text","text":"r"}]}';
    expect(await whole(({ cuts }) => ({ upTo: cuts[2]!, replacement: [call] }))).toContain('no calls or results');
  });

  test('the model that summarises fails, says nothing, or is cut short', async () => {
    const emulator = await start();
    emulator.script(chat.protocol, [says(' '), { blocks: [{ type: 'text', text: 'They' }], stop: 'max-tokens' }]);
    expect(await whole(summarising(emulator, chat))).toContain('empty');
    expect(await whole(summarising(emulator, chat))).toContain('ended early');
    expect(await whole(summarise({ model: 'openai-chat/gpt-5.5', env: {}, above: 1000 }))).toMatch(/key/i);
  });

  test('the size of the context is not known', async () => {
    const emulator = await start();
    const options = { messages: talk(6), compaction: withinTokens({ share: 0.5 }), modelLimits: () => ({}) };
    const result = await ask(emulator, anthropic, options).result;
    expect(codes(result)).toEqual(['compaction-failed']);
  });

  test('the size of the context is not known to anyone', async () => {
    const emulator = await start();
    const api = { ...chat, model: 'house-model' };
    const compaction = summarise({ model: modelOf(anthropic), env: emulator.env() });
    const result = await ask(emulator, api, { messages: talk(6), compaction }).result;
    expect(result.notices.map(({ message }) => message)).toEqual([expect.stringContaining('"modelLimits"')]);
  });

  test('what is sent is one long turn', async () => {
    const emulator = await start();
    const messages = [user('x'.repeat(8000))];
    const result = await ask(emulator, anthropic, { messages, compaction: withinTokens(1000) }).result;
    expect(codes(result)).toEqual(['compaction-failed']);
    expect(result.notices[0]!.message).toContain('single turn');
  });
});

describe('strategies', () => {
  const sentBy = async (compaction: Compaction, options: { modelLimits?: () => { contextTokens: number } } = {}) => {
    const emulator = await start();
    const result = await ask(emulator, anthropic, { messages: talk(9), compaction, ...options }).result;
    expectAccepted(emulator);
    return { result, body: bodies(emulator).at(-1)! };
  };

  test('keepLast waits until there are many more', async () => {
    expect((await sentBy(keepLast(5))).result.checkpoints).toEqual([]);
    const { result, body } = await sentBy(keepLast(4));
    expect(result.checkpoints.map(({ upTo }) => upTo)).toEqual([12]);
    expect(body).not.toContain('Question 5 ');
    expect(body).toContain('Question 6 ');
    expect(() => keepLast(0)).toThrow(TypeError);
    expect(() => keepLast(3, { above: 2 })).toThrow(TypeError);
  });

  test('withinTokens leaves half of the budget, which may be a share of the context', async () => {
    expect((await sentBy(withinTokens(3000))).result.checkpoints).toEqual([]);
    const absolute = await sentBy(withinTokens(1000));
    const share = await sentBy(withinTokens({ share: 0.1 }), { modelLimits: () => ({ contextTokens: 10_000 }) });
    expect(absolute.result.checkpoints.map(({ upTo }) => upTo)).toEqual([14]);
    expect(share.result.checkpoints).toEqual(absolute.result.checkpoints);
  });

  test('firstOf takes the next one where one does not apply or fails, and says which failed', async () => {
    const { result } = await sentBy(firstOf(keepLast(100), keepLast(2)));
    expect(codes(result)).toEqual(['compaction']);
    const broken: Compaction = () => {
      throw new Error('out of ideas');
    };
    const second = await sentBy(firstOf(broken, keepLast(2)));
    expect(codes(second.result)).toEqual(['compaction-failed', 'compaction']);
    expect(second.result.checkpoints).toEqual(result.checkpoints);
    const third = await sentBy(firstOf(broken, keepLast(100)));
    expect(codes(third.result)).toEqual(['compaction-failed']);
  });
});

describe('without modelLimits', () => {
  const long = [user(`One ${'x'.repeat(520_000)}`), assistant('Two'), user('Three?')];

  test('summarise knows when the history is too long for the model that is asked', async () => {
    const emulator = await start();
    emulator.script(chat.protocol, says('They counted.'));
    const compaction = summarise({ model: modelOf(chat), env: emulator.env() });
    const asked = ask(emulator, { ...anthropic, model: 'claude-sonnet-4-5' }, { messages: long, compaction });
    expect((await asked.result).checkpoints.map(({ upTo }) => upTo)).toEqual([2]);
    const short = ask(emulator, { ...anthropic, model: 'claude-sonnet-4-5' }, { messages: talk(3), compaction });
    expect((await short.result).checkpoints).toEqual([]);
  });

  test('a history that the summarising model could not take is summarised before it grows that long', async () => {
    const emulator = await start();
    emulator.script(anthropic.protocol, says('They counted.'));
    const compaction = summarise({ model: 'anthropic/claude-haiku-4-5', env: emulator.env() });
    const asked = ask(emulator, { ...google, model: 'gemini-2.5-pro' }, { messages: long, compaction });
    expect((await asked.result).checkpoints.map(({ upTo }) => upTo)).toEqual([2]);
  });

  test('a history longer than the known context does not shorten the answer: the account may have a larger one', async () => {
    const emulator = await start();
    const messages = [user('x'.repeat(900_000))];
    await ask(emulator, { ...anthropic, model: 'claude-sonnet-4-5' }, { messages, params: { maxTokens: 500 } }).result;
    expect(JSON.parse(bodies(emulator)[0]!).max_tokens).toBe(500);
  });
});

test('a checkpoint of another history is not used, an earlier one that fits is, and it is said once', async () => {
  const emulator = await start();
  const messages = talk(6);
  const fitting: Checkpoint = { upTo: 4, digest: rangeDigest(messages, 4), replacement: [user('In short.').raw] };
  const foreign: Checkpoint = { ...fitting, upTo: 6 };
  const unreadable: Checkpoint = { upTo: 8, digest: rangeDigest(messages, 8), replacement: ['{'] };
  const checkpoints = [fitting, foreign, unreadable];
  const result = await ask(emulator, anthropic, { messages, checkpoints }).result;
  expect(codes(result)).toEqual(['compaction']);
  expect(result.checkpoints).toEqual(checkpoints);
  expect(bodies(emulator)[0]).toContain('In short.');
  expect(bodies(emulator)[0]).not.toContain('Question 1 ');
  expect(bodies(emulator)[0]).toContain('Question 2 ');
});

test('a checkpoint is not used once anything that it stands for was edited', async () => {
  const emulator = await start();
  const messages = talk(6);
  const { checkpoints } = await ask(emulator, anthropic, { messages, compaction: keepLast(2) }).result;
  const edited = messages.with(0, user('Something else.'));
  await ask(emulator, anthropic, { messages: edited, checkpoints }).result;
  expect(bodies(emulator)[0]).not.toContain('Question 1 ');
  expect(bodies(emulator)[1]).toContain('Something else.');
});

describe('what a summary costs', () => {
  const costOf = (usage: Usage, _: string, model: string) => ({
    total: model === 'gpt-5.5' ? usage.output * 2 : usage.output,
  });
  const usage = (output: number) => ({ usage: { input: 100, output, reasoning: 0 } });

  test('is part of the usage and the cost of the run', async () => {
    const emulator = await start();
    emulator.script(chat.protocol, says('They talked.', usage(7)));
    emulator.script(anthropic.protocol, says('Now this.', usage(5)));
    const options = { messages: talk(6), compaction: summarising(emulator, chat), costOf };
    const result = await ask(emulator, anthropic, options).result;
    expect(result.steps).toHaveLength(1);
    expect(result.usage).toMatchObject({ input: 200, output: 12 });
    expect(result.cost).toBe(19);
    expect(JSON.parse(result.usage!.native)).toHaveLength(2);
  });

  test('counts also when the summary is of no use, and in limits', async () => {
    const emulator = await start();
    emulator.script(chat.protocol, says(' ', usage(7)));
    emulator.script(anthropic.protocol, [
      { blocks: [{ type: 'tool-use', name: 'get_weather', input: { city: 'Oslo' } }], ...usage(5) },
      says('Never.'),
    ]);
    const compaction = summarising(emulator, chat);
    const options = { messages: talk(6), tools: [weather], compaction, costOf, limits: { cost: 10 } };
    const result = await ask(emulator, anthropic, options).result;
    expect(codes(result)).toContain('compaction-failed');
    expect(result).toMatchObject({ stop: { reason: 'cost' }, cost: 19 });
  });
});

test('who stops a run does not wait for its compaction', async () => {
  const emulator = await start();
  const compaction: Compaction = () => new Promise(() => {});
  const running = ask(emulator, anthropic, { messages: talk(3), compaction });
  running.stop();
  const result = await running.result;
  expect(result.stop.reason).toBe('aborted');
  expect(result.notices).toEqual([]);
  expect(emulator.log).toHaveLength(0);
});

test('a run that fails keeps the checkpoint it made', async () => {
  const emulator = await start();
  emulator.script(anthropic.protocol, { error: { status: 400 } });
  const options = { messages: talk(6), compaction: keepLast(2) };
  const error = await ask(emulator, anthropic, options).result.catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(RunError);
  expect((error as RunError).checkpoints).toHaveLength(1);
});
