// `npm run simulate -- --seconds 3600`: machines with simulated disks, clocks and networks, from one seed after the other.
// A seed that fails is printed; `--seed 42` begins with it, and `--every 2` takes every second one, to run two at once.
// With `--server`, their HTTP API in place of the library; with `--servers 100`, so many recorders with shared databases. The simulation of many programs is `npm run simulation`.
import { setUp } from './setup.mjs';

const given = process.argv.slice(2);
const program = given.includes('--server')
  ? 'packages/server/test/simulator/simulate-servers.ts'
  : given.includes('--servers')
    ? 'packages/forest/test/simulator/simulate-many-servers.ts'
    : 'packages/forest/test/simulator/simulate-many.ts';
const isDone =
  setUp() &&
  (await import('./run-sources.mjs').then(({ runSources }) =>
    runSources(
      program,
      given.filter((argument) => argument !== '--server'),
    ),
  ));
process.exitCode = isDone ? 0 : 1;
