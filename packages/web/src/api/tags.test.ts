import { expect, test } from 'vitest';
import { tagChanges } from './tags.ts';

test('only what comes or goes is told', () => {
  expect(tagChanges(['a', 'b'], ' b,  c c ,, b')).toEqual({ a: false, 'c c': true });
  expect(tagChanges(['a'], 'a')).toEqual({});
  expect(tagChanges(['a'], ' ')).toEqual({ a: false });
});
