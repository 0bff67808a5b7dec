// `npm run simulate -- --seconds 3600`: machines with simulated disks, clocks and networks, from one seed after the other.
// A seed that fails is printed; `--seed 42` begins with it, and `--every 2` takes every second one, to run two at once.
// The simulation of many programs is `npm run simulation`.
import { setUp } from './setup.mjs';

const isDone =
  setUp() &&
  (await import('./run-sources.mjs').then(({ runSources }) =>
    runSources('packages/forest/test/simulator/simulate-many.ts', process.argv.slice(2)),
  ));
process.exitCode = isDone ? 0 : 1;
