// `npm test`: every check in order. A failing check does not stop the ones after it.
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureChromium } from './chromium.mjs';
import { build, root, setUp, tool } from './setup.mjs';

const total = { passed: 0, failed: 0 };

if (setUp()) checkAll();
else total.failed += 1;
console.log(`\n${total.passed} passed, ${total.failed} failed`);
process.exitCode = total.failed === 0 ? 0 : 1;

function checkAll() {
  heading('Browser');
  console.log(ensureChromium() ?? 'The browser tests will fail.');
  step('Lint and format', () => tool('@biomejs/biome', ['check', '--error-on-warnings']));
  step('Types', () => tool('typescript', ['--noEmit']));
  step('Build', build);
  step('Types of the page', () => tool('typescript', ['-p', 'packages/web']));
  step('Unused code', () => tool('knip', ['--no-progress']));
  for (const folder of publishable()) {
    step(`Package ${folder}`, () => {
      const published = tool('publint', ['--strict'], folder);
      const typed = tool(
        '@arethetypeswrong/cli',
        ['--pack', '--profile', 'esm-only', '--format', 'table', '--no-summary'],
        folder,
      );
      return published && typed;
    });
  }
  step('Size', () => tool('size-limit', []));
  heading('Tests');
  unitTests();
}

/** @param {string} title */
function heading(title) {
  console.log(`\n=== ${title}`);
}

/**
 * @param {string} title
 * @param {() => boolean} check
 */
function step(title, check) {
  heading(title);
  const ok = check();
  total[ok ? 'passed' : 'failed'] += 1;
  if (!ok) console.log(`FAILED: ${title}`);
}

function publishable() {
  return readdirSync(`${root}packages`)
    .map((name) => `packages/${name}`)
    .filter((folder) => existsSync(`${root}${folder}/package.json`))
    .filter((folder) => !JSON.parse(readFileSync(`${root}${folder}/package.json`, 'utf8')).private);
}

/** Runs vitest and counts its tests. A run that failed in any other way counts as one failure more. */
function unitTests() {
  const folder = mkdtempSync(join(tmpdir(), 'skein-test-'));
  const file = join(folder, 'vitest.json');
  const ok = tool('vitest', ['run', '--reporter=default', '--reporter=json', `--outputFile.json=${file}`]);
  const report = readReport(file);
  rmSync(folder, { recursive: true });

  const failed = ok || report.failed.length > 0 ? report.failed : ['an error outside of the tests, see above'];
  total.passed += report.passed;
  total.failed += failed.length;
  for (const name of failed) console.log(`FAILED: ${name}`);
  for (const name of report.skipped) console.log(`SKIPPED: ${name}`);
}

/** @param {string} file */
function readReport(file) {
  /** @type {{ passed: number, failed: string[], skipped: string[] }} */
  const seen = { passed: 0, failed: [], skipped: [] };
  /** @type {{ testResults: { name: string, status: string, assertionResults: { fullName: string, status: string }[] }[] }} */
  let report;
  try {
    report = JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return { ...seen, failed: ['vitest wrote no report'] };
  }
  for (const { name, status, assertionResults } of report.testResults) {
    const before = seen.failed.length;
    for (const test of assertionResults) {
      if (test.status === 'passed') seen.passed += 1;
      else if (test.status === 'failed') seen.failed.push(`${name}: ${test.fullName}`);
      else seen.skipped.push(`${name}: ${test.fullName}`);
    }
    if (status === 'failed' && seen.failed.length === before) seen.failed.push(`${name}: the file itself failed`);
  }
  return seen;
}
