import { expect, test } from 'vitest';
import { readEntries, sharedLength, writeEntries } from './columns.ts';

const path = (ids: string) => [...ids].map((id) => ({ id }));

test('an address holds nodes and generations, and is written as it was read', () => {
  const text = 'ab12,g-x_9,cd34';
  expect(readEntries(text)).toEqual([
    { kind: 'node', id: 'ab12' },
    { kind: 'generation', id: 'x_9' },
    { kind: 'node', id: 'cd34' },
  ]);
  expect(writeEntries(readEntries(text))).toBe(text);
});

test('nothing, doubles, too many and what is no id', () => {
  expect(readEntries('')).toEqual([]);
  expect(readEntries('a1,a1, ,b/2,c3,d4,e5,f6').map(({ id }) => id)).toEqual(['a1', 'c3', 'd4', 'e5']);
});

test('what all paths have in common', () => {
  expect(sharedLength([path('abcd'), path('abxy'), path('abc')])).toBe(2);
  expect(sharedLength([path('abc'), path('abc')])).toBe(3);
  expect(sharedLength([path('abc'), path('xyz')])).toBe(0);
});

test('one path alone shows its last message', () => {
  expect(sharedLength([path('abc')])).toBe(2);
  expect(sharedLength([])).toBe(0);
});
