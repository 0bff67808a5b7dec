import { beforeEach, expect, test } from 'vitest';
import { IndexDamage, PAGE_BYTES, PageCache } from './pages.ts';
import { KeyTable, RowMap, Rows } from './rows.ts';

let cache: PageCache;
beforeEach(() => {
  cache = new PageCache({ scratch: () => ({}) as never }, '/', 2 ** 20);
});

const place = (start: number) => ({ segment: 3, start, length: 9 });
/** How many rows of four words fit into a page. */
const PER_PAGE = PAGE_BYTES / 16;

test('rows have places of their own, and others have none', () => {
  const [zeroth, second, first] = [new Rows(cache, 4), new Rows(cache, 4), new Rows(cache, 4)];
  // A cache gives its first page, and then the others from the last one on, so that `first` lies in front of `second`.
  for (const rows of [zeroth, second]) rows.setWord(0, 0, 0);
  for (let row = 0; row < PER_PAGE; row++) {
    expect(first.add()).toBe(row);
    expect(first.hasPlace(row)).toBe(false);
    first.setPlace(row, place(2 ** 33 + row));
  }
  second.add();
  for (const row of [-1, 0, 1])
    expect([second.hasPlace(row), second.place(row)], String(row)).toEqual([false, undefined]);
  // Whatever is in its page.
  second.setPlace(1, place(1));
  expect([second.hasPlace(1), second.place(1)]).toEqual([false, undefined]);
  second.setPlace(0, place(0));
  expect([second.hasPlace(0), second.place(0), second.count]).toEqual([true, place(0), 1]);
  for (const row of [0, 7, PER_PAGE - 1]) expect(first.place(row)).toEqual(place(2 ** 33 + row));
  expect(first.save()).toMatchObject({ pageCount: 1, count: PER_PAGE });
  first.add();
  expect(first.save()).toMatchObject({ pageCount: 2, count: PER_PAGE + 1 });
});

test('a key changes only its own words', () => {
  const rows = new Rows(cache, 6);
  for (let row = 0; row < 3; row++) {
    rows.add();
    for (let at = 0; at < 6; at++) rows.setWord(row, at, 100 * row + at);
  }
  rows.setKey(1, 2, new Uint32Array([0x04030201, 8, 9, 10]));
  const words = [0, 1, 2].map((row) => [0, 1, 2, 3, 4, 5].map((at) => rows.word(row, at)));
  expect(words).toEqual([
    [0, 1, 2, 3, 4, 5],
    [100, 101, 0x04030201, 8, 9, 10],
    [200, 201, 202, 203, 204, 205],
  ]);
  const longer = new Uint32Array(4).fill(7);
  expect([...rows.readKey(1, 2, longer.subarray(0, 3)), longer[3]]).toEqual([0x04030201, 8, 9, 7]);
  expect([rows.byte(1, 2), rows.byte(0, 1)]).toEqual([1, 1]);
  for (const [key, expected] of [
    [[0x04030201, 8, 9, 10], true],
    [[0x04030201, 8, 9, 11], false],
    [[0x04030200, 8, 9, 10], false],
  ] as const)
    expect(rows.hasKey(1, 2, new Uint32Array(key))).toBe(expected);
});

test('keys that begin alike are told apart', () => {
  const table = new KeyTable(cache, { width: 12, at: 4, bytes: 20 });
  const keys = ['00', '01', 'ff', '10'].map((end) => `${'ab'.repeat(19)}${end}`);
  const find = (key: string) => {
    table.key.set(Buffer.from(key, 'hex'));
    return table.find();
  };
  for (const [row, key] of keys.entries()) {
    expect(find(key)).toBe(-1);
    expect(table.add()).toBe(row);
  }
  expect(keys.map(find)).toEqual([0, 1, 2, 3]);
  expect([0, 1, 2, 3].map((row) => table.hexOf(row))).toEqual(keys);
});

test('a map that was dropped gives its room to others, and answers nobody', () => {
  const map = new RowMap(cache);
  map.add(7, 1);
  expect(map.find(7, () => true)).toBe(1);
  map.drop();
  expect(() => map.find(7, () => true)).toThrow(IndexDamage);
});
