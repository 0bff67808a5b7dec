import { samples, tool, user } from '@skein/core';
import { says } from '@skein/emulator';
import { expect, test } from 'vitest';
import { APIS, ask, bodies, chat, expectAccepted, modelOf, start, weather } from './kit.ts';

test.each(APIS)('$protocol: three samples, each with its own calls and its own answer', async (api) => {
  let calls = 0;
  const emulator = await start({
    brain: ({ results }) =>
      results.length === 0
        ? { blocks: [{ type: 'tool-use', name: 'draw', input: {} }] }
        : says(`I drew ${JSON.stringify(results[0])}.`),
  });
  const draw = tool({ name: 'draw', execute: () => `card ${++calls}` });
  const options = { model: modelOf(api), env: emulator.env(), messages: [user('Draw.')], tools: [draw] };
  const results = await Promise.all(samples(3, options).map(({ result }) => result));
  expect(results).toHaveLength(3);
  expect(new Set(results.map(({ text }) => text)).size).toBe(3);
  expect(results.every(({ messages }) => messages.length === 3)).toBe(true);
  expect(emulator.log).toHaveLength(6);
  expectAccepted(emulator);
});

test('a seed is not the same for all', async () => {
  const emulator = await start();
  const options = { model: modelOf(chat), env: emulator.env(), messages: [user('Hi.')], params: { seed: 7 } };
  await Promise.all(samples(3, options).map(({ result }) => result));
  expect(
    bodies(emulator)
      .map((body) => (JSON.parse(body) as { seed: number }).seed)
      .sort(),
  ).toEqual([7, 8, 9]);
});

test('further choices that a provider gives itself are kept', async () => {
  const emulator = await start();
  emulator.script(chat.protocol, { ...says('One.'), alternatives: [[{ type: 'text', text: 'Two.' }]] });
  const result = await ask(emulator, chat, { messages: [user('Hi.')], extraBody: { n: 2 }, tools: [weather] }).result;
  expect(result.text).toBe('One.');
  expect(result.steps[0]?.alternatives.map(({ message }) => message.text)).toEqual(['Two.']);
});
