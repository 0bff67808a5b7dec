import { assistant, user } from '@skein/core';
import { costOf } from '@skein/core/prices';
import { says } from '@skein/emulator';
import { ROOT } from '@skein/forest';
import { expect, test } from 'vitest';
import { startWorld } from './kit.ts';
import { recorded, wire } from './proxy-kit.ts';

test('caching: sums, the causes that cost most, and a thread turn by turn', async () => {
  const { api, emulator, forest, server } = await startWorld({ generate: { costOf } });
  const written = { cache_creation_input_tokens: 1900, cache_read_input_tokens: 0, input_tokens: 20 };
  emulator.script('anthropic-messages', [
    says('Monday.', { extra: { usage: written } }),
    says('Still Monday.', { extra: { usage: written } }),
  ]);
  const headers = { 'content-type': 'application/json', 'x-api-key': 'k', 'anthropic-version': '2023-06-01' };
  const rules = 'Be brief and kind. '.repeat(400);
  const ask = (time: string, messages: object[]) =>
    wire(`${server.url}/proxy/anthropic/v1/messages`, {
      method: 'POST',
      headers: { ...headers, 'user-agent': 'my-agent/1.0', 'x-skein-tags': 'nightly' },
      body: JSON.stringify({
        ...{ model: 'claude-sonnet-4-5', max_tokens: 50, messages },
        system: [{ type: 'text', text: `It is ${time}. ${rules}`, cache_control: { type: 'ephemeral' } }],
      }),
    });
  const opening = { role: 'user', content: 'Hello there, which day is it?' };
  const first = JSON.parse((await ask('10:00', [opening])).bytes.toString());
  await ask('10:05', [opening, { role: 'assistant', content: first.content }, { role: 'user', content: 'And?' }]);
  const [one] = await recorded(forest, 2);
  const all = (await api('GET', '/caching')).body;
  expect(all).toMatchObject({
    all: { requests: 2, read: 0, paid: expect.any(Number) },
    models: [{ name: 'anthropic/claude-sonnet-4-5', requests: 2 }],
    apps: [{ name: 'my-agent', requests: 2 }],
    tags: [{ name: 'nightly', requests: 2 }],
    days: [{ requests: 2 }],
  });
  expect(all.turns).toBeUndefined();
  const thread = one!.landing!.thread!;
  const { turns } = (await api('GET', `/caching?thread=${thread}`)).body;
  expect(turns).toMatchObject([
    { thread, node: expect.any(String), cause: 'first', missed: 0 },
    { thread, app: 'my-agent', cause: 'volatile', place: 'system[0].text', sentence: expect.stringContaining('10:05') },
  ]);
  expect(all.causes).toMatchObject([{ cause: 'volatile', app: 'my-agent', example: turns[1] }]);
  expect(all.causes[0].total.missedCost).toBeGreaterThan(0);
  expect((await api('GET', `/caching?since=${Date.now() + 10_000}`)).body.all.requests).toBe(0);
  expect((await api('GET', '/caching?thread=none')).status).toBe(404);
});

test('rerun: answers arrive as events, are rated, and are kept by the next run; what is unknown is refused before', async () => {
  const { api, emulator, forest } = await startWorld();
  const original = await forest.append(ROOT, [user('Capital of Norway?'), assistant('Bergen')]);
  const { id: thread } = await forest.threads.create({ head: original });
  emulator.script('openai-chat', [says('Oslo')]);
  emulator.script('anthropic-messages', [says('4')]);
  const wish = { threads: [thread], models: ['openai-chat/gpt-5.5'], judge: 'anthropic/claude-sonnet-4-5' };
  const events = async () => {
    const { body } = await api('POST', '/rerun', wish);
    const data = [...String(body).matchAll(/^event: (\w+)\ndata: (.*)$/gm)];
    return data.map(([, event, text]) => [event, JSON.parse(text!)]);
  };
  const answer = { status: 'done', text: 'Oslo', originalText: 'Bergen', differs: true, rating: 4, original };
  expect(await events()).toMatchObject([
    ['answer', { ...answer, isKept: false }],
    ['done', {}],
  ]);
  const asked = emulator.log.length;
  expect((await events())[0]).toMatchObject(['answer', { ...answer, isKept: true }]);
  expect(emulator.log).toHaveLength(asked);
  expect((await api('POST', '/rerun', { ...wish, threads: ['none'] })).status).toBe(404);
  expect((await api('POST', '/rerun', { ...wish, models: ['nobody/nothing'] })).status).toBe(422);
  expect((await api('POST', '/rerun', { ...wish, models: [] })).status).toBe(400);
});

test('export: datasets take filters and a split, and a table is a table', async () => {
  const { api, forest, server } = await startWorld();
  const head = await forest.append(ROOT, [user('Capital?'), assistant('Oslo')], { at: 1000 });
  const { id } = await forest.threads.create({ head });
  await forest.threads.tag(id, { good: true });
  const get = async (query: string) => (await fetch(`${server.url}/api/v1/export?${query}`)).text();
  expect(await get('format=sharegpt&tag=good&threads=true&deduplicate=true')).toContain('"gpt"');
  expect(await get('format=sharegpt&tag=bad')).toBe('');
  const parts = ['train', 'test'].map((part) => get(`format=inspect&part=${part}&share=0.5&seed=a`));
  expect((await Promise.all(parts)).join('')).toMatch(/^\{"id":.*\}\n$/);
  const table = await api('GET', '/export?format=csv&since=0&until=2000');
  expect(table.headers.get('content-type')).toContain('text/csv');
  expect(String(table.body).split('\r\n')).toHaveLength(3);
  expect((await api('GET', '/export?format=segments&tag=good')).status).toBe(400);
});
