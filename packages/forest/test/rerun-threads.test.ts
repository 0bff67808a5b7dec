import { assistant, tool, user } from '@skein/core';
import { says } from '@skein/emulator';
import { type RerunAnswer, type RerunOptions, rerunThreads } from '@skein/forest';
import { expect, test } from 'vitest';
import { processes } from './engine-kit.ts';
import { start } from './kit.ts';

const CLAUDE = 'anthropic/claude-opus-5-5';
const GPT = 'openai/gpt-5.2';

test('other models answer the last question beside the original, and a stopped run goes on where it was', async () => {
  const emulator = await start();
  const { forest, engine } = processes(emulator)();
  const { id, head } = await forest.threads.begin([user('Which city?'), assistant('Oslo.')]);
  emulator.script('anthropic-messages', [says('Rome.'), says('Oslo.')]);
  const collect = async (options: Omit<RerunOptions, 'threads'>) => {
    const rows: RerunAnswer[] = [];
    for await (const row of rerunThreads(forest, engine, { threads: [id], ...options })) rows.push(row);
    return rows;
  };
  const first = await collect({ models: [CLAUDE], n: 2, check: ({ message }) => message.text === 'Oslo.' });
  expect(first).toMatchObject([
    { model: CLAUDE, original: head, status: 'done', characters: 5, differs: true, passed: false, isKept: false },
    { model: CLAUDE, original: head, differs: false, passed: true, isKept: false },
  ]);
  expect(first.map(({ difference }) => difference)).toEqual([{ at: 0, original: 'Oslo.', answer: 'Rome.' }, undefined]);
  expect((await forest.siblings(head)).map(({ message }) => message.text)).toEqual(['Oslo.', 'Rome.', 'Oslo.']);
  expect((await forest.threads.get(id)).head).toBe(head);

  emulator.script('openai-responses', [says('Bergen.')]);
  const second = await collect({ models: [CLAUDE, GPT], n: 2, maxCost: 0, judge: async () => ({ rating: 4 }) });
  expect(second.map(({ model, isKept, rating }) => ({ model, isKept, rating }))).toEqual([
    { model: CLAUDE, isKept: true, rating: 4 },
    { model: CLAUDE, isKept: true, rating: 4 },
  ]);
  const [bergen] = await collect({ models: [GPT] });
  expect(bergen).toMatchObject({ model: GPT, differs: true, isKept: false });
});

test('answers that differ in their tool calls alone differ, and the place is the first argument that does', async () => {
  const emulator = await start();
  const { forest, engine } = processes(emulator)();
  const call = (city: string) => ({
    type: 'tool-use' as const,
    id: 'toolu_1',
    name: 'get_weather',
    parameters: { city },
    rawParameters: JSON.stringify({ city }),
  });
  const { id } = await forest.threads.begin([
    user('Weather?'),
    assistant([{ type: 'text', text: 'I look.' }, call('Oslo')]),
  ]);
  const calls = (city: string) => ({
    blocks: [
      { type: 'text' as const, text: 'I look.' },
      { type: 'tool-use' as const, name: 'get_weather', input: { city } },
    ],
  });
  emulator.script('anthropic-messages', [calls('Rome'), calls('Oslo'), says('I look.')]);
  const rows: RerunAnswer[] = [];
  for await (const row of rerunThreads(forest, engine, { threads: [id], models: [CLAUDE], n: 3 })) rows.push(row);
  // Nothing ran, so no result was sent.
  expect(emulator.log).toHaveLength(3);
  expect(rows).toMatchObject([
    {
      ...{ status: 'done', toolCalls: 1, characters: 7, differs: true },
      difference: { at: 29, original: '…et_weather({"city":"Oslo"})', answer: '…et_weather({"city":"Rome"})' },
    },
    { toolCalls: 1, differs: false },
    { toolCalls: 0, characters: 7, differs: true, difference: { at: 7, answer: '' } },
  ]);
});

test('a conversation is asked again with the tools and settings that it was asked with', async () => {
  const emulator = await start();
  const { forest, engine } = processes(emulator)();
  const { id, head } = await forest.threads.begin([user('Weather?')]);
  emulator.script('anthropic-messages', [says('Where?')]);
  let runs = 0;
  const look = tool({
    ...{ name: 'get_weather', description: 'Looks it up.', input: { type: 'object' } },
    execute: () => String(runs++),
  });
  const asked = { model: CLAUDE, thread: id, tools: [look], params: { maxTokens: 77 } };
  await (await engine.generate(head, asked)).result;
  emulator.script('openai-responses', [{ blocks: [{ type: 'tool-use', name: 'get_weather', input: {} }] }]);
  const rows: RerunAnswer[] = [];
  for await (const row of rerunThreads(forest, engine, { threads: [id], models: [GPT] })) rows.push(row);
  expect(rows).toMatchObject([{ status: 'done', toolCalls: 1, difference: { answer: 'get_weather({})' } }]);
  expect(JSON.parse(String(emulator.log.at(-1)!.body))).toMatchObject({
    max_output_tokens: 77,
    tools: [{ name: 'get_weather', description: 'Looks it up.' }],
  });
  expect([runs, emulator.log.length]).toEqual([0, 2]);
});

test('a model that asks to slow down is asked again, and the run goes on', async () => {
  const emulator = await start();
  const { forest, engine } = processes(emulator)();
  const { id } = await forest.threads.begin([user('Which city?'), assistant('Oslo.')]);
  emulator.script('anthropic-messages', [
    { error: { status: 429, message: 'Slow down.' }, retryAfter: { ms: 1 } },
    says('Rome.'),
  ]);
  const rows: RerunAnswer[] = [];
  for await (const row of rerunThreads(forest, engine, { threads: [id], models: [CLAUDE] })) rows.push(row);
  expect(rows).toMatchObject([{ status: 'done', characters: 5 }]);
  expect(emulator.log).toHaveLength(2);
});

test('a judge sees the question, rates from -5 to 5, and its cost counts; one that fails ends nothing', async () => {
  const emulator = await start();
  const { forest, engine } = processes(emulator)();
  const threads: string[] = [];
  for (const city of ['Oslo', 'Rome', 'Bern', 'Riga'])
    threads.push((await forest.threads.begin([user(`Where is ${city}?`), assistant('Somewhere.')])).id);
  const seen: (string | undefined)[] = [];
  const judgements = [{ rating: -5, cost: 0.6 }, undefined, { cost: 0.6 }];
  const judge: RerunOptions['judge'] = async (_answer, _original, question) => {
    seen.push(question?.message.text);
    return judgements[seen.length - 1] ?? Promise.reject(new Error('too busy'));
  };
  const rows: RerunAnswer[] = [];
  for await (const row of rerunThreads(forest, engine, { threads, models: [CLAUDE], judge, maxCost: 1 }))
    rows.push(row);
  expect(seen).toEqual(['Where is Oslo?', 'Where is Rome?', 'Where is Bern?']);
  // The fourth conversation is left: the judge has cost more than the limit.
  expect(rows.map(({ rating, error }) => [rating, error])).toEqual([
    [-5, undefined],
    [undefined, 'The judge gave no rating: too busy'],
    [undefined, undefined],
  ]);
  await expect(forest.rate(rows[0]!.node!, 7)).rejects.toMatchObject({ code: 'bad_name' });
});

test('a rating that an earlier version stored on its scale of ten is shown on the scale from -5 to 5', async () => {
  const emulator = await start();
  const { forest } = processes(emulator)();
  const { head, id } = await forest.threads.begin([user('Which city?'), assistant('Oslo.')]);
  const ref = (on: 'node' | 'thread', key: string, value: number) =>
    forest.store.append([{ k: 'ref', on, key, name: 'rating', value, clock: forest.clock.tick() }]);
  const shown = async () => [(await forest.node(head)).marks.rating, (await forest.threads.get(id)).rating];
  await ref('node', head, 10);
  await ref('thread', id, 6);
  expect(await shown()).toEqual([5, 0.6]);
  await forest.rate(head, -2);
  await forest.threads.rate(id, 4);
  expect(await shown()).toEqual([-2, 4]);
});
