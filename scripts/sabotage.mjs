// `npm run simulate -- --sabotage`: breaks the code behind each thing that a simulator checks, and looks for the seed that
// notices it. A check that notices nothing is blind.
import { spawnSync } from 'node:child_process';
import { SABOTAGES as ofForest } from '../packages/forest/test/simulator/sabotages.mjs';
import { SABOTAGES as ofServer } from '../packages/server/test/simulator/sabotages.mjs';
import { bundleSources, NODE_OPTIONS } from './run-sources.mjs';

/**
 * A change of the code after which something no longer holds.
 * @typedef {object} Sabotage
 * @property {keyof typeof SIMULATORS} simulator
 * @property {string} holds what the simulator checks
 * @property {string} says what the failing check says
 * @property {string} broken what the change does
 * @property {readonly import('./run-sources.mjs').SourceChange[]} changes
 * @property {number} seed the first seed from 1 whose run notices it
 */

/** The programs of the simulators, and how long a run is here. */
const SIMULATORS = {
  machines: { program: 'packages/forest/test/simulator/simulate-many.ts', args: ['--steps', '40'] },
  servers: { program: 'packages/server/test/simulator/simulate-servers.ts', args: ['--steps', '40'] },
  'many servers': {
    program: 'packages/forest/test/simulator/simulate-many-servers.ts',
    args: ['--steps', '8', '--servers', '8', '--projects', '2', '--databases', '2'],
  },
};

/** @type {readonly Sabotage[]} */
export const SABOTAGES = /** @type {readonly Sabotage[]} */ ([...ofForest, ...ofServer]);

/** How many seeds are tried. */
const SEEDS = 20;
const LONGEST_MS = 600_000;

/**
 * The seeds of a simulator, one after the other, until one fails and says a text.
 * @param {string} bundle
 * @param {Sabotage} sabotage
 * @param {{ seed: number, seeds: number }} which
 * @returns {{ found?: { seed: number, step: number }, others: number[], runs: number, cpuSeconds: number }}
 */
function runSeeds(bundle, { simulator, says }, { seed, seeds }) {
  const args = ['--seed', String(seed), '--runs', String(seeds), '--until', says, ...SIMULATORS[simulator].args];
  const { stdout, stderr, status } = spawnSync(process.execPath, [...NODE_OPTIONS, bundle, ...args], {
    encoding: 'utf8',
    timeout: LONGEST_MS,
    maxBuffer: 2 ** 28,
  });
  const [, json] = /^RESULT (.*)$/m.exec(stdout) ?? [];
  if (json === undefined)
    throw new Error(`The simulator ended with ${status} and without a result:\n${stderr.slice(-2000)}`);
  return JSON.parse(json);
}

/**
 * Looks for the first seed that notices a sabotage and that passes without it.
 * @param {Sabotage} sabotage
 * @param {{ seed?: number, seeds?: number }} [which]
 */
export async function noticeSabotage(sabotage, { seed = sabotage.seed, seeds = SEEDS } = {}) {
  const { program } = SIMULATORS[sabotage.simulator];
  const name = `-sabotaged-${process.pid}`;
  const result = runSeeds(await bundleSources(program, { name, changes: sabotage.changes }), sabotage, { seed, seeds });
  const { found } = result;
  const control =
    found && runSeeds(await bundleSources(program, { name: '-whole' }), sabotage, { seed: found.seed, seeds: 1 });
  return { ...result, isNoticed: control !== undefined && !control.found && control.others.length === 0 };
}

/**
 * Tries those sabotages whose simulator and description match, and prints a table; true when each was noticed.
 * @param {RegExp} wanted
 * @param {{ seed?: number, seeds?: number }} which
 */
export async function trySabotages(wanted, which) {
  const those = SABOTAGES.filter(({ simulator, holds, broken }) => wanted.test(`${simulator}: ${holds}: ${broken}`));
  let unnoticed = those.length === 0 ? 1 : 0;
  console.log('| simulator | what must hold | what was broken | seed that notices it | step | runs | seconds of CPU |');
  console.log('|---|---|---|---:|---:|---:|---:|');
  for (const sabotage of those) {
    const { simulator, holds, broken } = sabotage;
    const { isNoticed, found, others, runs, cpuSeconds } = await noticeSabotage(sabotage, which);
    if (!isNoticed) unnoticed += 1;
    const seed = isNoticed ? found?.seed : found ? `${found.seed}, which fails without it, too` : 'none';
    const beside = others.length > 0 ? `; otherwise by ${others.join(', ')}` : '';
    console.log(
      `| ${simulator} | ${holds} | ${broken} | ${seed}${beside} | ${found?.step ?? ''} | ${runs} | ${cpuSeconds} |`,
    );
  }
  console.log(`${those.length} tried, ${unnoticed} not noticed`);
  return unnoticed === 0;
}
