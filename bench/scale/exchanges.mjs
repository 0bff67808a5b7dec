// `npm run scale -- --exchanges 10000 --copies 1000`: recorded exchanges in PostgreSQL. The first project is recorded by a real
// recorder; others have 10, 100 and all the other times as many exchanges. How fast they fill, their size, the start of a recorder
// in each of them, how fast several recorders write, the cost of each query, and what it takes to drop a month.
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { importOfForest } from '../postgres-server.mjs';
import { cells } from '../table.mjs';
import { BLOCK_MS, fillWithCopies, makeMonths, onTwoCores, withoutFlushing } from './copies.mjs';

/** @type {typeof import('@skein/forest')} */
const forest = await importOfForest('@skein/forest');

const TURNS = 5;
const AT_ONCE = 200;
const ROUNDS = 30;
const SMALL = 'small';
/** How many times the exchanges of the small project these have; the largest project has what is left. */
const TIMES = { medium: 10, large: 100 };
const LARGEST = 'largest';
/** How many recorders write at once, each in a process of its own, and for how long. */
const RECORDERS = 4;
const RECORDING_SECONDS = 20;

/**
 * @typedef {object} Sizes
 * @property {number} exchanges of the small project
 * @property {number} copies how many times all projects together have these
 */

/** The projects, and how many times the exchanges of the small one each has. @param {Sizes} sizes @returns {Map<string, number>} */
function projectSizes({ copies }) {
  const projects = new Map([[SMALL, 1]]);
  let left = copies - 1;
  for (const [project, times] of Object.entries(TIMES)) {
    if (left < times) break;
    projects.set(project, times);
    left -= times;
  }
  if (left > 0) projects.set(LARGEST, left);
  return projects;
}

/** @param {any} pool @param {Sizes} sizes */
export async function fillExchanges(pool, sizes) {
  const { exchanges, copies } = sizes;
  const began = Math.floor(Date.now() / BLOCK_MS - 1) * BLOCK_MS;
  const seconds = await timed(() => record(pool, exchanges, began));
  console.log(
    `Recorded and placed ${exchanges} exchanges in ${seconds.toFixed(0)} s: ${Math.round(exchanges / seconds)} a second\n`,
  );
  const others = [...projectSizes(sizes)].slice(1).map(([project, times]) => ({ project, copies: times - 1 }));
  await makeMonths(pool, (project) => forest.postgresStore(pool, { project }), began, others);
  const progress = (/** @type {string} */ text) => console.error(`${process.uptime().toFixed(0)} s: ${text}`);
  const filled = await timed(() =>
    withoutFlushing(pool, () => fillWithCopies(pool, { project: SMALL, began }, others, progress)),
  );
  progress('analysing');
  const analysed = await timed(() => analyse(pool));
  console.log(
    `${exchanges * copies} exchanges; copies and indexes in ${filled.toFixed(0)} s, analysed in ${analysed.toFixed(0)} s\n`,
  );
  console.log(
    `${cells(['tables', 'rows', 'MB', 'bytes per exchange'], await tableSizes(pool, exchanges * copies), 1)}\n`,
  );
}

/** @param {any} pool @param {string} url @param {Sizes} sizes */
export async function measureExchanges(pool, url, sizes) {
  await measureStarts(url, sizes);
  await measureQuestions(pool, sizes);
  await measureRecorders(url, sizes);
  const last = [...projectSizes(sizes).keys()].at(-1) ?? SMALL;
  console.log(cells(['dropped months', 'rows', 'seconds'], [await dropMonths(pool, last)], 1));
}

/** The projects with the number of their exchanges, as it is shown. @param {Sizes} sizes */
const shownSizes = (sizes) =>
  [...projectSizes(sizes)].map(([project, times]) => ({ project, count: String(times * sizes.exchanges) }));

/** @param {string} url @param {Sizes} sizes */
async function measureStarts(url, sizes) {
  const started = [];
  for (const { project, count } of shownSizes(sizes)) {
    const { rows, seconds, megabytes } = await inProcess('start', url, project);
    started.push([count, String(rows), seconds.toFixed(2), megabytes.toFixed(0)]);
  }
  const headings = ['exchanges of the project', 'entries and refs read at a start', 'seconds', 'MB'];
  console.log(`${cells(headings, started, 3)}\n`);
}

/** @param {any} pool @param {Sizes} sizes */
async function measureQuestions(pool, sizes) {
  const shown = shownSizes(sizes);
  /** @type {string[][][]} */
  const columns = [];
  for (const { project } of shown) {
    const store = await forest.postgresStore(pool, { project });
    columns.push(await times(store));
    await store.close();
  }
  const rows = columns[0]?.map(([name], at) => [
    name ?? '',
    ...columns.map((column) => column[at]?.slice(1).join(' / ') ?? ''),
  ]);
  const headings = shown.map(({ count }) => `${count}: median / 95 % ms`);
  console.log(`${cells(['question', ...headings], rows ?? [], 1)}\n`);
}

/** @param {string} url @param {Sizes} sizes */
async function measureRecorders(url, sizes) {
  const written = [];
  for (const { project, count } of shownSizes(sizes)) {
    const all = await Promise.all(
      Array.from({ length: RECORDERS }, () => inProcess('record', url, project, String(RECORDING_SECONDS))),
    );
    const rate = all.reduce((sum, { exchanges }) => sum + exchanges, 0) / RECORDING_SECONDS;
    const worst = (/** @type {string} */ of) => Math.max(...all.map((one) => one[of])).toFixed(0);
    written.push([count, rate.toFixed(0), worst('median'), worst('most')]);
  }
  const heading = `exchanges a second by ${RECORDERS} recorders`;
  console.log(`${cells(['exchanges of the project', heading, 'stored after ms, median', '95 %'], written, 3)}\n`);
}

/** What a new process measures (recorder.mjs). @param {readonly string[]} args */
async function inProcess(...args) {
  const program = fileURLToPath(new URL('recorder.mjs', import.meta.url));
  const child = spawn(process.execPath, [program, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  let text = '';
  for await (const chunk of child.stdout) text += chunk;
  return JSON.parse(text);
}

/** @param {() => Promise<unknown>} work */
async function timed(work) {
  const before = performance.now();
  await work();
  return (performance.now() - before) / 1000;
}

/** Conversations of five turns, begun within one block of time. Bodies have less than 500 bytes. @param {any} pool @param {number} exchanges @param {number} began */
async function record(pool, exchanges, began) {
  const store = await forest.postgresStore(pool, { project: SMALL });
  let now = began;
  const recorder = forest.createRecorder(forest.createForest(store, { now: () => now }), {
    onError: (error) => {
      throw error;
    },
  });
  /** @type {{ role: string, content: string }[][]} */
  const talks = [];
  for (let at = 0; at < exchanges; at++) {
    now = began + Math.floor((at / exchanges) * 0.9 * BLOCK_MS);
    // Fifty conversations at a time go on in turn.
    const talk = talks[at % 50] ?? [];
    const messages = talk.length >= 2 * TURNS ? [] : talk;
    talks[at % 50] = messages;
    messages.push({ role: 'user', content: `Question ${at}, word${at % 997}?` });
    const recording = recorder.begin({
      method: 'POST',
      url: 'https://api.openai.com/v1/chat/completions',
      headers: [['content-type', 'application/json']],
      body: JSON.stringify({ model: 'gpt-5.5', messages }),
    });
    recording.head(200, [['content-type', 'application/json']]);
    const message = { role: 'assistant', content: `Answer ${at} of word${at % 991}.` };
    messages.push(message);
    const reply = { id: `chatcmpl-${at}`, model: 'gpt-5.5', choices: [{ index: 0, message, finish_reason: 'stop' }] };
    recording.push(new TextEncoder().encode(JSON.stringify(reply)));
    recording.end('done');
    if (at % AT_ONCE === AT_ONCE - 1) await recorder.settled();
  }
  await recorder.settled();
  await store.close();
}

/** Vacuums and analyses all tables, the largest first. @param {any} pool */
async function analyse(pool) {
  const { rows } = await pool.query(
    "select relname as name from pg_class where relkind = 'r' and relname like 'skein\\_%' order by pg_relation_size(oid)",
  );
  await onTwoCores(async () => {
    for (let table = rows.pop(); table; table = rows.pop()) await pool.query(`vacuum (analyze) ${table.name}`);
  });
}

/** @param {any} pool @param {number} exchanges */
async function tableSizes(pool, exchanges) {
  const { rows } = await pool.query(`
    select regexp_replace(relname, '_[0-9a-f]{12}.*', '') as name, sum(greatest(reltuples, 0))::float8 as rows,
      sum(pg_total_relation_size(oid))::float8 as total
    from pg_class where relkind = 'r' and relname like 'skein\\_%' group by 1 having sum(pg_total_relation_size(oid)) > 1e6
    order by total desc`);
  const all = rows.reduce((/** @type {number} */ sum, /** @type {any} */ row) => sum + row.total, 0);
  const shown = (/** @type {any} */ row) => [
    row.name,
    String(Math.round(row.rows)),
    (row.total / 1e6).toFixed(0),
    (row.total / exchanges).toFixed(0),
  ];
  return [...rows.map(shown), shown({ name: 'all', rows: 0, total: all })];
}

/** @param {import('@skein/forest').Store} store */
async function times(store) {
  const tree = forest.createForest(store);
  const { items: threads } = await tree.threads.list({ limit: 100 });
  const { items: exchanges } = await forest.listExchanges(tree, { limit: 1, order: 'newest' });
  const recorder = forest.createRecorder(tree);
  let count = 0;
  const recordOne = async () => {
    const body = JSON.stringify({ model: 'gpt-5.5', messages: [{ role: 'user', content: `One more, ${count++}?` }] });
    const url = 'https://api.openai.com/v1/chat/completions';
    const recording = recorder.begin({ method: 'POST', url, headers: [], body });
    recording.head(200, [['content-type', 'application/json']]);
    const message = { role: 'assistant', content: 'Yes.' };
    recording.push(
      new TextEncoder().encode(JSON.stringify({ id: `chatcmpl-x${count}`, choices: [{ index: 0, message }] })),
    );
    recording.end('done');
    await recorder.settled();
  };
  const questions = {
    'record and place one exchange': recordOne,
    'list 100 exchanges, newest first': () => forest.listExchanges(tree, { order: 'newest', limit: 100 }),
    'list 100 threads': () => tree.threads.list({ limit: 100 }),
    'open a thread': () => store.path(threads[count++ % threads.length]?.head ?? ''),
    'export a thread': async () => {
      const of = { thread: threads[count++ % threads.length]?.id ?? '' };
      const pieces = [];
      for await (const text of forest.exportText(tree, { format: 'segments', of })) pieces.push(text);
      return pieces;
    },
    'usage of a thread': () => tree.usage({ thread: threads[count++ % threads.length]?.id ?? '' }),
    'read an exchange with its bytes': () => forest.readRecorded(tree, exchanges[0]?.id ?? ''),
    'search, two words': () => store.search({ words: ['question', 'word17'], limit: 20 }),
    'changes since a moment ago': async () => store.changes((await store.changes()).next),
  };
  const rows = [];
  for (const [name, run] of Object.entries(questions)) {
    /** @type {number[]} */
    const taken = [];
    for (let round = 0; round < ROUNDS; round++) {
      const before = performance.now();
      await run();
      taken.push(performance.now() - before);
    }
    taken.sort((a, b) => a - b);
    const at = (/** @type {number} */ share) => (taken[Math.floor((taken.length - 1) * share)] ?? 0).toFixed(1);
    rows.push([name, at(0.5), at(0.95)]);
  }
  return rows;
}

/** What dropping all months but the last two takes. @param {any} pool @param {string} project */
async function dropMonths(pool, project) {
  const store = await forest.postgresStore(pool, { project });
  const count = async () => {
    const { rows } = await pool.query(
      "select sum(reltuples)::float8 as rows from pg_class where relkind = 'r' and relname like 'skein\\_exchange\\_%'",
    );
    return rows[0].rows;
  };
  const before = await count();
  /** @type {readonly string[]} */
  let dropped = [];
  const seconds = await timed(async () => {
    dropped = (await store.months?.drop(Date.now() - 60 * 24 * 60 * 60 * 1000)) ?? [];
  });
  const gone = before - (await count());
  await store.close();
  return [String(dropped.length), String(gone), seconds.toFixed(2)];
}
