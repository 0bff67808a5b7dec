/**
 * A process that runs the tests of a program (make-mutants.mjs), with one mutant after another. Each mutant begins with modules of
 * its own, so nothing that another one has left in them is seen. The tests run as in Vitest, by its own runner, without the process
 * that it would start for each.
 */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { Script } from 'node:vm';
import { importPackage } from './make-mutants.mjs';

/**
 * @typedef {{ index: number, name: string, ms: number, hits: Record<string, number> }} ReachedTest
 * @typedef {{ index: number | undefined, text: string }} Failure
 * @typedef {{ ms: number, tests: ReachedTest[], loading: Record<string, number>, failed: Failure[] }} Reached
 * @typedef {{ path: string, tests: number[] | undefined }} TestRun
 * @typedef {{ begun: string, index: number }} Progress
 * @typedef {{ outcome: 'killed' | 'survived' | 'spoiled', path?: string, by?: string }} Verdict
 * @typedef {{ reach: string } | { mutant: string, limit: number, runs: TestRun[] }} Order
 */

const vitest = import.meta.resolve('vitest');
const { startTests } = await import(pathToFileURL(createRequire(vitest).resolve('@vitest/runner')).href);

const [programFile = '', packagesText = '[]'] = process.argv.slice(2);
const script = new Script(
  `(function (module, require, loadPackage, countLoading, stryMutAct_9fa48, stryCov_9fa48) {${readFileSync(programFile, 'utf8')}\n})`,
  {
    filename: programFile,
  },
);
/** @type {Map<string, unknown>} */
const packages = new Map();
for (const path of JSON.parse(packagesText)) packages.set(path, await importPackage(path));

// What Vitest's `expect` and `vi` ask their worker.
/** @type {Record<string, unknown>} */ (/** @type {unknown} */ (globalThis)).__vitest_worker__ = {
  config: {
    expect: { poll: { timeout: 60_000 } },
    fakeTimers: { loopLimit: 10_000, shouldClearNativeTimers: true },
    snapshotOptions: {},
  },
  ctx: {},
  providedContext: {},
};
// A mutant may fail where no test waits for it; whether that is noticed depends on when it happens, so it does not count.
process.on('unhandledRejection', () => {});
process.on('uncaughtException', () => {});
// What the tests print is about code that is wrong on purpose.
for (const name of /** @type {const} */ (['log', 'warn', 'error', 'info', 'debug'])) console[name] = () => {};

/** @type {string | undefined} */
let active;
let left = 0;
/** @type {Record<string, number> | undefined} */
let counted;
/**
 * The hits while modules are evaluated, which a test may be the first to import; `loading` is how many are under way.
 * @type {Record<string, number>}
 */
let countedLoading = {};
let loading = 0;

/** @param {string} id */
function isActive(id) {
  if (id !== active) return false;
  if (--left < 0) throw new Error('The changed code runs far more often than the original, as in an endless loop.');
  return true;
}

/** @param {...string} ids */
function count(...ids) {
  if (counted === undefined) return;
  const hits = loading > 0 ? countedLoading : counted;
  for (const id of ids) hits[id] = (hits[id] ?? 0) + 1;
}

/** Called at the beginning and at the end of each changed module. @param {1 | -1} step */
function countLoading(step) {
  loading += step;
}

/** @typedef {Record<string, () => Promise<unknown>>} Modules */

/** @returns {Modules} */
function evaluate() {
  const module = { exports: {} };
  script.runInThisContext()(
    module,
    createRequire(import.meta.url),
    (/** @type {string} */ path) => packages.get(path),
    countLoading,
    isActive,
    count,
  );
  return module.exports;
}

const CONFIG = {
  root: process.cwd(),
  name: '',
  setupFiles: [],
  passWithNoTests: false,
  allowOnly: true,
  sequence: { shuffle: false, concurrent: false, seed: 0, hooks: 'stack', setupFiles: 'list' },
  maxConcurrency: 5,
  // A test that waits for ever is noticed by the process that judges: its clock stands still while this one is paused.
  testTimeout: 0,
  hookTimeout: 0,
  retry: 0,
  includeTaskLocation: false,
  tags: [],
};

/**
 * Runs a test file, or some of its tests, until one fails.
 * @param {TestRun} run
 * @param {{ modules?: Modules, untilOneFails: boolean, onTest?: (index: number, name: string, ms: number | undefined) => void }} options
 * @returns {Promise<Failure[]>} the tests that failed
 */
async function runFile({ path, tests }, { modules = evaluate(), untilOneFails, onTest }) {
  /** @type {Failure[]} */
  const failed = [];
  /** @type {any[]} */
  let all = [];
  let began = 0;
  const chosen = tests && new Set(tests);
  const [file] = await startTests([{ filepath: path }], {
    config: CONFIG,
    async importFile() {
      await modules['scripts/property-seed.ts']?.();
      await modules[path]?.();
    },
    onCollected(/** @type {[any]} */ [collected]) {
      all = flatten(collected);
      for (const [index, test] of all.entries()) if (chosen && !chosen.has(index)) test.mode = 'skip';
    },
    onBeforeRunTask(/** @type {any} */ test) {
      if (untilOneFails && failed.length > 0) test.mode = 'skip';
    },
    onBeforeTryTask(/** @type {any} */ test) {
      began = performance.now();
      onTest?.(all.indexOf(test), test.name, undefined);
    },
    onAfterRunTask(/** @type {any} */ test) {
      const index = all.indexOf(test);
      if (test.result?.state === 'fail')
        failed.push({ index, text: `${test.name}: ${test.result.errors?.[0]?.message}` });
      if (began > 0) onTest?.(index, test.name, performance.now() - began);
      began = 0;
    },
  });
  if (failed.length === 0 && file.result?.state === 'fail')
    failed.push({ index: undefined, text: `${path}: ${file.result.errors?.[0]?.message ?? 'a hook failed'}` });
  return failed;
}

/** @param {any} task @returns {any[]} */
function flatten(task) {
  return task.type === 'test' ? [task] : task.tasks.flatMap(flatten);
}

/**
 * Which mutants a test file reaches, while it is loaded and in each of its tests.
 * @param {string} path
 * @returns {Promise<Reached>}
 */
async function reach(path) {
  /** @type {Reached} */
  const reached = { ms: 0, tests: [], loading: {}, failed: [] };
  const began = performance.now();
  countedLoading = reached.loading;
  counted = reached.loading;
  reached.failed = await runFile(
    { path, tests: undefined },
    {
      untilOneFails: false,
      onTest(index, name, ms) {
        if (ms === undefined) {
          const hits = {};
          reached.tests.push({ index, name, ms: 0, hits });
          counted = hits;
          return;
        }
        for (const test of reached.tests.slice(-1)) test.ms = ms;
        // What runs between two tests is done for several of them.
        counted = reached.loading;
      },
    },
  );
  counted = undefined;
  reached.ms = performance.now() - began;
  return reached;
}

/**
 * @param {string} mutant
 * @param {number} limit how often the changed code may run
 * @param {TestRun[]} runs
 * @returns {Promise<Verdict>}
 */
async function judge(mutant, limit, runs) {
  const modules = evaluate();
  for (const run of runs) {
    active = mutant;
    left = limit;
    const onTest = (/** @type {number} */ index, /** @type {string} */ _, /** @type {number | undefined} */ ms) => {
      if (ms === undefined) process.send?.({ begun: run.path, index });
    };
    const [failure] = await runFile(run, { modules, untilOneFails: true, onTest });
    active = undefined;
    if (!failure) continue;
    // Without the mutant the test must pass again; otherwise it has spoiled the process, or another before it has.
    const again = await runFile({ path: run.path, tests: [failure.index ?? 0] }, { untilOneFails: true });
    return { outcome: again.length === 0 ? 'killed' : 'spoiled', path: run.path, by: failure.text };
  }
  return { outcome: 'survived' };
}

process.on('message', async (/** @type {Order} */ order) => {
  process.send?.('reach' in order ? await reach(order.reach) : await judge(order.mutant, order.limit, order.runs));
});
process.send?.('ready');
