/**
 * The mutation score of an area: which changes of its code its tests notice. First each test file runs once without a change, to see
 * which mutants each test reaches; then each mutant runs with the tests that reach it, until one fails: first those that take little time
 * for what they have noticed so far. Those that survive can be judged again, also by tests that take longer.
 */
import { fork } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { startPostgres } from '../../scripts/postgres.mjs';
import { AREAS } from './areas.mjs';
import { makeProgram } from './make-mutants.mjs';
import { applyReasons, readReasons } from './reasons.mjs';

const root = fileURLToPath(new URL('../../', import.meta.url));
/** How much longer a test may take than it did without a mutant, and how much of it is for the machine to be busy. */
const PATIENCE = { factor: 10, ms: 8_000 };
const TICK = 250;

/**
 * @typedef {import('./make-mutants.mjs').Mutant} Mutant
 * @typedef {import('./judge.mjs').Reached} Reached
 * @typedef {import('./judge.mjs').TestRun} TestRun
 * @typedef {'killed' | 'endless' | 'survived' | 'unreached'} Outcome
 * @typedef {Mutant & { outcome: Outcome, by?: string | undefined }} Result
 */

/**
 * @param {string} name of the area
 * @param {{ only?: string | undefined, tests?: string | undefined, left: boolean, longer: boolean }} options `only` is a part of a path, `tests` parts of the paths of the tests, with commas between them; `left` judges again only what survived the last time, or has changed; `longer` adds the tests that take longer
 */
export async function measureMutants(name, { only = '', tests = '', left, longer }) {
  const area = AREAS[name];
  if (!area) throw new Error(`There is no area "${name}": ${Object.keys(AREAS).join(', ')}.`);
  const folder = `${root}coverage/${name}/`;
  mkdirSync(folder, { recursive: true });
  const server = area.needsPostgres ? await startServer() : undefined;
  if (server) process.env.DATABASE_URL = server.url;
  const program = await makeProgram({ ...area, tests: [...area.tests, ...((longer && area.longer) || [])] }, only);
  // Judges that start later read it again, also while other files of the area are measured.
  const part = only && `-${only.replaceAll('/', '-')}`;
  const file = `${folder}tests${part}.cjs`;
  writeFileSync(file, program.code);
  const judge = new Judge([file, JSON.stringify(program.packages)]);
  const chosen = program.tests.filter((path) => tests.split(',').some((part) => path.includes(part)));
  const reached = await reachAll(judge, chosen);
  const reportFile = `${folder}mutants${part}.json`;
  console.error(`${name}: ${program.mutants.length} mutants, ${reached.size} files of tests`);
  const before = left ? readResults(reportFile) : [];
  const survivors = new Set(before.filter(isLeft).map(keyOf));
  const noticed = new Map(before.map((result) => [keyOf(result), result]));
  /** @type {Result[]} */
  const results = [];
  for (const [index, mutant] of program.mutants.entries()) {
    const key = keyOf(mutant);
    const known = survivors.has(key) ? undefined : noticed.get(key);
    results.push(known ? { ...known, ...mutant } : { ...mutant, ...(await judgeMutant(judge, mutant, reached)) });
    if (index % 100 === 99) {
      console.error(`${name}: ${index + 1} of ${program.mutants.length}`);
      if (!left) writeFileSync(reportFile, JSON.stringify(results, undefined, 1));
    }
  }
  judge.stop();
  await server?.remove();
  writeFileSync(reportFile, JSON.stringify(results, undefined, 1));
  report(name, results);
}

/** A PostgreSQL for all tests, because each mutant would start another. It does not wait for the disk, and what broken code leaves open has room. */
const startServer = () => startPostgres(['fsync=off', 'full_page_writes=off', 'max_connections=1000']);

/** @param {string} file @returns {Result[]} */
const readResults = (file) => JSON.parse(readFileSync(file, 'utf8'));

/** @param {Result} result */
const isLeft = ({ outcome }) => outcome === 'survived' || outcome === 'unreached';

/** @param {Mutant} mutant */
const keyOf = ({ path, change }) => `${path} ${change}`;

/**
 * @param {Judge} judge
 * @param {readonly string[]} tests
 */
async function reachAll(judge, tests) {
  /** @type {Map<string, Reached>} */
  const reached = new Map();
  for (const path of tests) {
    const found = /** @type {Reached} */ (await judge.ask({ reach: path }, () => 600_000));
    if (!found) throw new Error(`${path} does not end.`);
    // A test that cannot run here judges nothing; it is named, so that nobody believes that it did.
    for (const { text } of found.failed) console.error(`left out, it fails without a mutant: ${path}: ${text}`);
    console.error(`${path}: ${found.tests.length} tests in ${Math.round(found.ms)} ms`);
    const failed = new Set(found.failed.map(({ index }) => index));
    if (failed.has(undefined)) continue;
    reached.set(path, { ...found, tests: found.tests.filter(({ index }) => !failed.has(index)) });
  }
  return reached;
}

/**
 * How many mutants a file of tests has noticed.
 * @type {Map<string, number>}
 */
const noticedBy = new Map();

/**
 * @param {Judge} judge
 * @param {Mutant} mutant
 * @param {ReadonlyMap<string, Reached>} reached
 * @returns {Promise<{ outcome: Outcome, by?: string | undefined }>}
 */
async function judgeMutant(judge, { id }, reached) {
  /** @type {{ path: string, tests: number[], ms: number, hits: number, all: Reached }[]} */
  const files = [];
  for (const [path, all] of reached) {
    const tests = all.tests.filter(({ hits }) => all.loading[id] || hits[id]);
    if (tests.length === 0) continue;
    const hits = tests.reduce((sum, test) => sum + (test.hits[id] ?? 0), all.loading[id] ?? 0);
    const ms = all.ms - all.tests.reduce((sum, test) => sum + (tests.includes(test) ? 0 : test.ms), 0);
    files.push({ path, tests: tests.map(({ index }) => index), ms, hits, all });
  }
  if (files.length === 0) return { outcome: 'unreached' };
  const price = (/** @type {{ path: string, ms: number }} */ { path, ms }) => ms / (1 + (noticedBy.get(path) ?? 0));
  files.sort((a, b) => price(a) - price(b));
  const limit = 100_000 + 10 * Math.max(...files.map(({ hits }) => hits));
  /** @param {import('./judge.mjs').Progress} [begun] the test that runs; before the first one, files are loaded */
  const patience = (begun) => {
    const test = reached.get(begun?.begun ?? '')?.tests.find(({ index }) => index === begun?.index);
    return (test?.ms ?? files[0]?.ms ?? 0) * PATIENCE.factor + PATIENCE.ms;
  };
  const order = { mutant: id, limit, runs: files.map(({ path, tests }) => ({ path, tests })) };
  for (const isFresh of [false, true]) {
    if (isFresh) judge.stop();
    const verdict = await judge.ask(order, patience);
    if (!verdict) return { outcome: 'endless' };
    if (verdict.outcome === 'survived') return { outcome: 'survived' };
    if (verdict.outcome === 'killed' || isFresh) {
      if (verdict.outcome === 'spoiled') judge.stop();
      noticedBy.set(verdict.path, (noticedBy.get(verdict.path) ?? 0) + 1);
      return { outcome: 'killed', by: verdict.by };
    }
  }
  throw new Error('not reached');
}

/** A process that judges, and another when it no longer answers. */
class Judge {
  /** @type {import('node:child_process').ChildProcess | undefined} */
  #process;
  #asked = 0;
  /** @type {readonly string[]} */
  #args;

  /** @param {readonly string[]} args */
  constructor(args) {
    this.#args = args;
  }

  /**
   * Its answer, or undefined if there is none within the time, which begins anew with each test. What is counted are ticks, not the
   * clock: they stop while this process is paused together with the judge.
   * @param {import('./judge.mjs').Order} order
   * @param {(begun?: import('./judge.mjs').Progress) => number} patience in ms
   * @returns {Promise<any>}
   */
  async ask(order, patience) {
    // Modules that nobody needs any more are freed, but not all that they have registered elsewhere.
    if (this.#asked++ % 300 === 299) this.stop();
    this.#process ??= await this.#start();
    const judge = this.#process;
    return new Promise((resolve) => {
      let ticks = 0;
      let limit = patience();
      const end = (/** @type {unknown} */ answer) => {
        clearInterval(timer);
        judge.removeAllListeners();
        resolve(answer);
      };
      const timer = setInterval(() => {
        if (++ticks * TICK < limit) return;
        this.stop();
        end(undefined);
      }, TICK);
      judge.on('message', (/** @type {any} */ said) => {
        if (said.begun === undefined) return end(said);
        ticks = 0;
        limit = patience(said);
      });
      judge.once('exit', () => {
        this.#process = undefined;
        end(undefined);
      });
      judge.send(order);
    });
  }

  stop() {
    this.#process?.removeAllListeners();
    this.#process?.kill('SIGKILL');
    this.#process = undefined;
  }

  /** @returns {Promise<import('node:child_process').ChildProcess>} */
  async #start() {
    const judge = fork(`${import.meta.dirname}/judge.mjs`, this.#args, {
      cwd: root,
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    await new Promise((resolve, reject) => {
      judge.once('message', resolve);
      judge.once('exit', (code) => reject(new Error(`The judge ended with ${code}.`)));
    });
    judge.removeAllListeners();
    return judge;
  }
}

/** @param {string} name @param {readonly Result[]} results */
function report(name, results) {
  const { explained, classes, stale } = applyReasons(readReasons(), results, isLeft);
  /** @type {Map<string, Result[]>} */
  const byPath = new Map();
  for (const result of results) byPath.set(result.path, [...(byPath.get(result.path) ?? []), result]);
  for (const [path, own] of [...byPath, ['all', results]]) {
    const list = /** @type {readonly Result[]} */ (own);
    const survived = list.filter(isLeft);
    const noticed = list.length - survived.length;
    const endless = list.filter(({ outcome }) => outcome === 'endless').length;
    console.log(
      `${name} ${path}: ${list.length} mutants, ${noticed} noticed (${((100 * noticed) / list.length).toFixed(1)} %; ${endless} because the tests no longer ended), ` +
        `${survived.length} survived (${list.filter(({ outcome }) => outcome === 'unreached').length} unreached), ${survived.filter((result) => explained.has(result)).length} of them with a reason`,
    );
  }
  for (const { reason, left, of } of classes) console.log(`class: ${left} of ${of} survived: ${reason.text}`);
  for (const { text } of stale) console.log(`stale, no survivor is like that: ${text}`);
  const open = results.filter((result) => isLeft(result) && !explained.has(result));
  for (const { path, line, change, outcome, kind, within } of open)
    console.log(`${path}:${line} ${outcome} ${kind} in ${within.at(-1) ?? 'the file'}\n- \`${path}\`: \`${change}\``);
}
