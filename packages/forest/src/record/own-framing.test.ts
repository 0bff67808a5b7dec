import { defineProvider, provider } from '@skein/core';
import { beforeAll, expect, test } from 'vitest';
import { createForest } from '../forest/index.ts';
import { toyLines, toyLinesProvider } from '../model/test-toy-lines.ts';
import { memoryStore } from '../store/index.ts';
import { readAddress } from './describe-request.ts';
import { recordFetch } from './record-fetch.ts';

beforeAll(() => void defineProvider(toyLinesProvider()));

test('a stream in the framing of its provider was recorded, but not read', async () => {
  const text = toyLines(['Hel', 'lo']);
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
