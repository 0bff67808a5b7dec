// `npm run session-logs`: imports logs of coding agents of growing size, beside reading and parsing their lines. CPU time and peak
// memory are those of a fresh process each. `--sizes 100,1000` in megabytes; `--log-size 8` is that of each log, `--log-size 0`
// makes one log of all.
import { mkdtemp, rm } from 'node:fs/promises';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { measurePrograms } from '../as-a-user.mjs';
import { cells } from '../table.mjs';
import { generateLogs } from './generate.mjs';

const { values: given } = parseArgs({
  options: { sizes: { type: 'string', default: '100,1000' }, 'log-size': { type: 'string', default: '8' } },
});
const MB = 1_000_000;
const perLog = Number(given['log-size']);
/** @type {string[][]} */
const rows = [];
for (const size of given.sizes.split(',').map(Number)) {
  const folder = await mkdtemp(join(tmpdir(), 'skein-session-logs-'));
  try {
    const [logs, store] = [join(folder, 'logs'), join(folder, 'store')];
    const count = perLog === 0 ? 1 : Math.max(1, Math.round(size / perLog));
    await generateLogs(logs, { bytes: size * MB, logs: count });
    const program = (/** @type {string} */ name, /** @type {string} */ file, /** @type {string[]} */ ...args) => ({
      name,
      args: [fileURLToPath(new URL(file, import.meta.url)), logs, ...args],
    });
    const programs = [
      program('floor', 'parse-lines.mjs'),
      program('import', 'import-logs.mjs', store),
      program('again', 'import-logs.mjs', store, '--again'),
    ];
    const used = await measurePrograms(programs, { rounds: 1, warmUp: 0 });
    const of = (/** @type {string} */ name) => used.get(name)?.[0] ?? { cpu: 0, memory: 0 };
    const speed = (/** @type {string} */ name) => (size / (of(name).cpu / 1000)).toFixed(1);
    rows.push([
      `${size} MB in ${count}`,
      speed('floor'),
      speed('import'),
      (of('import').cpu / of('floor').cpu).toFixed(1),
      ...['floor', 'import', 'again'].map((name) => (of(name).memory / MB).toFixed(0)),
      (of('again').cpu / 1000).toFixed(1),
    ]);
    console.error(rows.at(-1)?.join(' | '), `load ${loadavg()[0]?.toFixed(1)}`);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
const head = [
  'logs',
  'floor, MB/s of CPU',
  'import, MB/s',
  'ratio',
  'peak of the floor, MB',
  'of the import',
  'of a second one',
];
console.log(cells([...head, 'its CPU, s'], rows, 8));
