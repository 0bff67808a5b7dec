import { expect, test } from 'vitest';
import { readAsked } from './suggestions.tsx';

test('a slash asks only at the beginning of a message, an @ before any word', () => {
  expect(readAsked('/rev', 4)).toEqual({ sign: '/', words: 'rev', at: 0 });
  expect(readAsked('and/or', 6)).toBeUndefined();
  expect(readAsked('/usr/bin', 8)).toBeUndefined();
  expect(readAsked('ask @po', 7)).toEqual({ sign: '@', words: 'po', at: 4 });
  expect(readAsked('me@home', 7)).toBeUndefined();
  expect(readAsked('@a later', 2)).toEqual({ sign: '@', words: 'a', at: 0 });
});
