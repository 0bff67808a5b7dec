// `npm run scale`: a large forest in PostgreSQL. How fast it fills, its size, the cost of each query, and how the
// slowest one is executed. `--nodes 1000000 --projects 10 --url postgres://…` (by default a server of its own). With
// `--exchanges 10000 --copies 1000`, recorded exchanges in their place.
import { cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { importOfForest, startPostgres } from '../postgres-server.mjs';
import { cells } from '../table.mjs';
import { fillExchanges, measureExchanges } from './exchanges.mjs';
import { fillProjects, MEASURES, questions } from './load.mjs';
import { explain, listen } from './statements.mjs';

const { values: given } = parseArgs({
  options: {
    nodes: { type: 'string', default: '1000000' },
    projects: { type: 'string', default: '10' },
    url: { type: 'string' },
    exchanges: { type: 'string' },
    copies: { type: 'string', default: '1' },
  },
});
const [nodes, projects] = [Number(given.nodes), Number(given.projects)];
// A table that is emptied and filled in one transaction needs no log at this level.
const server =
  given.url === undefined
    ? await startPostgres('wal_level=minimal', 'max_wal_senders=0')
    : { url: given.url, remove: async () => {} };
const { default: pg } = await importOfForest('pg');
const pool = new pg.Pool({ connectionString: server.url, max: 20 });
pool.on('error', () => undefined);
const statements = listen(pool);

try {
  if (given.exchanges === undefined) await measureNodes();
  else {
    const sizes = { exchanges: Number(given.exchanges), copies: Number(given.copies) };
    await fillExchanges(pool, sizes);
    await measureExchanges(pool, server.url, sizes);
  }
} finally {
  await pool.end();
  await server.remove();
}

async function measureNodes() {
  console.log(
    `Node ${process.version}, ${cpus().length} × ${cpus()[0]?.model}, ${nodes} nodes in ${projects} projects\n`,
  );
  const { stores, seconds } = await fillProjects(pool, nodes, projects, (done) =>
    console.error(`${done} nodes after ${process.uptime().toFixed(0)} s`),
  );
  console.log(`Filled in ${seconds.toFixed(0)} s: ${Math.round(nodes / seconds)} nodes a second\n`);
  await pool.query('vacuum (analyze)');
  console.log(`${cells(['table', 'rows', 'MB', 'bytes per node', 'indexes, MB'], await sizes(), 1)}\n`);
  const asked = await questions(stores);
  const rows = [];
  let slowest = { name: '', median: 0, statement: statements.last() };
  for (const { name, run } of asked) {
    const times = [];
    for (let round = 0; round < MEASURES; round++) {
      const before = performance.now();
      await run();
      times.push(performance.now() - before);
    }
    const sorted = times.toSorted((a, b) => a - b);
    const at = (/** @type {number} */ share) => sorted[Math.floor((sorted.length - 1) * share)] ?? 0;
    rows.push([name, at(0.5).toFixed(2), at(0.95).toFixed(2)]);
    if (at(0.5) > slowest.median) slowest = { name, median: at(0.5), statement: statements.longest() };
    statements.forget();
  }
  console.log(`${cells(['question', 'median ms', '95 % ms'], rows, 1)}\n`);
  console.log(`The slowest, ${slowest.name}:\n\n${await explain(pool, slowest.statement)}`);
  await Promise.all(stores.map((store) => store.close()));
}

/** @returns {Promise<string[][]>} */
async function sizes() {
  const { rows } = await pool.query(`
    select relname as name, reltuples::float8 as rows, pg_total_relation_size(oid)::float8 as total,
      pg_indexes_size(oid)::float8 as indexes
    from pg_class where relkind = 'r' and relname like 'skein\\_%' order by total desc`);
  const shown = (
    /** @type {string} */ name,
    /** @type {number} */ count,
    /** @type {number} */ total,
    /** @type {number} */ own,
  ) => [
    name,
    count < 0 ? '' : String(Math.round(count)),
    (total / 1e6).toFixed(1),
    (total / nodes).toFixed(0),
    (own / 1e6).toFixed(1),
  ];
  const sum = (/** @type {'total' | 'indexes'} */ what) =>
    rows.reduce((/** @type {number} */ all, /** @type {any} */ row) => all + row[what], 0);
  return [
    ...rows
      .filter((/** @type {any} */ row) => row.total > 100_000)
      .map((/** @type {any} */ row) => shown(row.name, row.rows, row.total, row.indexes)),
    shown('all', -1, sum('total'), sum('indexes')),
  ];
}
