import { expect, test } from 'vitest';
import { comparePlaces, cursorError, pageLimit, readCursor, toPage } from './page.ts';
import { StoreError } from './store.ts';

const items = [10, 20, 30, 40];
const placeOf = (item: number) => [item];

test('a page has its limit of items, and leads to the next if there are more', () => {
  expect(toPage(items, placeOf, { limit: 3 })).toStrictEqual({ items: [10, 20, 30], next: '[30]' });
  expect(toPage(items, placeOf, { limit: 4 })).toStrictEqual({ items });
  expect(toPage(items, placeOf)).toStrictEqual({ items });
  expect(toPage(items, placeOf, { limit: 3, after: '[30]' })).toStrictEqual({ items: [40] });
  expect(toPage([], placeOf, { limit: 1 })).toStrictEqual({ items: [] });
});

test('a page goes on behind a place, whatever is there by now', () => {
  for (const [after, expected] of [
    ['[5]', items],
    ['[10]', [20, 30, 40]],
    ['[25]', [30, 40]],
    ['[40]', []],
    ['[99]', []],
  ] as const)
    expect(toPage(items, placeOf, { after }).items, after).toEqual(expected);
  expect(toPage([...items].reverse(), placeOf, { after: '[25]' }, -1).items).toEqual([20, 10]);
});

test('places are compared part by part', () => {
  expect(comparePlaces([1, 'b'], [1, 'a'])).toBe(1);
  expect(comparePlaces([1, 'a'], [1, 'b'])).toBe(-1);
  expect(comparePlaces([1, 'z'], [2, 'a'])).toBe(-1);
  expect(comparePlaces([2, 'a'], [1, 'z'])).toBe(1);
  expect(comparePlaces([1, 'a'], [1, 'a'])).toBe(0);
});

test('a page has at least one item, and a hundred if nobody says how many', () => {
  expect([pageLimit({}), pageLimit({ limit: 0 }), pageLimit({ limit: -5 }), pageLimit({ limit: 2.9 })]).toEqual([
    100, 1, 1, 2,
  ]);
});

test('what is no cursor is refused in words', () => {
  expect(readCursor('[1,"a"]')).toEqual([1, 'a']);
  expect(readCursor('[1,"a"]', [0, ''])).toEqual([1, 'a']);
  for (const after of ['', 'x', '{}', '"a"', '5', 'null', '[null]', '[1,[2]]', '[{}]', '[true,1]', '{"length":0}'])
    expect(() => readCursor(after), after).toThrow(
      new StoreError('store_cursor', `${JSON.stringify(after)} is not a cursor of this list. Start without "after".`),
    );
  for (const after of ['[]', '[1]', '["a",1]', '[1,2]', '["a","b"]', '[1,"a",2]'])
    expect(() => readCursor(after, [0, '']), after).toThrow(StoreError);
  for (const after of ['["10"]', '[10,10]']) expect(() => toPage(items, placeOf, { after }), after).toThrow(StoreError);
  expect(toPage([], placeOf, { after: '["10"]' }).items).toEqual([]);
  expect(cursorError('x')).toMatchObject({ name: 'StoreError', code: 'store_cursor' });
});
