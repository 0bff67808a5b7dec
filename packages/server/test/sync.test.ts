import { loadConfig } from '@skein/agents';
import { user } from '@skein/core';
import { createForest, memoryStore, ROOT, remotePeer, type SyncCall, storePeer, syncForests } from '@skein/forest';
import { expect, test } from 'vitest';
import { startWorld } from './kit.ts';

const both = { direction: 'both' } as const;

test('a forest meets that of a server over its route, whole or by a selection', async () => {
  const { api, forest } = await startWorld();
  const here = createForest(memoryStore());
  const kept = await here.threads.begin([user('Hello')]);
  await here.threads.tag(kept.id, { work: true });
  await here.threads.begin([user('Another')]);
  await forest.threads.begin([user('There already')]);
  const there = remotePeer(async (call: SyncCall) => (await api('POST', '/sync', call)).body);
  const some = await syncForests(storePeer(here.store), there, { ...both, selection: { tag: 'work' } });
  expect(some.messages).toEqual({ sent: 1, received: 0 });
  const rest = await syncForests(storePeer(here.store), there, both);
  expect(rest.messages).toEqual({ sent: 1, received: 1 });
  expect(await syncForests(storePeer(here.store), there, both)).toMatchObject({ sent: 0, received: 0 });
  expect(await forest.fsck()).toEqual([]);
});

test('the route writes nothing without a token, for another version, for a wrong hash, or while texts are hidden', async () => {
  const token = 'correct-horse-battery';
  const here = createForest(memoryStore());
  const id = await here.append(ROOT, [user('Hello')]);
  const peer = storePeer(here.store);
  await peer.summaries(['']);
  const items = await peer.items(['']);
  const { records } = await peer.read(items.toSorted((a, b) => a.rank - b.rank).map((item) => item.id));
  const { api, forest } = await startWorld({ token });
  const write = (change: object, headers: Record<string, string> = { authorization: `Bearer ${token}` }) =>
    api('POST', '/sync', { version: 3, call: 'write', list: records, ...change }, headers);
  const wrong = records.map((one) =>
    one.record.k === 'body' ? { ...one, record: { ...one.record, text: '{"role":"user","content":"Evil"}' } } : one,
  );
  expect((await write({}, {})).status).toBe(401);
  expect((await write({ version: 0 })).body).toMatchObject({ status: 409, code: 'sync_version' });
  expect((await write({ list: wrong })).body).toMatchObject({ status: 422, code: 'sync_refused' });
  // A node without its text, and one whose text comes from nowhere.
  expect((await write({ list: records.filter(({ record }) => record.k !== 'body') })).status).toBe(422);
  expect((await write({ list: [null] })).status).toBe(422);
  expect((await write({ call: 'close' })).status).toBe(422);
  expect((await forest.store.scan()).items).toEqual([]);
  expect((await forest.store.changes()).items).toEqual([]);
  const { config } = await loadConfig({ cwd: '/', env: {}, home: '/nonexistent' });
  const redaction = { ...config.redaction, patterns: ['sk-[a-z]+'] };
  const hiding = await startWorld({ config: { ...config, redaction } });
  expect((await hiding.api('POST', '/sync', { version: 3, call: 'version' })).body.code).toBe('would_lose');
  expect((await write({})).body).toEqual({ result: records.length });
  expect((await forest.node(id)).message.text).toBe('Hello');
});
