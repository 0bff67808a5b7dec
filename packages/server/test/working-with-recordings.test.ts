import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadConfig } from '@skein/agents';
import { assistant, user } from '@skein/core';
import { costOf } from '@skein/core/prices';
import { says } from '@skein/emulator';
import { cassetteFetch, ROOT, recordFetch } from '@skein/forest';
import { expect, onTestFinished, test } from 'vitest';
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

test('simulate: what recorded requests would have cost otherwise, beside how they were sent', async () => {
  const { api, emulator, forest, server } = await startWorld({ generate: { costOf } });
  const usage = { cache_creation_input_tokens: 0, cache_read_input_tokens: 0, input_tokens: 2000 };
  emulator.script('anthropic-messages', [says('One.', { extra: { usage } }), says('Two.', { extra: { usage } })]);
  const system = [{ type: 'text', text: 'Be brief and kind. '.repeat(400) }];
  for (const content of ['Hello there, first of all.', 'Hello again, second of all.'])
    await wire(`${server.url}/proxy/anthropic/v1/messages`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': 'k', 'anthropic-version': '2023-06-01' },
      body: JSON.stringify({
        model: 'claude-sonnet-4-5',
        max_tokens: 50,
        system,
        messages: [{ role: 'user', content }],
      }),
    });
  const [one] = await recorded(forest, 2);
  const { items } = (await api('POST', '/caching/simulate', { scenarios: ['mark-system', 'openai/gpt-5.2'], since: 0 }))
    .body;
  expect(items).toMatchObject([
    { id: 'recorded', scenario: 'as it was sent', requests: 2, read: 0, written: 0 },
    { id: 'mark-system', requests: 2, prompt: 4000 },
    { id: 'openai/gpt-5.2', scenario: 'answered by openai/gpt-5.2', requests: 2 },
  ]);
  // The second request reads what the first one wrote.
  expect(items[1].read).toBe(items[1].written);
  expect(items[1].read).toBeGreaterThan(1900);
  expect(items[1].cost).toBeLessThan(items[0].cost);
  const thread = one!.landing!.thread!;
  expect((await api('POST', '/caching/simulate', { scenarios: ['1h'], thread })).body.items[1].requests).toBe(1);
  expect((await api('POST', '/caching/simulate', { scenarios: ['1h'], thread: 'none' })).status).toBe(404);
  const magic = await api('POST', '/caching/simulate', { scenarios: ['magic'] });
  expect(magic).toMatchObject({
    status: 400,
    body: { detail: expect.stringContaining('"magic" cannot be simulated') },
  });
});

test('cassettes: the files, whether they still answer what was recorded, rules to accept, and a corrupt file by its line', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'skein-cassettes-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const { config } = await loadConfig({ cwd: '/', env: {}, home: '/nonexistent' });
  const { api, forest } = await startWorld({ config: { ...config, cassettes: folder } });
  const answer = async () => Response.json({ choices: [{ index: 0, message: { role: 'assistant', content: 'Hi' } }] });
  const ask = (content: string) => ({
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'gpt-5.2', messages: [{ role: 'user', content }] }),
  });
  const address = 'https://api.openai.com/v1/chat/completions';
  expect((await api('GET', '/cassettes')).body).toEqual({ items: [], rules: [] });
  const tape = cassetteFetch({ cassette: folder, mode: 'record-missing', fetch: answer });
  for (const content of ['It is 08:00. Hello', 'Nobody asks this']) await (await tape(address, ask(content))).text();
  await tape.finish();
  const send = recordFetch(forest, { fetch: answer });
  await (await send(address, ask('It is 09:30. Hello'))).text();
  await send.settled();

  const file = { method: 'POST', host: 'api.openai.com', path: '/v1/chat/completions', model: 'gpt-5.2', status: 200 };
  expect((await api('GET', '/cassettes')).body).toEqual({
    items: [
      { file: '0001-gpt-5.2.json', ...file, tags: [] },
      { file: '0002-gpt-5.2.json', ...file, tags: [] },
    ],
    rules: [],
  });
  const before = (await api('GET', '/cassettes/check')).body;
  expect(before).toMatchObject({
    ...{ requests: 1, hits: 0, unused: ['0001-gpt-5.2.json', '0002-gpt-5.2.json'] },
    drifted: [{ path: '/v1/chat/completions', message: expect.stringContaining('they part at messages[0]') }],
    proposals: [{ path: 'messages[0].content', match: expect.any(String), kind: 'time' }],
  });
  const [{ path, match }] = before.proposals;
  const { rules } = (await api('POST', '/cassettes/rules', { rules: [{ path, match }] })).body;
  expect(rules).toEqual(before.proposals);
  expect((await api('GET', '/cassettes/check')).body).toMatchObject({
    hits: 1,
    drifted: [],
    unused: ['0002-gpt-5.2.json'],
  });
  expect((await api('GET', `/cassettes/check?since=${Date.now() + 10_000}`)).body.requests).toBe(0);
  const wrong = await api('POST', '/cassettes/rules', { rules: [{ path: 'user', match: '(' }] });
  expect(wrong).toMatchObject({ status: 422, body: { code: 'unreadable_cassette' } });

  writeFileSync(join(folder, '0002-gpt-5.2.json'), '{\n  "cassette": 1,\n  "request"');
  const corrupt = await api('GET', '/cassettes');
  expect(corrupt).toMatchObject({
    status: 422,
    body: { detail: expect.stringMatching(/^0002-gpt-5\.2\.json:3 is no JSON/) },
  });
  expect(JSON.stringify(corrupt.body)).not.toContain(folder);
});

test('accepting rules where there are no cassettes makes no folder', async () => {
  const { api } = await startWorld();
  expect((await api('POST', '/cassettes/rules', { rules: [{ path: 'user' }] })).status).toBe(400);
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
