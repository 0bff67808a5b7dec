import { expect, test } from 'vitest';
import { simulate } from './simulate.ts';

// `npm run simulate` runs for an hour. These are short, and the same every time.

test('machines that crash, lose power, run out of space and meet over a bad network keep what they acknowledged, and agree', async () => {
  for (const seed of [1, 2]) expect((await simulate(seed, 12)).faults).toBeGreaterThan(0);
});

test('the same seed gives the same run', async () => {
  // Modules that are loaded on first use take real time, which no simulated clock knows.
  await simulate(7, 6);
  const [first, second] = [await simulate(7, 6), await simulate(7, 6)];
  expect(second).toEqual(first);
});
