import { postgresStore } from '@skein/forest';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createDatabase, type Database } from './database.ts';

const OURS =
  "class.relname like 'skein\\_%' and class.relname not like 'skein\\_migration%' and not class.relispartition";

let database: Database;
beforeAll(async () => {
  database = await createDatabase();
  const store = await postgresStore(database.url, { project: 'first' });
  await store.close();
});
afterAll(() => database.drop());

/** `r` are plain tables, `p` those with partitions. */
const tables = async (kinds: 'r' | 'rp') =>
  (
    await database.query(`select relname from pg_class as class where position(relkind in '${kinds}') > 0 and ${OURS}`)
  ).map(({ relname }) => relname);

test('every key and every index begins with the project, so that tables can be split by it', async () => {
  const rows = await database.query(`
    select index.relname as index, method.amname as method, is_of.indisunique as unique,
      (select attname from pg_attribute where attrelid = is_of.indrelid and attnum = is_of.indkey[0]) as first
    from pg_index as is_of
    join pg_class as index on index.oid = is_of.indexrelid
    join pg_class as class on class.oid = is_of.indrelid
    join pg_am as method on method.oid = index.relam
    where class.relkind in ('r', 'p') and ${OURS}`);
  // The words are marked with their project instead: GIN has no order to begin with.
  const others = rows.filter(({ first }) => first !== 'project');
  expect(others).toEqual([{ index: 'skein_words_words', method: 'gin', unique: false, first: 'words' }]);
  expect(rows.filter(({ unique }) => unique).length).toBe((await tables('rp')).length);
});

test('what is never listed in the order of an index is not in it: exchanges, and where they were placed', async () => {
  const rows = await database.query(`
    select class.relname as index, pg_get_expr(indpred, indrelid) as holds
    from pg_index join pg_class as class on class.oid = indexrelid where indpred is not null and ${OURS} order by 1`);
  expect(rows).toEqual([
    { index: 'skein_entry_order', holds: "(kind <> 'exchange'::text)" },
    { index: 'skein_ref_name', holds: "(name <> 'landed'::text)" },
  ]);
});

test('no stored text is json, which would change its bytes; only ids are bytes, and facts, which are no records', async () => {
  const rows = await database.query(`
    select table_name || '.' || column_name as name from information_schema.columns
    where table_name like 'skein\\_%' and (data_type in ('json', 'jsonb', 'bytea') or udt_name = '_bytea')`);
  const ofIds = ['node.id', 'node.parent', 'node.body', 'node.echo', 'node.lead', 'page.id', 'page.above', 'page.ids'];
  ofIds.push('words.id', 'body.digest', 'take.node', 'take.id');
  expect(rows.map(({ name }) => name).sort()).toEqual([...ofIds, 'fact.value'].map((name) => `skein_${name}`).sort());
});

test('no table has statistics of its projects, by which PostgreSQL would read all of one that it does not know', async () => {
  const rows = await database.query(`
    select relname as name from pg_attribute join pg_class as class on attrelid = class.oid
    where attname = 'project' and attstattarget is distinct from 0 and class.relkind in ('r', 'p') and ${OURS}`);
  expect(rows).toEqual([]);
});
