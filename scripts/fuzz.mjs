// `npm run fuzz -- --seconds 60`: throws nonsense at whatever reads texts. What makes it fail is saved under
// bench/fuzz/corpus and tried first from then on, also by `npm test`. `--seed 1` gives the same texts again.
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { cells } from '../bench/table.mjs';
import { setUp, tool } from './setup.mjs';

const { values: given } = parseArgs({
  options: { seconds: { type: 'string', default: '60' }, seed: { type: 'string' } },
});
const folder = mkdtempSync(join(tmpdir(), 'skein-fuzz-'));
const file = join(folder, 'report.json');
process.env.SKEIN_FUZZ_SECONDS = given.seconds;
process.env.SKEIN_FUZZ_REPORT = file;
if (given.seed !== undefined) process.env.SKEIN_FUZZ_SEED = given.seed;
const done = setUp() && tool('vitest', ['run', 'bench/fuzz', '--testTimeout=0', '--reporter=dot']);
if (existsSync(file)) show(JSON.parse(readFileSync(file, 'utf8')));
rmSync(folder, { recursive: true });
process.exitCode = done ? 0 : 1;

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
