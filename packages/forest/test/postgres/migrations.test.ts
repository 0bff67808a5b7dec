import { postgresStore, StoreError } from '@skein/forest';
import { expect, test } from 'vitest';
import { makePath, toRecords } from '../../src/testing/store-samples.ts';
import { createDatabase } from './database.ts';

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
