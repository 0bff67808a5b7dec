// Measures programs as users run them: every program in a fresh process, all of them in turn, round by round.
// CPU time (user and system, all threads) and peak memory (resident set) are those of the measured process.
//
// A row is a `UserCase`: a file in cases/ gives a list of them and is named in `userCases` of run.mjs. What it measures are programs:
// `node -e` with some code, a command, or a file in programs/ that prepares, and then does its work in `countOnly`.
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { compare } from './measure.mjs';

const folder = fileURLToPath(new URL('.', import.meta.url));
const reporter = fileURLToPath(new URL('report-usage.cjs', import.meta.url));

/**
 * One side of a row. `node` arguments come first: `['-e', '0']`, or the path of a program and what it is given.
 * @typedef {object} Program
 * @property {string} name `floor`, `skein`, or a peer with its version
 * @property {readonly string[]} args of Node
 * @property {string} [folder] where it runs; `bench/` unless stated
 * @property {boolean} [inUse] whether its memory is what was in use behind a collection of garbage, instead of its peak
 */

/**
 * One row of the table: the floor and whatever is compared with it.
 * @typedef {object} UserCase
 * @property {string} name
 * @property {string} [group] whose budget in budgets.json holds
 * @property {readonly Program[]} programs the floor is among them
 * @property {number} [rounds] at most, where one round takes long
 */

/**
 * What a list of cases is made from.
 * @typedef {object} UserContext
 * @property {string} url of the server that answers as the four providers do; see server.mjs
 * @property {(work: 'stream' | 'turn', protocol: import('./data/streams.mjs').Protocol) => readonly Program[]} peers that do
 *   the same work; none unless the peers are measured
 * @property {() => readonly Program[]} peerImports
 */

/**
 * @typedef {object} Usage
 * @property {number} cpu milliseconds
 * @property {number} memory peak, in bytes
 */

/**
 * What each program used in each round.
 * @param {readonly Program[]} programs
 * @param {{ rounds: number, warmUp?: number, node?: string }} options another Node, where a peer needs one
 * @returns {Promise<Map<string, Usage[]>>}
 */
export async function measurePrograms(programs, { rounds, warmUp = 1, node = process.execPath }) {
  /** @type {Map<string, Usage[]>} */
  const usages = new Map(programs.map(({ name }) => [name, []]));
  for (let round = -warmUp; round < rounds; round++) {
    for (const program of programs) {
      const usage = await runOnce(program, node);
      if (round >= 0) usages.get(program.name)?.push(usage);
    }
  }
  return usages;
}

/**
 * A program against the floor: medians, the median of the ratios within a round and their spread, for CPU and memory.
 * @param {readonly Usage[]} floor
 * @param {readonly Usage[]} other
 */
export function compareUsage(floor, other) {
  const of = (/** @type {readonly Usage[]} */ usages, /** @type {keyof Usage} */ key) => usages.map((one) => one[key]);
  return {
    ...compare(of(floor, 'cpu'), of(other, 'cpu')),
    memory: compare(of(floor, 'memory'), of(other, 'memory')),
  };
}

/**
 * @param {Program} program
 * @param {string} node
 * @returns {Promise<Usage>}
 */
function runOnce({ name, args, folder: cwd = folder, inUse = false }, node) {
  return new Promise((resolve, reject) => {
    const flags = ['--require', reporter, ...(inUse ? ['--expose-gc'] : [])];
    const env = { ...process.env, ...(inUse && { SKEIN_BENCH_IN_USE: '1' }) };
    const child = spawn(node, [...flags, ...args], { cwd, env, stdio: ['ignore', 'ignore', 'pipe', 'pipe'] });
    const [report, errors] = [child.stdio[3], child.stderr].map((stream) => gather(/** @type {any} */ (stream)));
    child.once('error', reject);
    child.once('close', (status) => {
      if (status !== 0) reject(new Error(`${name} (node ${args.join(' ')}) ended with ${status}:\n${errors?.text}`));
      else resolve(JSON.parse(report?.text ?? ''));
    });
  });
}

/** @param {import('node:stream').Readable} stream */
function gather(stream) {
  const gathered = { text: '' };
  stream.setEncoding('utf8').on('data', (/** @type {string} */ chunk) => {
    gathered.text += chunk;
  });
  return gathered;
}
