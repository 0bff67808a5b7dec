/** A recorder that keeps only the last exchanges in memory, and the facts of the others in its store. */
import { createForest, createRecorder, memoryStore, type Store } from '@skein/forest';
import { overlayStore } from '@skein/forest/store';
import { expect, test } from 'vitest';
import { simulate } from '../../../bench/simulation/conversations.mjs';
import { type Recorded, recordAll } from '../../../bench/simulation/record.mjs';
import { createProjector } from '../src/record/projection/projector.ts';
import { memoryFacts } from './memory-facts.ts';
import { seen } from './record-exchanges.ts';

const recordedOf = (seed: number, conversations: number) =>
  recordAll(simulate({ seed, conversations, users: 20 }), { createForest, createRecorder, memoryStore });

const LIMITS = { steps: 60, every: 20, rows: 50 };

function storeWithFacts(): Store {
  return overlayStore(memoryStore(), { facts: memoryFacts() });
}

/** In the order of their starts, a few at a time. */
async function arrive(store: Store, recorded: readonly Recorded[], each: () => Promise<void>): Promise<void> {
  for (const [at, { records }] of recorded.toSorted((a, b) => a.exchange.start - b.exchange.start).entries()) {
    await store.append(records);
    if (at % 7 === 6) await each();
  }
  await each();
}

async function placedInMemory(recorded: readonly Recorded[]) {
  const store = memoryStore();
  const projector = createProjector(createForest(store));
  await arrive(store, recorded, () => projector.run());
  return seen(store);
}

test.each([1, 2, 3])('exchanges have the places that they have with all facts in memory (seed %i)', async (seed) => {
  const recorded = await recordedOf(seed, 60);
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

test('two recorders of one store take over the facts that the other has stored', async () => {
  const recorded = await recordedOf(4, 60);
  const expected = await placedInMemory(recorded);
  const store = storeWithFacts();
  const projectors = [1, 2].map(() => createProjector(createForest(store), LIMITS));
  let turn = 0;
  await arrive(store, recorded, async () => {
    turn += 1;
    // Now one, now the other, now both at once.
    const chosen = projectors.filter((_, at) => turn % 3 !== at);
    await Promise.all(chosen.map((projector) => projector.run()));
  });
  expect(await seen(store)).toEqual(expected);
});

test('a recorder that begins anew at any time places what follows as one that never ended', async () => {
  const recorded = await recordedOf(5, 60);
  const expected = await placedInMemory(recorded);
  const store = storeWithFacts();
  await arrive(store, recorded, () => createProjector(createForest(store), LIMITS).run());
  expect(await seen(store)).toEqual(expected);
});

test('the memory of a recorder does not grow with the number of exchanges', async () => {
  const recorded = await recordedOf(6, 120);
  const store = storeWithFacts();
  const projector = createProjector(createForest(store), LIMITS);
  const sizes: number[] = [];
  await arrive(store, recorded, async () => {
    await projector.run();
    const { steps, rows } = projector.memory();
    expect(steps).toBeLessThan(LIMITS.steps + LIMITS.every);
    sizes.push(rows);
  });
  expect(recorded.length).toBeGreaterThan(500);
  // Two generations, and what one step and one fold need at once.
  expect(Math.max(...sizes)).toBeLessThan(1000);
});

test('a start reads as many exchanges as the limits say, whatever the store has', async () => {
  const counts: number[] = [];
  for (const conversations of [60, 120]) {
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
