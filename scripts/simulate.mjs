// `npm run simulate -- --seconds 3600`: machines with simulated disks, clocks and networks, from one seed after the other.
// A seed that fails is printed, and `--seed 42` begins with it. The simulation of many programs is `npm run simulation`.
import { parseArgs } from 'node:util';
import { setUp, tool } from './setup.mjs';

const { values } = parseArgs({
  options: { seconds: { type: 'string', default: '3600' }, seed: { type: 'string', default: '1' } },
});
process.env.SKEIN_SIMULATE_SECONDS = values.seconds;
process.env.SKEIN_SIMULATE_SEED = values.seed;
const done = setUp() && tool('vitest', ['run', 'packages/forest/test/simulator', '--testTimeout=0']);
process.exitCode = done ? 0 : 1;
