import { expect, test } from 'vitest';
import { toCompleter } from './prompt.ts';

test('a second Tab before the first is answered does not insert the completion twice', async () => {
  const completer = toCompleter(async (line) => [[`${line}ello`], line]);
  const ask = () =>
    new Promise((resolve) => {
      completer('h', (_error, [found]) => resolve(found));
    });
  expect(await Promise.all([ask(), ask()])).toEqual([['hello'], []]);
  expect(await ask()).toEqual(['hello']);
});
