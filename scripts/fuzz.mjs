// `npm run fuzz -- --seconds 60`: gives mutated input to everything that reads texts. Failing inputs are saved under
// bench/fuzz/corpus and tried first from then on, also by `npm test`. `--seed 1` reproduces the same texts.
// `npm run fuzz -- --properties 5`: every property test five times, each time with another seed.
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { cells } from '../bench/table.mjs';
import { root, setUp, tool } from './setup.mjs';

const { values: given } = parseArgs({
  options: { seconds: { type: 'string', default: '60' }, seed: { type: 'string' }, properties: { type: 'string' } },
});
process.env.SKEIN_LONG = 'true';
process.exitCode = setUp() && (given.properties ? tryProperties(Number(given.properties)) : tryTexts()) ? 0 : 1;

function tryTexts() {
  const folder = mkdtempSync(join(tmpdir(), 'skein-fuzz-'));
  const file = join(folder, 'report.json');
  process.env.SKEIN_FUZZ_SECONDS = given.seconds;
  process.env.SKEIN_FUZZ_REPORT = file;
  if (given.seed !== undefined) process.env.SKEIN_FUZZ_SEED = given.seed;
  const done = tool('vitest', ['run', 'bench/fuzz', '--testTimeout=0', '--reporter=dot']);
  if (existsSync(file)) show(JSON.parse(readFileSync(file, 'utf8')));
  rmSync(folder, { recursive: true });
  return done;
}

/** @param {number} times */
function tryProperties(times) {
  const files = filesWith(/from 'fast-check'|forestProperties/);
  const failed = [];
  for (let time = 0; time < times; time++) {
    const seed = given.seed === undefined ? Math.floor(Math.random() * 2 ** 31) : Number(given.seed) + time;
    process.env.SKEIN_SEED = String(seed);
    console.log(`\nseed ${seed}`);
    if (!tool('vitest', ['run', ...files, '--testTimeout=0', '--reporter=dot'])) failed.push(seed);
  }
  console.log(failed.length === 0 ? '\nno failure' : `\nfailed with SKEIN_SEED=${failed.join(', ')}`);
  return failed.length === 0;
}

/** @param {RegExp} words */
function filesWith(words) {
  const folders = readdirSync(`${root}packages`).flatMap((name) => [`packages/${name}/src`, `packages/${name}/test`]);
  return folders
    .filter((folder) => existsSync(root + folder))
    .flatMap((folder) =>
      readdirSync(root + folder, { recursive: true, encoding: 'utf8' }).map((path) => `${folder}/${path}`),
    )
    .filter((path) => path.endsWith('.test.ts') && words.test(readFileSync(root + path, 'utf8')));
}

/** @param {{ seed: number, report: { name: string, tried: number, outcomes: Record<string, number>, failure?: string }[] }} found */
function show({ seed, report }) {
  const rows = report.map(({ name, tried, outcomes, failure }) => {
    const all = Object.entries(outcomes).sort(([, a], [, b]) => b - a);
    const most = all.slice(0, 3).map(([outcome, count]) => `${outcome} (${count})`);
    return [name, most.join('; '), String(tried), String(all.length), failure ?? 'none'];
  });
  console.log(`\nseed ${seed}\n`);
  console.log(cells(['target', 'most frequent outcomes', 'tried', 'outcomes', 'failure'], rows, 2));
}
