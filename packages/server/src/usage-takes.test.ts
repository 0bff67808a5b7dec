import { assistant, user } from '@skein/core';
import { openForest } from '@skein/forest';
import { expect, test } from 'vitest';
import { readUsageTakes } from './usage-takes.ts';

const USAGE = { input: 3, output: 4, cacheRead: 0, cacheWrite5m: 0, cacheWrite1h: 0, reasoning: 0, native: '{}' };

test('usage is read whole once, and then only what was written since', async () => {
  const forest = await openForest(':memory:');
  let scans = 0;
  let looked = 0;
  const store = {
    scan: (...page: Parameters<typeof forest.store.scan>) => {
      scans += 1;
      return forest.store.scan(...page);
    },
    takes: (nodes: readonly string[]) => {
      looked += nodes.length;
      return forest.store.takes(nodes);
    },
    changes: (after?: string) => forest.store.changes(after),
  };
  const answer = (text: string) =>
    forest.append('root', [user(text), assistant('Yes.')], { usage: USAGE, model: 'one', provider: 'any' });
  await answer('First?');
  const first = await readUsageTakes(store);
  expect(first.map(({ model, usage }) => [model, usage.input])).toContainEqual(['one', 3]);
  expect(await readUsageTakes(store)).toEqual(first);
  const before = looked;
  await answer('Second?');
  const [one, two] = await Promise.all([readUsageTakes(store), readUsageTakes(store)]);
  expect(one).toHaveLength(first.length * 2);
  expect(two).toEqual(one);
  expect({ scans, looked: looked - before }).toEqual({ scans: 1, looked: 2 });
  await forest.close();
});

test('after the store was cleaned up, usage is read again', async () => {
  const forest = await openForest(':memory:');
  await forest.append('root', [user('Hello?'), assistant('Yes.')], { usage: USAGE });
  expect(await readUsageTakes(forest.store)).not.toEqual([]);
  await forest.store.compact(({ k }) => k !== 'take');
  expect(await readUsageTakes(forest.store)).toEqual([]);
  await forest.close();
});
