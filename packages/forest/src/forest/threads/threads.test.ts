import { assistant, system, user } from '@skein/core';
import { describe, expect, test } from 'vitest';
import { ROOT } from '../../model/ids.ts';
import { openForest } from '../../open-forest.ts';
import { memoryStore } from '../../store/index.ts';
import { createForest } from '../index.ts';

const clockAt = (start: number) => {
  let time = start;
  return { now: () => time, set: (value: number) => (time = value) };
};

describe('the list of threads', () => {
  test('is in the order of the last change, whatever was changed, and says when that was', async () => {
    const clock = clockAt(1000);
    const forest = createForest(memoryStore(), { now: clock.now });
    const head = await forest.append(ROOT, [user('A')]);
    const ids: string[] = [];
    for (const title of ['1', '2', '3']) ids.push((await forest.threads.create({ head, title })).id);
    clock.set(2000);
    await forest.threads.tag(ids[0]!, { x: true });
    clock.set(3000);
    await forest.threads.tag(ids[0]!, { x: false });
    expect((await forest.threads.list()).items).toMatchObject([
      { title: '1', createdAt: 1000, updatedAt: 3000, tags: [] },
      { title: '3', updatedAt: 1000 },
      { title: '2', updatedAt: 1000 },
    ]);
  });

  test('loses none at the borders of pages when most are deleted or have another tag', async () => {
    const forest = createForest(memoryStore());
    const head = await forest.append(ROOT, [user('A')]);
    const wanted: string[] = [];
    for (let index = 0; index < 40; index++) {
      const { id } = await forest.threads.create({ head });
      if (index % 3 === 0) await forest.threads.tag(id, { keep: true });
      if (index % 2 === 0) await forest.threads.delete(id);
      if (index % 6 === 3) wanted.push(id);
    }
    for (const limit of [1, 2, 5, 7, 100]) {
      const seen: string[] = [];
      for (let after: string | undefined, more = true; more; ) {
        const page = await forest.threads.list({ tag: 'keep', limit, ...(after !== undefined && { after }) });
        seen.push(...page.items.map(({ id }) => id));
        after = page.next;
        more = after !== undefined;
      }
      expect(seen.toSorted()).toEqual(wanted.toSorted());
    }
    expect((await forest.threads.list({ deleted: true })).items).toHaveLength(20);
  });

  test('of a node has those that lead through it or end above it, not those beside it', async () => {
    const forest = createForest(memoryStore());
    const above = await forest.append(ROOT, [user('A')]);
    const node = await forest.append(above, [assistant('B')]);
    const below = await forest.append(node, [user('C')]);
    const beside = await forest.append(above, [assistant('D'), user('E')]);
    const titles: Record<string, string> = { above, node, below, beside };
    for (const [title, head] of Object.entries(titles)) await forest.threads.create({ head, title });
    const of = async (id: string) => (await forest.threads.of(id)).map(({ title }) => title).sort();
    expect(await of(node)).toEqual(['above', 'below', 'node']);
    expect(await of(below)).toEqual(['above', 'below', 'node']);
    expect(await of(ROOT)).toHaveLength(4);
    const many = Array.from({ length: 1100 }, (_, index) => index);
    for (const index of many) await forest.append(node, [user(`${index}`)]);
    expect(await of(node)).toEqual(['above', 'below', 'node']);
  });

  test('through nodes has the last changed one that contains each, also below a large tree', async () => {
    const forest = createForest(memoryStore());
    const first = await forest.append(ROOT, [user('A')]);
    const second = await forest.append(first, [assistant('B')]);
    const lone = await forest.append(ROOT, [user('Nobody')]);
    const old = await forest.threads.create({ head: second, title: 'old' });
    await forest.threads.create({ head: first, title: 'above' });
    const titles = async () => {
      const found = await forest.threads.through([first, second, lone]);
      return [first, second, lone].map((node) => found.get(node)?.title);
    };
    expect(await titles()).toEqual(['above', 'old', undefined]);
    for (let index = 0; index < 1100; index += 1) await forest.append(second, [user(`${index}`)]);
    await forest.threads.rename(old.id, 'new');
    expect(await titles()).toEqual(['new', 'new', undefined]);
    await forest.threads.delete(old.id);
    expect(await titles()).toEqual(['above', undefined, undefined]);
  });
});

test('names from outside are checked', async () => {
  const forest = createForest(memoryStore());
  const head = await forest.append(ROOT, [user('A')]);
  for (const id of ['', '../x', 'a/b', 'x'.repeat(201)])
    await expect(forest.threads.create({ head, id })).rejects.toMatchObject({ code: 'bad_name' });
  await expect(forest.tag(head, { ' ': true })).rejects.toMatchObject({ code: 'bad_name' });
  await expect(forest.tag(head, { 'a\u0000': true })).rejects.toMatchObject({ code: 'bad_name' });
  await expect(forest.rate(head, Number.NaN)).rejects.toMatchObject({ code: 'bad_name' });
  await expect(openForest(':memory:', { project: '../x' })).rejects.toMatchObject({ code: 'bad_name' });
  await forest.tag(head, { __proto__x: true, constructor: true });
  expect((await forest.node(head)).marks.tags).toEqual(['__proto__x', 'constructor']);
});

test('a change counts after one that was made on a machine whose clock is ahead', async () => {
  const store = memoryStore();
  const ahead = createForest(store, { now: () => 10_000_000 });
  const behind = createForest({ ...store, writer: 'b' }, { now: () => 9_000_000 });
  const node = await ahead.append(ROOT, [user('A')]);
  const thread = await ahead.threads.create({ head: node, title: 'First' });
  expect(await behind.threads.rename(thread.id, 'Second')).toMatchObject({ title: 'Second' });
  await ahead.note(node, 'x');
  await behind.note(node, null);
  expect((await ahead.node(node)).marks).toEqual({ tags: [] });
  for (const [one, other] of [
    [ahead, behind],
    [behind, ahead],
  ] as const) {
    await one.remove(node);
    await other.restore(node);
    expect((await one.node(node)).removed).toBe(false);
    await one.threads.delete(thread.id);
    expect(await other.threads.restore(thread.id)).toMatchObject({ deleted: false });
  }
  await behind.remove(node);
  expect((await ahead.node(node)).removed).toBe(true);
});

test('a node that was restored on a machine whose clock is ahead is removed and leaves its children', async () => {
  const store = memoryStore();
  const ahead = createForest(store, { now: () => 10_000_000 });
  const behind = createForest({ ...store, writer: 'b' }, { now: () => 9_000_000 });
  const node = await ahead.append(ROOT, [user('A')]);
  await ahead.remove(node);
  await ahead.append(node, [user('B')]);
  await behind.remove(node, { keepChildren: true });
  expect((await ahead.topology()).items.map(({ parent }) => parent)).toEqual([ROOT]);
});

test('a thread that nobody named is named after its first question', async () => {
  const forest = createForest(memoryStore());
  const head = await forest.append(ROOT, [system('Be brief.'), user(`  What\nis ${'very '.repeat(30)}long?`)]);
  const { title } = await forest.threads.create({ head });
  expect(title).toMatch(/^What is very very .*…$/);
  expect(title.length).toBeLessThanOrEqual(80);
  expect((await forest.threads.create({ head, title: '' })).title).toBe('');
});

describe('a change by a clock that is days behind the stamps that are stored', () => {
  const DAY_MS = 24 * 60 * 60 * 1000;
  const now = Date.UTC(2026, 10, 16);

  test.each([
    ['two days', 2 * DAY_MS],
    ['fifty years', 50 * 365 * DAY_MS],
  ])('counts, by %s', async (_, ahead) => {
    const store = memoryStore();
    const early = createForest(store, { now: () => now + ahead });
    const head = await early.append(ROOT, [user('A'), assistant('B')]);
    const [first] = await early.path(head);
    const { id } = await early.threads.create({ head, title: 'Theirs' });
    await early.threads.tag(id, { x: true });
    await early.note(head, 'theirs');
    const { id: mark } = await early.bookmarks.add(head, 'Theirs');

    const forest = createForest({ ...store, writer: 'b' }, { now: () => now });
    await forest.threads.rename(id, 'Ours');
    await forest.threads.tag(id, { x: false });
    await forest.note(head, 'ours');
    await forest.bookmarks.rename(mark, 'Ours');
    await forest.threads.moveHead(id, first!.id);
    expect(await forest.threads.get(id)).toMatchObject({ title: 'Ours', tags: [], head: first!.id });
    expect((await forest.node(head)).marks).toMatchObject({ note: 'ours' });
    expect((await forest.bookmarks.list()).items).toMatchObject([{ title: 'Ours' }]);
    await forest.threads.rename(id, 'Ours again');
    expect(await forest.threads.get(id)).toMatchObject({ title: 'Ours again' });
    await forest.bookmarks.remove(mark);
    await forest.remove(head);
    expect((await forest.node(head)).removed).toBe(true);
    // Our own clock was not taken along.
    expect(forest.clock.tick() < early.clock.tick()).toBe(true);
  });

  test('is refused where nothing can be later', async () => {
    const store = memoryStore();
    const forest = createForest(store);
    const head = await forest.append(ROOT, [user('A')]);
    const { id } = await forest.threads.create({ head, title: 'T' });
    await store.append([{ k: 'ref', on: 'thread', key: id, name: 'title', value: 'Last', clock: '~' }]);
    await expect(forest.threads.rename(id, 'Ours')).rejects.toMatchObject({ code: 'clock_ahead' });
    expect(await forest.threads.get(id)).toMatchObject({ title: 'Last' });
  });
});
