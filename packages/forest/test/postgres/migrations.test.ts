import { postgresStore, StoreError } from '@skein/forest';
import { expect, test } from 'vitest';
import { makeEntry, makePath, makeRef, toRecords } from '../../src/testing/store-samples.ts';
import { createDatabase } from './database.ts';
import { undoLanes, undoSmaller } from './older-tables.ts';

test('servers that start at once on an empty database do not get in each other’s way', async () => {
  const database = await createDatabase();
  const open = () => postgresStore(database.url, { project: 'p', connections: 2 });
  const stores = await Promise.all(Array.from({ length: 8 }, open));
  const path = makePath(['a', 'b']);
  await Promise.all(stores.map((store) => store.append(toRecords(path))));
  expect((await stores[7]!.scan()).items.length).toBe(2);
  expect(await database.query('select name from skein_migration')).toEqual([
    { name: '001' },
    { name: '002' },
    { name: '003' },
    { name: '004' },
    { name: '005' },
  ]);
  await Promise.all(stores.map((store) => store.close()));
  await database.drop();
});

test('tables of a newer version are not touched', async () => {
  const database = await createDatabase();
  const open = () => postgresStore(database.url, { project: 'p' });
  await (await open()).close();
  await database.query("insert into skein_migration values ('999', '')");
  const error = await open().catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(StoreError);
  expect(error).toMatchObject({ code: 'store_read_only', message: expect.stringContaining('Upgrade') });
  await database.drop();
});

test('rows from before lanes are kept, and readers are told of what comes after', async () => {
  const database = await createDatabase();
  const open = () => postgresStore(database.url, { project: 'p' });
  const path = makePath(['a', 'b']);
  const store = await open();
  await store.append([...toRecords(path), makeRef('t', 'title', 'x', 'c1'), makeEntry('e1')]);
  await store.close();
  for (const statement of undoLanes()) await database.query(statement);
  const again = await open();
  expect((await again.scan()).items).toEqual(path.map(({ node }) => node));
  const { next } = await again.changes();
  await again.append([makeRef('t', 'title', 'y', 'c2'), makeEntry('e1', { clock: 'c9' })]);
  expect((await again.changes(next)).items.map(({ key }) => key)).toEqual(['thread/t/title', 'e1']);
  expect(await again.check()).toEqual([]);
  await again.close();
  await database.drop();
});

test('facts from before they were packed are read, and replaced by packed ones', async () => {
  const database = await createDatabase();
  const open = () => postgresStore(database.url, { project: 'p' });
  await (await open()).close();
  // An empty database has none that are packed, and what older servers write is text.
  for (const statement of undoSmaller()) await database.query(statement);
  await database.query("insert into skein_fact_version values ('p', 'v1', 's')");
  const old = `{"a":"${'ä'.repeat(50)}"}`;
  await database.query(`insert into skein_fact values ('p', 'a', '${old}'), ('p', 'b', '{}')`);
  const again = await open();
  expect(await again.facts!.read(['a', 'b', 'c'])).toEqual({ version: 'v1', values: [old, '{}', undefined] });
  await again.facts!.write('v1', { version: 'v2', state: 's' }, new Map([['a', old]]));
  expect((await again.facts!.read(['a', 'b'])).values).toEqual([old, '{}']);
  expect((await database.query("select octet_length(value) as size from skein_fact where key = 'a'"))[0]).toMatchObject(
    {
      size: expect.toSatisfy((size: number) => size < Buffer.byteLength(old) / 2),
    },
  );
  await again.close();
  await database.drop();
});

test('a server of an older version that still runs cannot write what readers would never be told of', async () => {
  const database = await createDatabase();
  await (await postgresStore(database.url, { project: 'p' })).close();
  const insert = "insert into skein_take (project, node, id, at, rest) values ('p', 'n', 't', 0, '{}')";
  await expect(database.query(insert)).rejects.toThrow('null value in column "lane"');
  await database.drop();
});
