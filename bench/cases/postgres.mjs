// The forest in PostgreSQL against plain statements on one table, by the clock: most of the work is the server's.
import { history, texts, turn } from '../data/forest.mjs';
import { importOfForest, startPostgres } from '../postgres-server.mjs';

/** @import { Contestant } from '../measure.mjs' */
/** @typedef {import('@skein/forest').Store} Store */
/** @typedef {{ name: string, group?: string, contestants: Contestant[] }} Case */
/** @typedef {ReturnType<typeof turn>} Turn */

const APPENDS = 100;
const LARGE = 100_000;
const SMALL = 1_000;
const SIBLINGS = 10_000;
const DEEP = 10_000;
const HISTORY = 1_000;

/** @returns {Promise<{ cases: Case[], end(): Promise<void> }>} */
export async function postgresCases() {
  const server = await startPostgres();
  /** @type {typeof import('@skein/forest') & typeof import('@skein/forest/store')} */
  const forest = { ...(await importOfForest('@skein/forest')), ...(await importOfForest('@skein/forest/store')) };
  const { default: pg } = await importOfForest('pg');
  const pool = new pg.Pool({ connectionString: server.url });
  pool.on('error', () => undefined);
  const open = (/** @type {string} */ project) => forest.postgresStore(pool, { project });
  const [small, large] = [await open('small'), await open('large')];

  console.error(`filling ${LARGE} nodes`);
  await fill(small, forest, SMALL);
  await fill(large, forest, LARGE);
  const deep = history(forest, DEEP, texts(1));
  await append(large, deep);
  const known = history(forest, HISTORY, texts(2));
  await append(large, known);
  const wide = turn(forest, 'the parent of many');
  const siblings = Array.from({ length: SIBLINGS }, (_, at) => turn(forest, `sibling ${at}`, wide.node));
  await append(large, [wide, ...siblings]);
  await pool.query('create table plain (id text primary key, text text not null)');
  await insertPlain(pool, [...deep, ...known]);
  await pool.query('vacuum (analyze)');
  const { rows } = await pool.query(
    "select sum(pg_total_relation_size(oid))::float8 as bytes from pg_class where relkind = 'r' and relname like 'skein\\_%'",
  );
  const raw = LARGE + SMALL + DEEP + HISTORY + SIBLINGS;
  console.error(`${Math.round(rows[0].bytes / raw)} bytes of disk per node, texts, words and indexes included`);

  const plainInsert = plainInserts(forest, pool);
  const last = (/** @type {Turn[]} */ turns) => /** @type {Turn} */ (turns.at(-1)).node;
  const chain = known.map(({ node }) => node.id);
  const echoes = known.map(({ node }) => node.echo);
  const amongSiblings = history(forest, HISTORY, texts(3), wide.node);
  const deepIds = deep.map(({ node }) => node.id);
  /** @type {Case[]} */
  const cases = [
    {
      name: `${APPENDS} appends`,
      group: 'append',
      contestants: [
        plainInsert,
        { name: 'skein', ...appends(forest, small, () => undefined) },
        { name: `${LARGE} nodes`, ...appends(forest, large, () => undefined) },
        { name: `${LARGE} nodes, under ${DEEP} messages`, ...appends(forest, large, () => last(deep)) },
        { name: `${LARGE} nodes, among ${SIBLINGS} siblings`, ...appends(forest, large, () => wide.node) },
      ],
    },
    {
      name: `match ${HISTORY} messages`,
      contestants: [
        { name: 'floor', run: () => known.forEach(({ raw }) => void forest.sha256(raw)) },
        { name: 'exact, all known', run: () => large.deepest(chain) },
        { name: 'by echo, all known', run: () => large.byEcho(echoes, forest.ROOT) },
        {
          name: `none known, among ${SIBLINGS} siblings`,
          run: () => large.deepest(amongSiblings.map(({ node }) => node.id)),
        },
        {
          name: 'one SELECT by primary key',
          run: () => pool.query({ name: 'one', text: 'select text from plain where id = $1', values: [chain[0]] }),
        },
      ],
    },
    {
      name: `path of ${DEEP} messages`,
      contestants: [
        {
          name: 'floor',
          run: () =>
            pool.query({ name: 'all', text: 'select id, text from plain where id = any($1)', values: [deepIds] }),
        },
        { name: 'skein', run: () => large.path(last(deep).id) },
        { name: 'last 100', run: () => large.path(last(deep).id, deepIds.at(-101)) },
      ],
    },
    {
      name: `open ${LARGE} nodes`,
      contestants: [
        {
          name: 'floor',
          run: async () => {
            const client = new pg.Client({ connectionString: server.url });
            await client.connect();
            await client.query('select 1');
            await client.end();
          },
        },
        { name: 'skein', run: async () => (await forest.postgresStore(server.url, { project: 'large' })).close() },
      ],
    },
  ];
  return {
    cases,
    async end() {
      await Promise.all([small.close(), large.close()]);
      await pool.end();
      await server.remove();
    },
  };
}

/**
 * The floor of an append: one prepared INSERT of the message's id and text into one table, committed.
 * @param {typeof import('@skein/forest') & typeof import('@skein/forest/store')} forest
 * @param {any} pool
 * @returns {Contestant}
 */
function plainInserts(forest, pool) {
  const next = texts(10);
  return {
    name: 'floor',
    prepare: () => Array.from({ length: APPENDS }, () => turn(forest, next())),
    run: async (/** @type {Turn[]} */ turns) => {
      for (const { node, raw } of turns)
        await pool.query({ name: 'insert', text: 'insert into plain values ($1, $2)', values: [node.id, raw] });
    },
  };
}

let seeds = 100;

/**
 * One message per append, each with its text and its take.
 * @param {typeof import('@skein/forest') & typeof import('@skein/forest/store')} forest
 * @param {Store} store
 * @param {() => Turn['node'] | undefined} parent
 * @returns {Omit<Contestant, 'name'>}
 */
function appends(forest, store, parent) {
  const next = texts(seeds++);
  return {
    prepare: () => Array.from({ length: APPENDS }, () => turn(forest, next(), parent())),
    run: async (/** @type {Turn[]} */ turns) => {
      for (const { records } of turns) await store.append(records);
    },
  };
}

/**
 * @param {Store} store
 * @param {typeof import('@skein/forest') & typeof import('@skein/forest/store')} forest
 * @param {number} count
 */
async function fill(store, forest, count) {
  const next = texts(count);
  for (let done = 0; done < count; done += SMALL) await append(store, history(forest, SMALL, next));
}

/**
 * @param {Store} store
 * @param {Turn[]} turns
 */
async function append(store, turns) {
  await store.append(turns.flatMap(({ records }) => records));
}

/**
 * @param {any} pool
 * @param {Turn[]} turns
 */
async function insertPlain(pool, turns) {
  await pool.query('insert into plain select * from unnest($1::text[], $2::text[])', [
    turns.map(({ node }) => node.id),
    turns.map(({ raw }) => raw),
  ]);
}
