// `npm run simulate -- --seconds 3600`: machines with simulated disks, clocks and networks, from one seed after the other.
// A seed that fails is printed; `--seed 42` begins with it, and `--every 2` takes every second one, to run two at once.
// With `--server`, their HTTP API in place of the library; with `--servers 100`, so many recorders with shared databases.
// `--sabotage` breaks the code behind each check, and looks for the seed that notices it: see sabotage.mjs. A regular expression
// behind it chooses some of them, such as `^servers: `. The simulation of many programs is `npm run simulation`.
import { setUp } from './setup.mjs';

const given = process.argv.slice(2);

async function simulate() {
  const program = given.includes('--server')
    ? 'packages/server/test/simulator/simulate-servers.ts'
    : given.includes('--servers')
      ? 'packages/forest/test/simulator/simulate-many-servers.ts'
      : 'packages/forest/test/simulator/simulate-many.ts';
  const { runSources } = await import('./run-sources.mjs');
  return runSources(
    program,
    given.filter((argument) => argument !== '--server'),
  );
}

async function sabotage() {
  const { trySabotages } = await import('./sabotage.mjs');
  const number = (/** @type {string} */ name) =>
    given.includes(name) ? Number(given[given.indexOf(name) + 1]) : undefined;
  const text = given[given.indexOf('--sabotage') + 1] ?? '';
  const [seed, seeds] = [number('--seed'), number('--seeds')];
  return trySabotages(new RegExp(text.startsWith('--') ? '' : text), {
    ...(seed !== undefined && { seed }),
    ...(seeds !== undefined && { seeds }),
  });
}

const isDone = setUp() && (await (given.includes('--sabotage') ? sabotage() : simulate()));
process.exitCode = isDone ? 0 : 1;
