// `npm run simulate -- --sabotage`: breaks the code behind each thing that a simulator checks, and looks for the seed that
// notices it. A check that notices nothing is blind.
import { execFile } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { promisify } from 'node:util';
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
 * @property {number} seed a seed whose run notices it
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

const runFile = promisify(execFile);

/** How many seeds are tried. */
const SEEDS = 20;
const LONGEST_MS = 3_600_000;

/** @typedef {{ found?: { seed: number, step: number }, others: number[], runs: number, cpuSeconds: number }} SearchResult */

/**
 * Runs seeds with some changes of the code, one after the other, until one fails as the sabotage says.
 * @param {Sabotage} sabotage
 * @param {Sabotage['changes']} changes
 * @param {{ seed: number, seeds: number }} which
 * @returns {Promise<SearchResult>}
 */
async function search({ simulator, says }, changes, { seed, seeds }) {
  const { program, args } = SIMULATORS[simulator];
  const bundle = await bundleSources(program, { name: `-${process.pid}`, changes });
  const given = ['--seed', String(seed), '--runs', String(seeds), '--until', says, ...args];
  const options = { timeout: LONGEST_MS, maxBuffer: 2 ** 28 };
  try {
    const { stdout } = await runFile(process.execPath, [...NODE_OPTIONS, bundle, ...given], options);
    return JSON.parse(/^RESULT (.*)$/m.exec(stdout)?.[1] ?? '');
  } finally {
    await Promise.all([rm(bundle), rm(`${bundle}.map`)]);
  }
}

/**
 * Looks for the first seed that notices a sabotage and that passes without it.
 * @param {Sabotage} sabotage
 * @param {{ seed?: number, seeds?: number }} [which]
 * @returns {Promise<SearchResult & { isNoticed: boolean }>}
 */
export async function noticeSabotage(sabotage, { seed = sabotage.seed, seeds = SEEDS } = {}) {
  const result = await search(sabotage, sabotage.changes, { seed, seeds });
  const { found } = result;
  const control = found && (await search(sabotage, [], { seed: found.seed, seeds: 1 }));
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
