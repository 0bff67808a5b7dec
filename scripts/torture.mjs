// `npm run torture [times]`: what a forest, a proxy and a database must survive, a thousand times each instead of
// ten or twenty. `--only crash` runs one of the parts. A table at the end lists the results.
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { cells } from '../bench/table.mjs';
import { setUp, tool } from './setup.mjs';

/** @type {Readonly<Record<string, readonly string[]>>} */
const PARTS = {
  // Processes are killed while they append (one or two at once), split, import, pack and generate; a reader that shares no
  // code with the store checks what is left.
  crash: ['packages/forest/test/crash'],
  // The disk loses what was not flushed, at any call; it is full; clocks jump; two writers.
  disk: ['packages/forest/src/store/file'],
  clocks: ['packages/forest/test/forest-properties.test.ts'],
  // Connections and backends are killed, writing processes die, leases end.
  postgres: ['packages/forest/test/postgres'],
  // A provider behind the proxy cuts, stalls, trickles, resets and sends garbage.
  upstream: ['bench/torture/upstream.test.ts'],
  // Folders are replaced by links while they are read; streams are cut after every byte.
  races: ['packages/agents/test/file-tools.test.ts', 'packages/core/test/loops/twins.test.ts'],
  // Conversations of which every turn is a process: one goes from every provider to every other, with streams and with
  // whole replies.
  processes: ['switching', 'ten-turns', 'tool-loops'].map((name) => `packages/core/test/loops/${name}.test.ts`),
  // Random conversations of any client with any provider, ten for each time.
  gateway: ['packages/server/test/gateway/conversations.test.ts'],
  // Mixed load, with memory and open files watched.
  soak: ['bench/torture/soak.test.ts'],
};

const { values: given, positionals } = parseArgs({ options: { only: { type: 'string' } }, allowPositionals: true });
const times = positionals[0] ?? '1000';
process.env.SKEIN_KILLS = times;
/** @type {string[][]} */
const rows = [];
let done = setUp();
for (const [part, files] of Object.entries(PARTS))
  if (done && (given.only ?? part) === part) done = runPart(part, files) && done;
console.log(`\n${times} times, Node ${process.version}, ${cpus().length} × ${cpus()[0]?.model}\n`);
console.log(cells(['part', 'what', 'result', 'seconds'], rows, 3));
process.exitCode = done && rows.every(([, , result]) => result !== 'failed') ? 0 : 1;

/**
 * @param {string} part
 * @param {readonly string[]} files
 */
function runPart(part, files) {
  const folder = mkdtempSync(join(tmpdir(), 'skein-torture-'));
  const file = join(folder, 'report.json');
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${file}`];
  process.env.SKEIN_LONG = 'true';
  const ok = tool('vitest', ['run', ...files, '--testTimeout=0', '--hookTimeout=0', ...reporters]);
  if (existsSync(file)) rows.push(...toRows(part, JSON.parse(readFileSync(file, 'utf8'))));
  rmSync(folder, { recursive: true });
  return ok;
}

/**
 * @param {string} part
 * @param {{ testResults: { assertionResults: { fullName: string, status: string, duration?: number }[] }[] }} report
 */
function toRows(part, { testResults }) {
  return testResults
    .flatMap(({ assertionResults }) => assertionResults)
    .filter(({ status }) => status === 'passed' || status === 'failed')
    .map(({ fullName, status, duration = 0 }) => [part, fullName.slice(0, 110), status, (duration / 1000).toFixed(1)]);
}
