/** The program of `npm run simulate -- --servers 100`. */
import { simulateManyServers } from './many-servers.ts';
import { runSeeds } from './run-seeds.ts';

const total = { exchanges: 0, operations: 0 };
const placedAfterMs: number[] = [];

await runSeeds(
  async (seed, steps, sizes) => {
    const { figures, ...result } = await simulateManyServers(seed, steps, sizes);
    total.exchanges += figures.exchanges;
    total.operations += figures.operations;
    for (const ms of figures.placedAfterMs) placedAfterMs.push(ms);
    return result;
  },
  { servers: 100, projects: 8, databases: 3 },
);
placedAfterMs.sort((a, b) => a - b);
const at = (share: number) => Math.round(placedAfterMs[Math.floor((placedAfterMs.length - 1) * share)] ?? 0);
console.log(
  `${total.exchanges} exchanges, ${(total.operations / total.exchanges).toFixed(0)} operations of a database for each; ` +
    `placed after ${at(0.5)} ms (median), ${at(0.95)} ms (95 %), ${at(1)} ms (most) where nothing was away`,
);
