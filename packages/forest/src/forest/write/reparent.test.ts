import { assistant, user } from '@skein/core';
import { expect, test } from 'vitest';
import { createClock } from '../../model/clock.ts';
import { ROOT } from '../../model/ids.ts';
import { memoryStore, type Store } from '../../store/index.ts';
import { createForest } from '../index.ts';
import { makeNodeRecords, readAppendPoint } from './append-point.ts';
import { reparent } from './reparent.ts';

const visible = async (store: Store) => {
  const { items } = await createForest(store).topology({ limit: 1000 });
  return items.map(({ id }) => id).sort();
};

/** A tree of some twenty nodes below a node, marked here and there, and a place to hang it. */
async function grown(store: Store) {
  let time = 1_700_000_000_000;
  // No two nodes of one moment: their order would be up to chance.
  const forest = createForest(store, { now: () => ++time });
  const top = await forest.append(ROOT, [user('Top')]);
  for (const text of ['a', 'b', 'c'])
    for (const more of ['1', '2', '3'])
      await forest.tag(await forest.append(top, [assistant(text), user(more)]), { [more]: true });
  await forest.remove((await forest.children(top)).items[1]!.id);
  return { top, onto: await forest.append(ROOT, [user('Onto')]) };
}

test('a crash between the batches of a large move leaves the old tree, and the move can be done again', async () => {
  const whole = memoryStore();
  const { top, onto } = await grown(whole);
  await createForest(whole).graft(top, onto);
  const wanted = await visible(whole);

  for (let crashAt = 1; ; crashAt++) {
    const store = memoryStore();
    await grown(store);
    const before = await visible(store);
    let batches = 0;
    const failing: Store = {
      ...store,
      append(records) {
        batches += 1;
        return batches >= crashAt ? Promise.reject(new Error('power cut')) : store.append(records);
      },
    };
    const move = async (on: Store) =>
      reparent(
        { store: on, clock: createClock('w') },
        { tops: (await on.nodes([top])) as never, onto: await readAppendPoint(on, onto), via: 'graft' },
        7,
      );
    const isDone = await move(failing).then(
      () => true,
      () => false,
    );
    if (!isDone) {
      expect(await visible(store)).toEqual(before);
      const forest = createForest(store);
      expect(await forest.resolve(top)).toBe(top);
      await move(store);
    }
    expect(await visible(store)).toEqual(wanted);
    const forest = createForest(store);
    expect(await forest.fsck()).toEqual([]);
    const tagged = (await forest.descendants(ROOT, { withRemoved: true })).items.filter(({ marks }) => marks.tags[0]);
    expect(tagged).toHaveLength(9);
    if (isDone) return expect(crashAt).toBeGreaterThan(4);
  }
});

test('what another process appends while its parent moves is found at the new place', async () => {
  const store = memoryStore();
  const { top, onto } = await grown(store);
  const writing = createForest(store);
  let isFirst = true;
  // The other process has looked up the parent, and writes after it was moved.
  const late: Store = {
    ...store,
    async append(records) {
      if (isFirst) await writing.graft(top, onto);
      isFirst = false;
      return store.append(records);
    },
  };
  const id = await createForest(late).append(top, [assistant('late')]);
  expect((await writing.node(id)).parent).toBe(await writing.resolve(top));
  expect((await writing.leaves()).items.map((node) => node.message.text)).toContain('late');
});

test('what was appended unseen below an old id is found by settle, is reported, and survives gc', async () => {
  for (const action of ['settle', 'gc', 'restore'] as const) {
    const store = memoryStore();
    const { top, onto } = await grown(store);
    const forest = createForest(store);
    const place = await readAppendPoint(store, top);
    await forest.graft(top, onto);
    const { body, node } = makeNodeRecords(place, assistant('unseen'), 1);
    await store.append([body, node]);
    expect(await forest.fsck()).toMatchObject([{ code: 'wrong-place', where: node.id }]);
    await forest[action](node.id);
    expect((await forest.leaves()).items.map(({ message }) => message.text)).toContain('unseen');
    expect((await forest.node(node.id)).parent).toBe(await forest.resolve(top));
    expect(await forest.fsck()).toEqual([]);
  }
});

test('of two moves of one node at the same time one counts for its ids, and nothing is lost', async () => {
  const store = memoryStore();
  const { top } = await grown(store);
  const [one, other] = [createForest(store), createForest({ ...store, writer: 'other' })];
  const places = [await one.append(ROOT, [user('P1')]), await one.append(ROOT, [user('P2')])];
  const before = (await one.descendants(top, { withRemoved: true })).items;
  await Promise.all([one.graft(top, places[0]!), other.graft(top, places[1]!)]);
  const now = await one.node(top);
  expect(places).toContain(now.parent);
  expect(now.removed).toBe(false);
  const leads = await Promise.all(before.map(async ({ id }) => (await one.path(id))[0]!.id));
  expect(new Set(leads)).toEqual(new Set([now.parent]));
  expect(await one.fsck()).toEqual([]);
});
