import { createForest } from '@skein/forest';
import { expect, test } from 'vitest';
import { createProjector } from '../src/record/projection/projector.ts';
import { seen } from './record-exchanges.ts';
import { arrive, LIMITS, placedInMemory, recordedOf, storeWithFacts } from './record-facts-kit.ts';

test.each([2, 3, 4, 5])('exchanges have the places that they have with all facts in memory (seed %i)', async (seed) => {
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
