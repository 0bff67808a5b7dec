import { createForest } from '@skein/forest';
import { overlayStore } from '@skein/forest/store';
import { expect, test } from 'vitest';
import { createProjector } from '../src/record/projection/projector.ts';
import { seen } from './record-exchanges.ts';
import { arrive, LIMITS, placedInMemory, recordedOf, storeWithFacts } from './record-facts-kit.ts';

test('exchanges have the places that they have with all facts in memory', async () => {
  const recorded = await recordedOf(1, 60);
  expect(recorded.length).toBeGreaterThan(2 * (LIMITS.steps + LIMITS.every));
  const expected = await placedInMemory(recorded);
  const store = storeWithFacts();
  const projector = createProjector(createForest(store), LIMITS);
  await arrive(store, recorded, () => projector.run());
  expect(await seen(store)).toEqual(expected);
  const rebuilt = await projector.rebuild();
  expect(rebuilt.exchanges).toBe(recorded.length);
  expect(rebuilt.landed + rebuilt.waiting + rebuilt.nothing).toBe(recorded.length);
  expect(await seen(store)).toEqual(expected);
});

test('a start reads as many exchanges as the limits say, whatever the store has', async () => {
  const counts: number[] = [];
  for (const conversations of [40, 80]) {
    const recorded = await recordedOf(7, conversations);
    const store = storeWithFacts();
    const first = createProjector(createForest(store), LIMITS);
    await arrive(store, recorded, () => first.run());
    let read = 0;
    const counting = overlayStore(store, {
      entries: async (kind, query) => {
        const page = await store.entries(kind, query);
        read += page.items.length;
        return page;
      },
      entry: (kind, id) => {
        read += 1;
        return store.entry(kind, id);
      },
      refs: async (query) => {
        const page = await store.refs(query);
        read += page.items.length;
        return page;
      },
    });
    await createProjector(createForest(counting), LIMITS).run();
    counts.push(read);
  }
  // An exchange has a record, a few parts and a placement.
  for (const count of counts) expect(count).toBeLessThan((LIMITS.steps + LIMITS.every) * 8);
});

test('an exchange that ends after the facts of its time were stored is placed as of its end', async () => {
  const recorded = await recordedOf(8, 60);
  const store = storeWithFacts();
  const projector = createProjector(createForest(store), LIMITS);
  const [late, ...others] = recorded;
  await arrive(store, others, () => projector.run());
  await store.append(late!.records);
  await projector.run();
  const { items } = await store.refs({ on: 'forest', keys: [late!.id], names: ['landed'] });
  expect(items[0]?.value).toMatchObject({ state: 'landed' });
  expect(projector.memory().steps).toBeLessThan(LIMITS.steps + LIMITS.every);
});
