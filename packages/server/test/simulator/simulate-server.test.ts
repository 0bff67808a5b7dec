import { expect, test } from 'vitest';
import { simulateServer } from './simulate-server.ts';

// `npm run simulate -- --server` runs for as long as one likes. These are short, and the same every time.

test('servers that crash, lose power, run out of space and meet over HTTP keep what their clients were told, and agree', async () => {
  for (const seed of [1, 2]) expect((await simulateServer(seed, 12)).faults).toBeGreaterThan(0);
});

test('the same seed gives the same run of servers', async () => {
  // Modules that are loaded on first use take real time, which no simulated clock knows.
  await simulateServer(3, 6);
  const [first, second] = [await simulateServer(3, 6), await simulateServer(3, 6)];
  expect(second).toEqual(first);
});
