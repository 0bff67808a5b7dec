import { anthropicMessages, assistant, openaiChat, system, user } from '@skein/core';
import { describe, expect, test } from 'vitest';
import { ROOT } from '../model/ids.ts';
import { memoryStore } from '../store/index.ts';
import { createForest } from './index.ts';

const forestOf = () => createForest(memoryStore());
const claude = (value: unknown) =>
  anthropicMessages.parseMessage(JSON.stringify(value), { model: 'claude-sonnet-4-5' });

describe('append', () => {
  test('the same bytes after the same history are one node', async () => {
    const forest = forestOf();
    const first = await forest.append(ROOT, [user('Hi'), assistant('Hello')]);
    expect(await forest.append(ROOT, [user('Hi'), assistant('Hello')])).toBe(first);
    expect(await forest.append(ROOT, [])).toBe(ROOT);
    expect((await forest.children(ROOT)).items).toHaveLength(1);
    const other = await forest.append(ROOT, [user('Hi'), assistant('Hello!')]);
    expect((await forest.siblings(other)).map(({ message }) => message.text)).toEqual(['Hello', 'Hello!']);
  });

  test('an id may be abbreviated; an unknown and an ambiguous one are clear errors', async () => {
    const forest = forestOf();
    const id = await forest.append('root', [user('Hi')]);
    expect((await forest.node(id.slice(0, 8))).id).toBe(id);
    await expect(forest.node('ffffffff')).rejects.toMatchObject({ code: 'unknown_node' });
    await expect(forest.node('no such')).rejects.toMatchObject({ code: 'not_an_id' });
    await expect(forest.append('ffff', [user('Hi')])).rejects.toMatchObject({ code: 'unknown_node' });
  });

  test('what a model reported is never said of the words of a user', async () => {
    const forest = forestOf();
    const usage = { input: 1, cacheRead: 0, cacheWrite5m: 0, cacheWrite1h: 0, output: 2, reasoning: 0, native: '{}' };
    const head = await forest.append(ROOT, [user('Hi'), claude({ role: 'assistant', content: 'Yo' })], {
      via: 'generate',
      author: 'model',
      usage,
    });
    const [asked, said] = await forest.path(head);
    expect(asked?.takes[0]).toMatchObject({ author: 'person' });
    expect(asked?.takes[0]).not.toHaveProperty('usage');
    expect(said?.takes[0]).toMatchObject({ author: 'model', usage });
  });
});

describe('observe', () => {
  const full = claude({
    role: 'assistant',
    content: [
      { type: 'thinking', thinking: 'hm', signature: 's' },
      { type: 'text', text: 'Yes' },
    ],
  });

  test('a degraded copy of a reply never stands beside the full one', async () => {
    const forest = forestOf();
    const head = await forest.append(ROOT, [user('Really?'), full]);
    const seen = await forest.observe([user('Really?'), assistant('Yes'), user('Why?')]);
    expect(seen).toMatchObject({ node: head, matched: 2, by: 'echo', otherSystem: false });
    expect((await forest.path(seen.head)).map(({ message }) => message.raw)).toEqual(
      [user('Really?'), full, user('Why?')].map(({ raw }) => raw),
    );
  });

  test('what is asked again is answered beside an empty reply, not below it', async () => {
    const forest = forestOf();
    const silent = claude({ role: 'assistant', content: [] });
    const question = await forest.append(ROOT, [user('Really?'), full, user('Why?')]);
    const head = await forest.append(question, [silent]);
    const asked = [user('Really?'), assistant('Yes'), user('Why?')];
    expect(await forest.match(asked)).toMatchObject({ node: question, matched: 3 });
    expect(await forest.match([...asked, assistant('')])).toMatchObject({ node: head, matched: 4 });
    expect(await forest.match([...asked, user('Well?')])).toMatchObject({ node: head, matched: 3 });
  });

  test('another system text over the same history stays where it is, and is noted', async () => {
    const forest = forestOf();
    const head = await forest.append(ROOT, [system('A'), user('Q'), full]);
    expect(await forest.observe([system('B'), user('Q'), full, user('More')])).toMatchObject({
      node: head,
      matched: 3,
      otherSystem: true,
    });
  });

  test('of equal-looking histories the one with the same system text is preferred', async () => {
    const forest = forestOf();
    const a = await forest.append(ROOT, [system('A'), user('Q'), full]);
    await forest.append(ROOT, [system('B'), user('Q'), full]);
    const chat = (role: string, content: string) => openaiChat.parseMessage(JSON.stringify({ role, content }));
    const { raw } = system('A');
    expect(raw).toContain('A');
    expect(await forest.match([system('A'), chat('user', 'Q'), chat('assistant', 'Yes')])).toMatchObject({ node: a });
  });
});

test('threads are made, listed, forked, deleted and brought back', async () => {
  const forest = forestOf();
  const head = await forest.append(ROOT, [user('Hi'), assistant('Hello')]);
  const thread = await forest.threads.create({ head, title: 'First' });
  const fork = await forest.threads.fork(thread.id, { at: (await forest.node(head)).parent, title: 'Second' });
  expect((await forest.threads.list()).items.map(({ title }) => title)).toEqual(['Second', 'First']);
  await forest.threads.tag(thread.id, { good: true });
  await forest.threads.delete(fork.id);
  expect((await forest.threads.list()).items).toMatchObject([{ title: 'First', tags: ['good'] }]);
  expect(await forest.threads.restore(fork.id)).toMatchObject({ deleted: false, forkedFrom: thread.id });
  await expect(forest.threads.get('nope')).rejects.toMatchObject({ code: 'unknown_thread' });
});

test('a path from a node of another branch is refused, not given whole', async () => {
  const forest = createForest(memoryStore());
  const top = await forest.append(ROOT, [user('Top')]);
  const [a, b] = [await forest.append(top, [assistant('A')]), await forest.append(top, [assistant('B'), user('C')])];
  const texts = async (to: string, from?: string) => (await forest.path(to, from)).map(({ message }) => message.text);
  expect(await texts(b, top)).toEqual(['B', 'C']);
  expect(await texts(b, b)).toEqual([]);
  expect(await texts(b, ROOT)).toEqual(['Top', 'B', 'C']);
  await expect(forest.path(b, a)).rejects.toMatchObject({ code: 'not_above', subject: a });
  await expect(forest.path(top, b)).rejects.toMatchObject({ code: 'not_above', subject: b });
  await expect(forest.path(ROOT, a)).rejects.toMatchObject({ code: 'not_above', subject: a });
});
