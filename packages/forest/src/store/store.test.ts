import { expect, test } from 'vitest';
import { memoryStore } from './memory-store.ts';
import { type FactStore, type MonthPartitions, overlayStore, type Store, StoreError } from './store.ts';

test('a store with some methods replaced has all others of the store below, on that store itself', async () => {
  class Counting {
    #asked = 0;
    readonly writer = 'w';
    problems(): unknown[] {
      this.#asked += 1;
      return Array.from({ length: this.#asked });
    }
    isAlive = () => Promise.resolve(true);
  }
  const below = new Counting() as unknown as Store;
  const store = overlayStore(below, { isAlive: () => Promise.resolve(false) });
  expect([store.problems().length, below.problems().length, store.writer]).toEqual([1, 2, 'w']);
  expect(await store.isAlive('w')).toBe(false);
});

test('it has facts and months only if the store below has them', () => {
  const [facts, months] = [{} as FactStore, {} as MonthPartitions];
  const store = memoryStore();
  const withBoth = overlayStore({ ...store, facts, months }, {});
  expect([withBoth.facts, withBoth.months]).toEqual([facts, months]);
  expect(withBoth.facts).toBe(facts);
  const { facts: _, months: __, ...plain } = store;
  const without = overlayStore(plain as Store, {});
  expect(['facts' in without, 'months' in without]).toEqual([false, false]);
  expect(Object.keys(without).sort()).toEqual(Object.keys(plain).sort());
});

test('the error of a store says what it was caused by', () => {
  const cause = new Error('raw');
  const error = new StoreError('store_failed', 'It failed.', cause);
  expect([error.code, error.message, error.cause]).toEqual(['store_failed', 'It failed.', cause]);
});
