// `npm run simulation`: many programs at once, recorded into memory, into files and into PostgreSQL by two processes, and compared
// with the truth. `--conversations 10000 --users 500 --seed 1 --stores memory,files,postgres`. Fails when a goal of 0 is missed.
import { fork } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { startPostgres } from '../postgres-server.mjs';
import { cells } from '../table.mjs';
import { simulate } from './conversations.mjs';
import { judge } from './judge.mjs';
import { checkNextRequests } from './next-requests.mjs';
import { countDifferences, readPlaces } from './places.mjs';
import { recordAll } from './record.mjs';

const { values: given } = parseArgs({
  options: {
    conversations: { type: 'string', default: '10000' },
    users: { type: 'string', default: '500' },
    seed: { type: 'string', default: '1' },
    stores: { type: 'string', default: 'memory,files,postgres' },
  },
});
const options = { conversations: Number(given.conversations), users: Number(given.users), seed: Number(given.seed) };
const dist = new URL('../../packages/forest/dist/', import.meta.url);
const forest = await import(new URL('index.js', dist).href);
const { sharedProjector } = await import(new URL('record/projection/projector.js', dist).href);

/** How many exchanges arrive between two checks of the store. */
const SLICE = 2000;
const exchanges = simulate(options);
const recorded = await recordAll(exchanges, forest);
const arrivals = exchanges.map(({ arrives }) => arrives).sort((a, b) => a - b);
const slices = arrivals.filter((_, at) => at % SLICE === SLICE - 1 || at === arrivals.length - 1);
console.log(`Node ${process.version}, ${cpus().length} × ${cpus()[0]?.model}`);
console.log(
  `${options.conversations} conversations of ${options.users} users, ${exchanges.length} exchanges, seed ${options.seed}\n`,
);

// All at once, in the order of their starts: the result that every other way must reach.
const fresh = forest.memoryStore();
for (const { records } of recorded) await fresh.append(records);
const freshForest = forest.createForest(fresh);
await forest.reproject(freshForest);
const expected = await readPlaces(fresh, recorded);

const FILL = {
  memory: inMemory,
  files: async () => {
    const folder = mkdtempSync(join(tmpdir(), 'skein-simulation-'));
    await byTwo('files', folder);
    const store = await forest.fileStore(folder);
    return { store, end: async () => rmSync(folder, { recursive: true }) };
  },
  postgres: async () => {
    const server = await startPostgres();
    await byTwo('postgres', server.url);
    return { store: await forest.postgresStore(server.url, { project: 'simulation' }), end: () => server.remove() };
  },
};

/** @type {string[][]} */
const rows = [];
/** @type {Record<string, number>} */
let unknowable = {};
let isFailed = false;
for (const [name, fill] of Object.entries(FILL)) {
  if (!given.stores.split(',').includes(name)) continue;
  const before = performance.now();
  const { store, end } = await fill();
  const seconds = (performance.now() - before) / 1000;
  const places = await readPlaces(store, recorded);
  const verdict = judge(exchanges, places.placeOf);
  unknowable = verdict.unknowable;
  const differences = countDifferences(expected, places);
  const next = name === 'memory' ? await checkAll(store, places) : undefined;
  const goals = [
    verdict.foreign,
    verdict.split,
    verdict.unplaced,
    verdict.unlinked,
    next?.foreignSystems,
    next?.staleHeads,
  ];
  for (const found of goals.flatMap((one) => one?.slice(0, 5) ?? [])) console.error(`${name}: ${found}`);
  isFailed ||= differences > 0 || goals.some((one) => one !== undefined && one.length > 0);
  rows.push([
    name,
    ...goals.map((one) => (one === undefined ? '–' : String(one.length))),
    String(differences),
    String(verdict.threads),
    seconds.toFixed(0),
  ]);
  console.error(`${name}: ${seconds.toFixed(0)} s`);
  await store.close();
  await end();
}
const heads = [
  'store',
  'foreign',
  'split',
  'unplaced',
  'unlinked',
  'foreign systems',
  'stale heads',
  'unlike afresh',
  'threads',
  'seconds',
];
console.log(`${cells(heads, rows, 1)}\n`);
console.log(
  cells(
    ['begins a thread of its own, because', 'exchanges'],
    Object.entries(unknowable).map(([why, count]) => [why, String(count)]),
    1,
  ),
);
process.exitCode = isFailed ? 1 : 0;

async function inMemory() {
  const store = forest.memoryStore();
  const projector = sharedProjector(forest.createForest(store));
  const arrived = recorded.toSorted((a, b) => a.exchange.arrives - b.exchange.arrives);
  for (const [at, { records }] of arrived.entries()) {
    await store.append(records);
    if (at % SLICE === SLICE - 1) await projector.run();
  }
  await projector.run();
  return { store, end: async () => undefined };
}

/**
 * Two processes, each with what arrived at one server.
 * @param {string} kind
 * @param {string} place
 */
async function byTwo(kind, place) {
  const program = fileURLToPath(new URL('writer.mjs', import.meta.url));
  const writers = [0, 1].map((number) => fork(program, [kind, place, String(number), JSON.stringify(options)]));
  const answers = () =>
    Promise.all(
      writers.map(
        (writer) =>
          new Promise((resolve, reject) => {
            writer.removeAllListeners('exit');
            writer.once('exit', (code) => reject(new Error(`A writer ended with ${code}`)));
            writer.once('message', resolve);
          }),
      ),
    );
  await answers();
  // Twice at the end: what one stored while the other looked is then placed by both.
  for (const until of [...slices, Number.MAX_VALUE, Number.MAX_VALUE]) {
    const done = answers();
    for (const writer of writers) writer.send(until);
    await done;
  }
  await Promise.all(
    writers.map((writer) => {
      writer.removeAllListeners('exit');
      const ended = new Promise((resolve) => writer.once('exit', resolve));
      writer.send('end');
      return ended;
    }),
  );
}

/** @param {any} store @param {Awaited<ReturnType<typeof readPlaces>>} places */
async function checkAll(store, places) {
  const world = forest.createForest(store);
  const engine = forest.createEngine(world, {
    env: { ANTHROPIC_API_KEY: 'k', OPENAI_API_KEY: 'k', GEMINI_API_KEY: 'k' },
  });
  return checkNextRequests(recorded, (id) => places.landings.get(id), { forest: world, engine });
}
