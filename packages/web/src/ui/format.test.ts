import { expect, test } from 'vitest';
import { pluralize } from './format.ts';

test('one is not counted as several', () => {
  expect([0, 1, 2, 1234].map((count) => pluralize(count, 'star'))).toEqual([
    '0 stars',
    '1 star',
    '2 stars',
    '1,234 stars',
  ]);
});
