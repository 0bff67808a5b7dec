// `npm run scale -- --exchanges 10000 --copies 100`: recorded exchanges in PostgreSQL. The first project is recorded by a real
// recorder; the others get the rows that the store would write for the same traffic. How fast it fills, its size, the cost of each
// query in one of the projects, and what the start of a recorder reads.
import { importOfForest } from '../postgres-server.mjs';
import { cells } from '../table.mjs';

/** @type {typeof import('@skein/forest')} */
const forest = await importOfForest('@skein/forest');

const TURNS = 5;
const AT_ONCE = 200;
const ROUNDS = 30;
const FIRST = 'recorded-0';
const DAY = 24 * 60 * 60 * 1000;

/**
 * @param {any} pool
 * @param {{ exchanges: number, copies: number }} sizes
 */
export async function measureExchanges(pool, { exchanges, copies }) {
  const before = performance.now();
  await record(pool, exchanges);
  const seconds = (performance.now() - before) / 1000;
  console.log(
    `Recorded and placed ${exchanges} exchanges in ${seconds.toFixed(0)} s: ${Math.round(exchanges / seconds)} a second\n`,
  );
  for (let copy = 1; copy < copies; copy++) {
    await copyProject(pool, `recorded-${copy}`);
    if (copy % 10 === 0) console.error(`${copy * exchanges} exchanges after ${process.uptime().toFixed(0)} s`);
  }
  await pool.query('vacuum (analyze)');
  console.log(`${cells(['tables', 'rows', 'MB', 'bytes per exchange'], await sizes(pool, exchanges * copies), 1)}\n`);
  const last = await forest.postgresStore(pool, { project: `recorded-${copies - 1}` });
  console.log(`${cells(['question', 'median ms', '95 % ms'], await times(last), 1)}\n`);
  await last.close();
  console.log(cells(['start of a recorder', 'rows read', 'seconds'], await starts(pool, `recorded-${copies - 1}`), 1));
}

/** Conversations of five turns, begun within ninety days. Bodies have less than 500 bytes. @param {any} pool @param {number} exchanges */
async function record(pool, exchanges) {
  const store = await forest.postgresStore(pool, { project: FIRST });
  const began = Date.now() - 90 * DAY;
  let now = began;
  const recorder = forest.createRecorder(forest.createForest(store, { now: () => now }), {
    onError: (error) => {
      throw error;
    },
  });
  /** @type {{ role: string, content: string }[][]} */
  const talks = [];
  for (let at = 0; at < exchanges; at++) {
    now = began + Math.floor((at / exchanges) * 90 * DAY);
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
    if (at % AT_ONCE !== AT_ONCE - 1) continue;
    await recorder.settled();
    if (at % 10_000 === 9_999) console.error(`${at + 1} recorded after ${process.uptime().toFixed(0)} s`);
  }
  await recorder.settled();
  await store.months?.create();
  await store.close();
}

/** The rows of the first project as rows of another one; words carry a mark of their project. @param {any} pool @param {string} project */
async function copyProject(pool, project) {
  const { rows } = await pool.query(
    "select encode(sha256($1::bytea), 'hex') as before, encode(sha256($2::bytea), 'hex') as after",
    [FIRST, project],
  );
  const [before, after] = [rows[0].before.slice(0, 6), rows[0].after.slice(0, 6)];
  for (const table of ['node', 'page', 'body', 'take', 'ref', 'entry', 'fact', 'fact_version']) {
    const columns = await pool.query(
      "select string_agg(quote_ident(column_name), ', ') as names from information_schema.columns where table_name = $1 and column_name not in ('project', 'seq', 'xid')",
      [`skein_${table}`],
    );
    const names = columns.rows[0].names;
    await pool.query(
      `insert into skein_${table} (project, ${names}) select $2, ${names} from skein_${table} where project = $1`,
      [FIRST, project],
    );
  }
  await pool.query(
    `insert into skein_words (project, id, words)
     select $2, id, replace(words::text, '''' || $3, '''' || $4)::tsvector from skein_words where project = $1`,
    [FIRST, project, before, after],
  );
  const store = await forest.postgresStore(pool, { project });
  await store.months?.create();
  await store.close();
}

/** @param {any} pool @param {number} exchanges */
async function sizes(pool, exchanges) {
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
  const { items: exchanges } = await forest.listExchanges(tree, { limit: 1 });
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
    'read an exchange with its bytes': () => forest.readRecorded(tree, exchanges[0]?.id ?? ''),
    'search, two words': () => store.search({ words: ['question', 'word17'], limit: 20 }),
    'changes since a moment ago': async () => store.changes((await store.changes()).next),
  };
  const rows = [];
  for (const [name, run] of Object.entries(questions)) {
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

/** A recorder of a new process: until the first exchange is placed. @param {any} pool @param {string} project */
async function starts(pool, project) {
  const store = await forest.postgresStore(pool, { project });
  let read = 0;
  const counted = { ...store };
  for (const name of /** @type {const} */ (['entries', 'refs']))
    counted[name] = async (/** @type {any} */ ...args) => {
      const page = await /** @type {any} */ (store[name])(...args);
      read += page.items.length;
      return page;
    };
  counted.entry = async (...args) => {
    read += 1;
    return store.entry(...args);
  };
  const before = performance.now();
  const recorder = forest.createRecorder(forest.createForest(counted));
  recorder.begin({ method: 'GET', url: 'https://api.openai.com/v1/models', headers: [] }).end('done');
  await recorder.settled();
  const seconds = (performance.now() - before) / 1000;
  await store.close();
  return [[project, String(read), seconds.toFixed(2)]];
}
