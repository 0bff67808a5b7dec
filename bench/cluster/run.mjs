// Kills the primary of a PostgreSQL cluster again and again while two Skein servers write to it, and counts what was lost. Each kill
// is a line of a file (`--log`), which the next run with the same file adds to: so fifty kills can be made in several runs.
import { spawn } from 'node:child_process';
import { appendFileSync, cpSync, existsSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { says, startEmulator } from '@skein/emulator';
import { cells } from '../table.mjs';
import { ensurePrograms, freePort, pause, startCluster } from './machines.mjs';
import { startTraffic } from './traffic.mjs';

const COMMAND = fileURLToPath(new URL('../../packages/cli/dist/skein.js', import.meta.url));
const { values } = parseArgs({
  options: {
    kills: { type: 'string', default: '50' },
    minutes: { type: 'string', default: '240' },
    log: { type: 'string' },
  },
});
/** @typedef {{ how: 'database' | 'machine', seconds: number, load: number, at: string }} Kill */
/** The kills of earlier runs, and of this one. @type {Kill[]} */
const kills = readEarlier().flatMap(({ kill }) => (kill ? [kill] : []));
const earlier = kills.length;

ensurePrograms();
// Answers take their time, so that some are always on their way when the primary dies.
const emulator = await startEmulator({
  brain: ({ text }) => says(`Echo: ${text} ${'and so on '.repeat(10)}`, { chunkDelay: 50, chunkBytes: 400 }),
});
const cluster = await startCluster();
const home = mkdtempSync(join(tmpdir(), 'skein-servers-'));
const servers = [await startServer('one'), await startServer('two')];
const traffic = startTraffic(servers.map(({ url }) => url));

let ended = 0;
let isOver = false;
for (const { child, name } of servers)
  child.once('exit', (code, signal) => {
    if (isOver) return;
    ended += 1;
    console.log(`server ${name} ended (${code ?? signal}), after ${kills.length} kills`);
  });

while (kills.length < Number(values.kills) && process.uptime() < Number(values.minutes) * 60 && ended === 0) {
  await pause(3_000);
  const how = kills.length % 2 === 0 ? 'database' : 'machine';
  const primary = await cluster.primary();
  const load = loadavg()[0] ?? 0;
  cluster.kill(primary, how);
  const killed = performance.now();
  await cluster.writes();
  const seconds = (performance.now() - killed) / 1000;
  kills.push({ how, seconds, load, at: new Date().toISOString() });
  keep({ kill: kills.at(-1) });
  await cluster.heal(primary);
  // Recordings may still be on their way to the tree; what people wrote is there when it is acknowledged.
  const lost = findMissing().filter((word) => word.startsWith('cluster-writes')).length;
  console.log(
    `${kills.length}: ${how} killed, writes after ${seconds.toFixed(1)} s, writes lost: ${lost}, load ${load.toFixed(1)}`,
  );
}
await traffic.stop();
// The servers store what waits, which is not lost, and the recorders place what they have stored.
for (let tries = 0; tries < 180 && findMissing().length > 0; tries++) await pause(1_000);
const missing = findMissing();
for (const word of missing) console.log(`lost: ${word}`);
for (const { url } of servers) console.log(`${url}: ${await waiting(url)} recordings wait`);
const { acknowledged, failures } = traffic;
keep({
  run: {
    kills: kills.length - earlier,
    minutes: process.uptime() / 60,
    missing,
    acknowledged: Object.fromEntries(Object.entries(acknowledged).map(([kind, words]) => [kind, words.size])),
    failures: Object.fromEntries(Object.entries(failures).map(([kind, codes]) => [kind, Object.fromEntries(codes)])),
  },
});
report();
isOver = true;
for (const { child } of servers) child.kill('SIGTERM');
await emulator.close();
if (missing.length > 0 || ended > 0) {
  const kept = join(tmpdir(), `skein-cluster-logs-${process.pid}`);
  cpSync(cluster.log, kept, { recursive: true });
  console.log(`The logs of all programs are in ${kept}.`);
}
await cluster.remove();
rmSync(home, { recursive: true, force: true });
process.exit(missing.length === 0 && ended === 0 ? 0 : 1);

/** @returns {{ kill?: Kill }[]} */
function readEarlier() {
  if (values.log === undefined || !existsSync(values.log)) return [];
  const lines = readFileSync(values.log, 'utf8').split('\n');
  return lines.filter((line) => line !== '').map((line) => JSON.parse(line));
}

/** @param {unknown} what */
function keep(what) {
  if (values.log !== undefined) appendFileSync(values.log, `${JSON.stringify(what)}\n`);
}

/** How many recordings a server could not store yet. @param {string} url */
async function waiting(url) {
  const metrics = await fetch(`${url}/metrics`).then(
    (response) => response.text(),
    () => '',
  );
  return /^skein_recordings_waiting (\d+)$/m.exec(metrics)?.[1] ?? '?';
}

/** @param {string} name */
async function startServer(name) {
  const port = await freePort();
  const output = openSync(join(cluster.log, `skein-${name}.log`), 'a');
  const args = [COMMAND, '--store', 'postgres:DATABASE_URL', '--port', String(port), '--no-open'];
  const env = { PATH: process.env.PATH, HOME: home, DATABASE_URL: cluster.url, ...emulator.env() };
  const child = spawn(process.execPath, args, { cwd: home, env, stdio: ['ignore', output, output] });
  const url = `http://127.0.0.1:${port}`;
  while (!(await fetch(`${url}/api/v1/version`).catch(() => undefined))?.ok) await pause(200);
  return { child, name, url };
}

/** The words of acknowledged writes, answers and recordings that no stored text has. */
function findMissing() {
  const sql =
    "select distinct word[1] from skein_body, regexp_matches(text, '(?:Echo: )?cluster-[a-z]+-[0-9]+[.]', 'g') as word";
  const stored = new Set(cluster.query(sql).map(([word]) => word));
  const { writes, proxied, generations } = traffic.acknowledged;
  const answers = [...proxied, ...generations].map((word) => `Echo: ${word}`);
  return [...writes, ...answers].filter((word) => !stored.has(word));
}

function report() {
  const kinds = /** @type {(keyof typeof acknowledged)[]} */ (Object.keys(acknowledged));
  const told = (/** @type {Map<string, number>} */ map) =>
    [...map].map(([code, times]) => `${times} × ${code}`).join(', ') || '0';
  const lost = (/** @type {string} */ kind) => missing.filter((word) => word.includes(`cluster-${kind}-`)).length;
  console.log(`\nNode ${process.version}, ${cpus().length} × ${cpus()[0]?.model}, load ${loadavg()[0]?.toFixed(1)}\n`);
  console.log(
    cells(
      ['', 'acknowledged', 'lost', 'failed'],
      kinds.map((kind) => [kind, String(acknowledged[kind].size), String(lost(kind)), told(failures[kind])]),
    ),
  );
  console.log(`\nStreams of events that broke and went on at another server: ${traffic.reconnects()}`);
  const rows = ['database', 'machine'].map((how) => {
    const seconds = kills.filter((kill) => kill.how === how).map((kill) => kill.seconds);
    const sorted = seconds.toSorted((a, b) => a - b);
    const at = (/** @type {number} */ share) => (sorted[Math.floor(share * (sorted.length - 1))] ?? 0).toFixed(1);
    return [`${how} killed`, String(seconds.length), at(0), at(0.5), at(1)];
  });
  console.log(`\n${cells(['until a write is acknowledged again, s', 'times', 'best', 'median', 'worst'], rows)}`);
}
