import { expect, test } from 'vitest';
import { simulateManyServers } from './many-servers.ts';

// `npm run simulate -- --servers 100` runs for longer, with more servers.

const size = { servers: 8, projects: 2, databases: 2 };

test('servers that share databases place each exchange once, whichever of them dies, and wherever its project moves', async () => {
  for (const seed of [1, 2]) {
    const { faults, figures } = await simulateManyServers(seed, 8, size);
    expect(faults).toBeGreaterThan(0);
    expect(figures.exchanges).toBeGreaterThan(100);
  }
});

test('the same seed gives the same run', async () => {
  // Modules that are loaded on first use take real time, which no simulated clock knows.
  await simulateManyServers(7, 3, size);
  const [first, second] = [await simulateManyServers(7, 3, size), await simulateManyServers(7, 3, size)];
  expect(second).toEqual(first);
});
