import { loadConfig } from '@skein/agents';
import { costOf } from '@skein/core/prices';
import { says } from '@skein/emulator';
import { createForest, memoryStore } from '@skein/forest';
import { expect, test } from 'vitest';
import { question, startWorld } from './kit.ts';
import { recorded, wire } from './proxy-kit.ts';

const chat = { model: 'gpt-5.5', messages: [{ role: 'user', content: 'My number is 555-1234' }] };
const headers = { 'content-type': 'application/json', authorization: 'Bearer sk-client-0123' };

test('recordings are listed by what they are, and read exactly', async () => {
  const { api, emulator, forest, server } = await startWorld();
  emulator.script('openai-chat', [says('Noted.')]);
  const url = `${server.url}/proxy/openai/v1/chat/completions`;
  const body = ` ${JSON.stringify(chat)}\n`;
  const got = await wire(url, { method: 'POST', headers: { ...headers, 'x-skein-tags': 'mine' }, body });
  await wire(url, { method: 'POST', headers, body: '{"model":"does-not-exist","messages":[]}' });
  await recorded(forest, 2);
  expect((await api('GET', '/recordings')).body.items).toHaveLength(2);
  expect((await api('GET', '/recordings?outcome=refused')).body.items).toMatchObject([{ outcome: 'refused' }]);
  expect((await api('GET', '/recordings?provider=groq')).body.items).toEqual([]);
  const newest = (await api('GET', '/recordings?order=newest&limit=1')).body;
  expect(newest.items).toMatchObject([{ outcome: 'refused' }]);
  expect((await api('GET', `/recordings?order=newest&after=${newest.next}`)).body.items).toMatchObject([
    { tags: ['mine'] },
  ]);
  expect((await api('GET', '/recordings?status=4xx')).body.items).toMatchObject([{ outcome: 'refused' }]);
  const [mine] = (await api('GET', '/recordings?tag=mine&status=200')).body.items;
  const one = await api('GET', `/recordings/${mine.id}`);
  expect(one.body).toMatchObject({
    recording: { id: mine.id, provider: 'openai', landing: { state: 'landed', way: 'starts' } },
    request: { text: body },
    response: { text: got.bytes.toString() },
  });
  expect((await api('GET', '/recordings/none')).body).toMatchObject({ status: 404, code: 'unknown_exchange' });
});

test('a call that the API refused says what was asked', async () => {
  const { api, emulator, forest, server } = await startWorld();
  emulator.script('openai-chat', [{ error: { status: 429 } }]);
  const url = `${server.url}/proxy/openai/v1/chat/completions`;
  await wire(url, { method: 'POST', headers, body: JSON.stringify(chat) });
  await wire(url, { method: 'POST', headers, body: 'no JSON' });
  await recorded(forest, 2);
  const { items } = (await api('GET', '/recordings')).body;
  expect(items).toMatchObject([{ outcome: 'refused', prompt: 'My number is 555-1234' }, { outcome: 'refused' }]);
  expect(items[1].prompt).toBeUndefined();
  expect((await api('GET', '/recordings?text=555-1234')).body.items).toHaveLength(1);
  expect((await api('GET', `/recordings/${items[0].id}`)).body.recording.prompt).toBe('My number is 555-1234');
});

test('a recording says what it used, and what that cost where a price is known', async () => {
  const { api, forest, server } = await startWorld({ generate: { costOf } });
  const url = `${server.url}/proxy/openai/v1/chat/completions`;
  await wire(url, { method: 'POST', headers, body: JSON.stringify({ ...chat, model: 'gpt-4o' }) });
  await recorded(forest, 1);
  const [one] = (await api('GET', '/recordings')).body.items;
  expect(one.usage.output).toBeGreaterThan(0);
  expect(one.cost).toBeGreaterThan(0);
  expect((await api('GET', `/recordings/${one.id}`)).body.recording).toMatchObject({ cost: one.cost });
});

test('a recording that is older than the retention is not shown', async () => {
  let now = Date.now();
  const forest = createForest(memoryStore(), { now: () => now });
  const { config } = await loadConfig({ cwd: '/', env: {}, home: '/nonexistent' });
  const { api, server } = await startWorld({
    forest,
    config: { ...config, retention: { days: undefined, recordingDays: 30 } },
  });
  const url = `${server.url}/proxy/openai/v1/chat/completions`;
  await wire(url, { method: 'POST', headers, body: JSON.stringify(chat) });
  const [old] = await recorded(forest, 1);
  now += 20 * 24 * 60 * 60 * 1000;
  expect((await api('GET', '/recordings')).body.items).toHaveLength(1);
  now += 11 * 24 * 60 * 60 * 1000;
  expect((await api('GET', '/recordings')).body.items).toEqual([]);
  expect((await api('GET', '/recordings?since=0')).body.items).toEqual([]);
  expect((await api('GET', `/recordings/${old!.id}`)).status).toBe(404);
});

test('what goes out comes in again, and the same file twice is once', async () => {
  const { api, server } = await startWorld();
  await api('POST', '/threads', { messages: [question('Hello')], title: 'First' });
  const segments = await (await fetch(`${server.url}/api/v1/export?format=segments`)).text();
  const other = await startWorld();
  const bring = () => other.api('POST', '/import', segments, { 'content-type': 'application/octet-stream' });
  expect((await bring()).body).toMatchObject({ format: 'segments', problems: [] });
  expect((await bring()).body).toMatchObject({ added: 0 });
  expect((await other.api('GET', '/threads')).body.items).toMatchObject([{ title: 'First' }]);
  const markdown = await fetch(`${other.server.url}/api/v1/export?format=markdown`);
  expect(await markdown.text()).toContain('Hello');
  expect((await other.api('GET', '/export?format=markdown&thread=none')).body).toMatchObject({ status: 404 });
});

test('an import tells how far it is, and what is wrong with it', async () => {
  const { api } = await startWorld();
  const list = JSON.stringify([question('One'), question('Two')]);
  const followed = await api('POST', '/import?dialect=blocks', list, { accept: 'text/event-stream' });
  expect(followed.body).toContain('event: done');
  expect((await api('POST', '/import', 'not json')).body).toMatchObject({ status: 422, code: 'not_json' });
  // What a page from elsewhere could send without being asked.
  for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x'])
    expect((await api('POST', '/import', list, { 'content-type': type })).body).toMatchObject({
      status: 415,
      code: 'wrong_content_type',
    });
  expect((await api('POST', '/import?format=older', '/etc')).body).toMatchObject({ status: 400 });
  const failed = await api('POST', '/import', 'not json', { accept: 'text/event-stream' });
  expect(failed.body).toContain('event: failed');
});
