// `npm test`: every check. A failing check does not stop the others. Tests wait for processes and sockets half of the time,
// so the checks that only read files run at the same time.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureChromium } from './chromium.mjs';
import { buildScript, findProgram, root, runBeside, setUp } from './setup.mjs';
import { summarise } from './test-report.mjs';

/** @typedef {(onOutput: (text: string) => void) => Promise<boolean>} Check */

const total = { passed: 0, failed: 0 };
/** @type {{ title: string, seconds: number }[]} */
const durations = [];
/** @type {string[]} */
const notes = [];

if (setUp()) await checkAll();
else total.failed += 1;
console.log('\n=== Durations');
for (const { title, seconds } of durations) console.log(`${seconds.toFixed(1).padStart(7)} s  ${title}`);
for (const note of notes) console.log(note);
console.log(`\n${total.passed} passed, ${total.failed} failed`);
process.exitCode = total.failed === 0 ? 0 : 1;

async function checkAll() {
  heading('Browser');
  console.log(ensureChromium() ?? 'The browser tests will fail.');
  await Promise.all([
    step('Build', (onOutput) => runBeside(buildScript, [], { onOutput })),
    inOrder([
      ['Lint and format', tool('@biomejs/biome', ['check', '--error-on-warnings'])],
      ['Types', tool('typescript-native', ['--noEmit', '--checkers', '1'])],
    ]),
  ]);
  process.env.SKEIN_BUILT = 'true';
  await Promise.all([
    tests(),
    inOrder([
      ['Types of the page', tool('typescript-native', ['-p', 'packages/web', '--checkers', '1'])],
      ['Unused code', tool('knip', ['--no-progress'])],
      ['Size', tool('size-limit', [])],
    ]),
  ]);
}

/** @param {string} title */
function heading(title) {
  console.log(`\n=== ${title}`);
}

/** @param {readonly (readonly [title: string, check: Check])[]} checks */
async function inOrder(checks) {
  for (const [title, check] of checks) await step(title, check);
}

/**
 * Runs a check and shows its output in one piece, as others run at the same time.
 * @param {string} title
 * @param {Check} check
 */
async function step(title, check) {
  let output = '';
  const ok = await timed(title, () =>
    check((text) => {
      output += text;
    }),
  );
  total[ok ? 'passed' : 'failed'] += 1;
  heading(title);
  process.stdout.write(output);
  if (!ok) console.log(`FAILED: ${title}`);
}

/**
 * @param {string} title
 * @param {() => Promise<boolean>} work
 */
async function timed(title, work) {
  const start = performance.now();
  const ok = await work();
  durations.push({ title, seconds: (performance.now() - start) / 1000 });
  return ok;
}

/**
 * @param {string} name
 * @param {readonly string[]} args
 * @returns {Check}
 */
function tool(name, args) {
  return (onOutput) => runBeside(findProgram(name), args, { onOutput });
}

/** Runs vitest and counts its tests. A run that failed in any other way counts as one more failure. */
async function tests() {
  const folder = mkdtempSync(join(tmpdir(), 'skein-test-'));
  const file = join(folder, 'vitest.json');
  heading('Tests');
  const args = ['run', '--reporter=default', '--reporter=json', `--outputFile.json=${file}`];
  const onOutput = process.stdout.write.bind(process.stdout);
  const ok = await timed('Tests', () => runBeside(findProgram('vitest'), args, { onOutput }));
  const report = readReport(file);
  rmSync(folder, { recursive: true });

  const failed = report?.failed ?? ['vitest wrote no report'];
  if (!ok && failed.length === 0) failed.push('an error outside of the tests, see above');
  total.passed += report?.passed ?? 0;
  total.failed += failed.length;
  for (const { name, seconds } of report?.slowest ?? [])
    notes.push(`${seconds.toFixed(1).padStart(7)} s  Tests: ${name.replace(root, '')}`);
  for (const name of failed) notes.push(`FAILED: ${name}`);
  for (const name of report?.skipped ?? []) notes.push(`SKIPPED: ${name}`);
}

/** Undefined if vitest ended before it wrote the whole report. @param {string} file */
function readReport(file) {
  try {
    return summarise(JSON.parse(readFileSync(file, 'utf8')));
  } catch {
    return undefined;
  }
}
