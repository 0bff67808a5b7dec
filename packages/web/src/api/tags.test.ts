import { expect, test } from 'vitest';
import { diffTags } from './tags.ts';

test('only what comes or goes is told', () => {
  expect(diffTags(['a', 'b'], ' b,  c c ,, b')).toEqual({ a: false, 'c c': true });
  expect(diffTags(['a'], 'a')).toEqual({});
  expect(diffTags(['a'], ' ')).toEqual({ a: false });
});
