import { defineProvider, provider } from '@skein/core';
import type { Framing } from '@skein/core/dialect';
import { beforeAll, expect, test } from 'vitest';
import { createForest } from '../forest/index.ts';
import { memoryStore } from '../store/index.ts';
import { readAddress } from './describe-request.ts';
import { recordFetch } from './record-fetch.ts';

/** One event per line. */
const lines: Framing = {
  contentTypes: ['application/jsonl'],
  split(push) {
    let rest = '';
    const end = () => {
      if (rest !== '') push(undefined, rest);
      rest = '';
    };
    return {
      push(text) {
        const parts = (rest + text).split('\n');
        rest = parts.pop()!;
        for (const part of parts) push(undefined, part);
      },
      end,
    };
  },
};

beforeAll(() => {
  const base = provider('openai-compatible');
  defineProvider({
    ...base,
    id: 'toy-lines',
    issuer: 'lines.example',
    connection: { ...base.connection!, baseUrl: 'https://lines.example' },
    endpoints: [{ operation: 'ask', method: 'POST', path: /\/say$/ }],
    framing: lines,
  });
});

test('a stream in the framing of its provider was recorded, but not read', async () => {
  const chunk = (delta: object, finish_reason: string | null = null) =>
    JSON.stringify({ id: 'c1', model: 'm', choices: [{ index: 0, delta, finish_reason }] });
  const text = [chunk({ role: 'assistant', content: 'Hel' }), chunk({ content: 'lo' }), chunk({}, 'stop')].join('\n');
  const forest = createForest(memoryStore());
  const answer = async () => new Response(text, { headers: { 'content-type': 'application/jsonl' } });
  const fetch = recordFetch(forest, { fetch: answer });
  const body = JSON.stringify({ model: 'm', stream: true, messages: [{ role: 'user', content: 'Hi' }] });
  await (await fetch('https://lines.example/say', { method: 'POST', body })).text();
  await fetch.settled();
  const [thread] = (await forest.threads.list()).items;
  const path = await forest.path(thread!.head);
  expect(path.map(({ message }) => message.text)).toEqual(['Hi', 'Hello']);
});

test('the paths of one provider were taken for those of all', () => {
  expect(readAddress('POST', '/say', 'toy-lines')).toEqual({
    kind: 'generate',
    dialect: provider('toy-lines').dialect,
  });
  expect(readAddress('POST', '/say', 'openai').kind).toBe('other');
  expect(readAddress('POST', '/say').kind).toBe('other');
});
