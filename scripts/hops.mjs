// `npm run hops [count]`: random conversations that switch between all providers, 2,000 by default. Each request is
// judged by the emulator and compared with the one before it. `--seed 1` sets the first seed.
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { cells } from '../bench/table.mjs';
import { setUp, tool } from './setup.mjs';

const { values, positionals } = parseArgs({ options: { seed: { type: 'string' } }, allowPositionals: true });
process.env.SKEIN_LONG = 'true';
process.exitCode = setUp() && hop() ? 0 : 1;

function hop() {
  const folder = mkdtempSync(join(tmpdir(), 'skein-hops-'));
  const file = join(folder, 'report.json');
  process.env.SKEIN_HOPS = positionals[0] ?? '2000';
  process.env.SKEIN_HOPS_REPORT = file;
  if (values.seed !== undefined) process.env.SKEIN_HOPS_SEED = values.seed;
  const done = tool('vitest', ['run', 'bench/hops', '--testTimeout=0', '--reporter=dot']);
  if (existsSync(file)) show(JSON.parse(readFileSync(file, 'utf8')));
  rmSync(folder, { recursive: true });
  return done;
}

/** @param {{ count: number, requests: number, compared: number, events: Record<string, number>, failures: string[] }} found */
function show({ count, requests, compared, events, failures }) {
  const rows = [
    ['conversations', count],
    ['requests', requests],
    ['compared with an earlier request to the same model', compared],
    ...Object.entries(events).sort(([, a], [, b]) => b - a),
    ['failures', failures.length],
  ].map((row) => row.map(String));
  console.log(`\n${cells(['what', 'times'], rows, 1)}`);
}
