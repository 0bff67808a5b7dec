import { assistant, user } from '@skein/core';
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
  expect((await forest.siblings(head)).map(({ message }) => message.text)).toEqual(['Oslo.', 'Rome.', 'Oslo.']);
  expect((await forest.threads.get(id)).head).toBe(head);

  emulator.script('openai-responses', [says('Bergen.')]);
  const second = await collect({ models: [CLAUDE, GPT], n: 2, maxCost: 0, judge: async () => 7 });
  expect(second.map(({ model, isKept, rating }) => ({ model, isKept, rating }))).toEqual([
    { model: CLAUDE, isKept: true, rating: 7 },
    { model: CLAUDE, isKept: true, rating: 7 },
  ]);
  const [bergen] = await collect({ models: [GPT] });
  expect(bergen).toMatchObject({ model: GPT, differs: true, isKept: false });
});
