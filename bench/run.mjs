// Measures Skein against its floors. `--check` fails when a budget is exceeded by more than the noise and says by how much,
// `--only starts|streams|turns|recorder|why|cold|sizes|forest|postgres|placement|proxy|page` measures one group (`page` also in parts: `page-frames`, `page-cpu`, `page-stream`), `--only user` every row
// "as a user calls it". `--peers` measures those rows, with the peers beside them, on the Node that the peers need.
// `placement` is measured against an older release that is built elsewhere: `--against <folder>`.
import { execFileSync } from 'node:child_process';
import { cpus, loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { budgetReport, judge } from './budget.mjs';
import { cachingCases } from './cases/caching.mjs';
import { coldCase } from './cases/cold.mjs';
import { appendCase, matchCase, memoryPerNode, openCase, pathCase, sizeCase, tidy } from './cases/forest.mjs';
import { importSizes } from './cases/import-size.mjs';
import { measurePage, SMOOTH_MS, SWITCH_MS } from './cases/page.mjs';
import { measurePageCpu } from './cases/page-cpu.mjs';
import { LONG_TASK_MS, measurePageStream } from './cases/page-stream.mjs';
import { placementCase, WORKLOADS } from './cases/placement.mjs';
import { postgresCases } from './cases/postgres.mjs';
import { proxyCase } from './cases/proxy.mjs';
import { measureRecorder } from './cases/recorder.mjs';
import { startCases } from './cases/starts.mjs';
import { streamCase, userStreamCases } from './cases/streams.mjs';
import { turnCase, userTurnCases } from './cases/turns.mjs';
import { PROTOCOLS } from './data/streams.mjs';
import { startServer } from './endpoint.mjs';
import { compare, measure } from './measure.mjs';
import { installPeers, peerImports, peerPrograms } from './peers/programs.mjs';
import { cells, table } from './table.mjs';
import { measureUserCases, userTable } from './user-rows.mjs';

/** @import { UserContext } from './as-a-user.mjs' */
/** @import { Row } from './table.mjs' */

const { values: given } = parseArgs({
  options: {
    against: { type: 'string' },
    check: { type: 'boolean' },
    only: { type: 'string' },
    peers: { type: 'boolean', default: false },
    rounds: { type: 'string', default: '25' },
  },
});
const rounds = Number(given.rounds);
const node = given.peers ? installPeers() : process.execPath;
const version = execFileSync(node, ['--version'], { encoding: 'utf8' }).trim();

const begun = performance.now();
const loads = [loadavg()[0]];
console.log(`Node ${version}, ${process.platform} ${process.arch}, ${cpus().length} × ${cpus()[0]?.model}\n`);
const server = await startServer();
/** @type {Row[]} */
const rows = [];
const userRows = await measureUserCases(userCases(), { rounds, node, judge });
if (!given.peers && (wants('recorder') || given.only === 'user')) userRows.push(...(await recorder()));
if (!given.peers && (wants('why') || given.only === 'user')) userRows.push(...(await why()));
if (userRows.length > 0) console.log(`${userTable(userRows)}\n`);
if (!given.peers) await measureInside();
server.stop();
const judged = [...rows, ...userRows.map((row) => ({ ...row, name: row.work }))];
console.log(budgetReport(judged));
loads.push(loadavg()[0]);
const minutes = ((performance.now() - begun) / 60_000).toFixed(0);
console.log(
  `\nTook ${minutes} minutes; load ${loads.map((load) => load?.toFixed(1)).join(' at the start, ')} at the end.`,
);
if (given.check && judged.some(({ verdict }) => verdict?.ok === false)) process.exitCode = 1;

/** The rows "as a user calls it"; see as-a-user.mjs. */
function userCases() {
  /** @type {UserContext} */
  const context = {
    url: server.url,
    peers: (work, protocol) => (given.peers ? peerPrograms(work, protocol, server.url) : []),
    peerImports: () => (given.peers ? peerImports() : []),
  };
  return Object.entries({
    starts: () => startCases(context),
    streams: () => userStreamCases(context),
    turns: () => userTurnCases(context),
  }).flatMap(([group, cases]) => (wants(group) || given.only === 'user' ? cases() : []));
}

/** Recording, by the CPU time of the server's process for one exchange. */
async function recorder() {
  console.error('measuring as a user: the recorder');
  const { times, peaks } = await measureRecorder({ rounds: Math.min(rounds, 9), warmUp: 2 });
  return [...times].flatMap(([workload, sides]) => {
    const floor = sides.get('floor') ?? [];
    return /** @type {const} */ (['floor', 'least', 'skein']).map((who) => {
      const result = compare(floor, sides.get(who) ?? []);
      const memory = { time: peaks[who], ratio: peaks[who] / peaks.floor };
      const verdict = who === 'skein' ? judge('recorder', result.ratio) : undefined;
      return { work: `recorder, ${workload}`, who, ...result, memory, ...(verdict && { verdict }) };
    });
  });
}

/** The cache doctor over recorded traffic of three sizes. */
async function why() {
  const { cases, end } = await cachingCases();
  try {
    return await measureUserCases(cases, { rounds, judge });
  } finally {
    await end();
  }
}

/** The rows that are measured in this process. */
async function measureInside() {
  if (wants('streams')) await streams();
  if (wants('turns')) await nextTurns();
  if (wants('cold')) await coldWrites();
  if (wants('sizes')) await sizes();
  if (wants('forest')) await forest();
  if (wants('postgres')) await postgres();
  if (wants('placement') && given.against !== undefined) await placement(given.against);
  if (wants('proxy')) await proxy();
  if (wantsPage('frames')) await pageFrames();
  if (wantsPage('cpu')) await pageCpu();
  if (wantsPage('stream')) await pageStream();
  if (rows.length > 0) console.log(`${table('Skein', rows)}\n`);
}

async function streams() {
  for (const protocol of PROTOCOLS) {
    console.error(`measuring streams: ${protocol}`);
    const times = await measure(streamCase(server.url, protocol), { rounds, warmUp: 5 });
    add(`stream, ${protocol}`, times, 'skein', 'stream');
  }
}

async function nextTurns() {
  for (const protocol of PROTOCOLS) {
    console.error(`measuring turns: ${protocol}`);
    for (const knowsPrevious of [true, false]) {
      const times = await measure(turnCase(server.url, protocol, { knowsPrevious }), { rounds, warmUp: 5 });
      const label = `turn, ${protocol}${knowsPrevious ? '' : ', no manifest'}`;
      add(label, times, 'skein', 'turn');
      add(`${label}, as text`, times, 'skein, as text');
      if (knowsPrevious) add(`${label}: ready bytes`, times, 'ready bytes');
    }
    for (const length of [100, 1000]) {
      const times = await measure(turnCase(server.url, protocol, { knowsPrevious: true, length }), {
        rounds,
        warmUp: 5,
      });
      add(`turn of ${length}, ${protocol}`, times, 'skein');
    }
  }
}

async function coldWrites() {
  for (const protocol of PROTOCOLS) {
    console.error(`measuring cold writes: ${protocol}`);
    for (const native of [false, true]) {
      const times = await measure(coldCase(protocol, { native }), { rounds, warmUp: 3 });
      const label = `${protocol}${native ? ', all native' : ''}`;
      add(`cold write, ${label}`, times, 'write', 'cold write');
      add(`cold write, ${label}, no manifest`, times, 'write without manifest');
      add(`load and write, ${label}`, times, 'load and write');
    }
  }
}

async function sizes() {
  console.log(`${cells(['import, bundled and minified', 'kB', 'kB gzipped'], await importSizes())}\n`);
}

async function forest() {
  const few = Math.min(rounds, 9);
  console.error('measuring forest: appends');
  add('forest append', await measure(await appendCase(), { rounds, warmUp: 5 }), 'skein', 'forest append');
  const single = await measure(await appendCase({ inFlight: 1, count: 300 }), { rounds: few, warmUp: 3 });
  add('forest append, one at a time', single, 'skein', 'forest append');
  await tidy();
  console.error('measuring forest: sizes');
  const sizes = await measure(await sizeCase(), { rounds, warmUp: 5 });
  for (const name of ['100,000 nodes', '10,000 deep', '10,000 siblings'])
    add(`forest append, ${name} against 1,000 nodes`, sizes, name, 'forest size');
  await tidy();
  console.error('measuring forest: matching');
  const matches = await measure(await matchCase(), { rounds, warmUp: 5 });
  add('forest match, exact', matches, 'exact', 'forest match');
  add('forest match, echo', matches, 'echo', 'forest match');
  await tidy();
  console.error('measuring forest: opening');
  const opens = await measure(await openCase(), { rounds: few, warmUp: 2 });
  add('forest open, snapshot', opens, 'snapshot', 'forest open, snapshot');
  add('forest open, no snapshot', opens, 'no snapshot', 'forest open, no snapshot');
  await tidy();
  add('forest path of 10,000', await measure(await pathCase(), { rounds: few, warmUp: 2 }), 'skein');
  const { total, fromSnapshot, fromSegments } = await memoryPerNode(given.rounds === '1' ? 20_000 : 200_000);
  const bytes = [fromSnapshot, fromSegments].map((size) => size.toFixed(0)).join(' from a snapshot, ');
  console.log(`Bytes of memory per node at ${total} nodes: ${bytes} from segments\n`);
  await tidy();
}

async function postgres() {
  const { cases, end } = await postgresCases();
  try {
    for (const { name, group, contestants } of cases) {
      console.error(`measuring PostgreSQL: ${name}`);
      const times = await measure(contestants, { rounds, warmUp: 3, by: 'clock' });
      for (const { name: contestant } of contestants.filter((one) => one.name !== 'floor'))
        add(`postgres, ${name}${contestant === 'skein' ? '' : `, ${contestant}`}`, times, contestant, group);
    }
  } finally {
    await end();
  }
}

/** @param {string} checkout */
async function placement(checkout) {
  for (const workload of WORKLOADS) {
    console.error(`measuring placement: ${workload.name}`);
    const times = await measure(await placementCase(checkout, workload), { rounds, warmUp: 3 });
    add(`placement, ${workload.name}`, times, 'skein', 'placement');
  }
}

async function proxy() {
  console.error('measuring the proxy');
  const few = Math.min(rounds, 9);
  const warmUp = 2;
  const { contestants, times, finish, memory, end } = await proxyCase();
  try {
    const clock = await measure(contestants, { rounds: few, warmUp, by: 'clock' });
    await finish();
    /** @param {Map<string, number[]>} all */
    const warm = (all) => new Map([...all].map(([name, values]) => [name, values.slice(warmUp)]));
    add('proxy, 500 streams', clock, 'skein', 'proxy');
    add('proxy, first byte', warm(times.firstBytes), 'skein', 'proxy, first byte');
    add('proxy, CPU while they pass', warm(times.passing), 'skein');
    add('proxy, CPU until all is written', warm(times.whole), 'skein');
    const exchanges = (few + warmUp) * 500;
    const { fresh, behind, anew } = await memory();
    /** @param {number} bytes */
    const mb = (bytes) => `${(bytes / 1e6).toFixed(0)} MB`;
    console.log(
      `Memory of the idle proxy: ${mb(fresh)} fresh, ${mb(behind)} behind ${exchanges} streams, ${mb(anew)} in a new process on their recordings\n`,
    );
  } finally {
    await end();
  }
}

/** Of the frames, the one that 95 of 100 do not exceed; its floor is what is seen as smooth. */
async function pageFrames() {
  console.error('measuring the frames of the page');
  const { frames, switches } = await measurePage();
  for (const { name, p95 } of frames) addLimit(`page frames, ${name}`, p95, SMOOTH_MS);
  const median = switches.toSorted((a, b) => a - b)[Math.floor(switches.length / 2)] ?? Number.NaN;
  addLimit('page, to a sibling in 1,000 messages', median, SWITCH_MS);
  const lines = frames.map(({ name, frames: count, median: usual, under }) => [
    name,
    String(count),
    usual.toFixed(1),
    `${(under * 100).toFixed(1)} %`,
  ]);
  console.log(`${cells(['page', 'frames', 'median ms', `under ${SMOOTH_MS} ms`], lines)}\n`);
}

async function pageCpu() {
  console.error('measuring the CPU time of the page');
  for (const [name, times] of await measurePageCpu({ rounds: Math.min(rounds, 5) }))
    add(`page CPU, ${name}`, times, 'skein', 'page CPU');
}

/** The longest task may take what a long task takes, or what the same stream into an empty page takes. */
async function pageStream() {
  console.error('measuring a long stream into the page');
  const streams = await measurePageStream({ rounds: Math.min(rounds, 3) });
  const times = Object.entries(streams).map(
    ([side, all]) => /** @type {const} */ ([side, all.map(({ perToken }) => perToken)]),
  );
  add('page, CPU of a stream, per token', new Map(times), 'skein');
  const longest = (/** @type {'floor' | 'skein'} */ side) => Math.max(...streams[side].map((one) => one.longest));
  addLimit('page, longest task of a stream', longest('skein'), Math.max(LONG_TASK_MS, longest('floor')));
  const lines = Object.entries(streams).map(([side, all]) => {
    const mean = (/** @type {(one: (typeof all)[number]) => number} */ read) =>
      all.reduce((sum, one) => sum + read(one), 0) / all.length;
    return [
      side === 'floor' ? 'empty page' : 'conversation',
      mean(({ rate }) => rate).toFixed(0),
      mean(({ perToken }) => perToken).toFixed(2),
      Math.max(...all.map((one) => one.longest)).toFixed(0),
      String(all.reduce((sum, { long }) => sum + long, 0)),
      `${(mean(({ under }) => under) * 100).toFixed(1)} %`,
    ];
  });
  const titles = ['a long stream into', 'tokens/s', 'CPU ms/token', 'longest task ms', 'long tasks'];
  console.log(`${cells([...titles, `under ${SMOOTH_MS} ms`], lines)}\n`);
}

/**
 * What has a limit of its own instead of a floor.
 * @param {string} name
 * @param {number} time
 * @param {number} limit
 */
function addLimit(name, time, limit) {
  const ratio = time / limit;
  rows.push({ name, floor: limit, time, ratio, spread: 0, verdict: judge('page', ratio) });
}

/**
 * @param {string} name
 * @param {ReadonlyMap<string, number[]>} times
 * @param {string} contestant
 * @param {string} [group] of the budget
 */
function add(name, times, contestant, group) {
  const result = { name, ...compare(times.get('floor') ?? [], times.get(contestant) ?? []) };
  rows.push({ ...result, verdict: group === undefined ? undefined : judge(group, result.ratio) });
}

/** The page is measured in three parts, because together they take long. @param {'frames' | 'cpu' | 'stream'} part */
function wantsPage(part) {
  return wants('page') || wants(`page-${part}`);
}

/** @param {string} group */
function wants(group) {
  return given.only === undefined || given.only === group;
}
