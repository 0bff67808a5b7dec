/** The store with tables that are partitioned by project, as docs/postgres.md describes it. */
import { postgresStore } from '@skein/forest';
import { storeConformance } from '@skein/forest/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createDatabase, type Database } from './database.ts';

const PARTITIONS = 4;

let database: Database;
beforeAll(async () => {
  database = await createDatabase();
  await (await postgresStore(database.url, { project: 'first' })).close();
  const tables = await database.query(`
    select relname as name from pg_class
    where relkind = 'r' and relname like 'skein\\_%' and relname not like 'skein\\_migration%' and not relispartition`);
  for (const { name: table } of tables) {
    await database.query(`alter table ${table} rename to old_${table}`);
    await database.query(`create table ${table} (like old_${table} including all) partition by hash (project)`);
    await database.query(`drop table old_${table}`);
    for (let part = 0; part < PARTITIONS; part++)
      await database.query(
        `create table ${table}_${part} partition of ${table} for values with (modulus ${PARTITIONS}, remainder ${part})`,
      );
  }
});

afterAll(() => database.drop());

let projects = 0;
const cases = storeConformance('partitioned', async () => {
  const project = `case ${projects++}`;
  const open = () => postgresStore(database.url, { project });
  return { store: await open(), again: open };
}).filter(({ name }) => !name.includes('10,000'));

test.each(cases)('$name', ({ run }) => run());

test('projects lie in different partitions', async () => {
  const used = await database.query('select distinct tableoid from skein_node');
  expect(used.length).toBe(PARTITIONS);
});
