import { postgresStore } from '@skein/forest';
import pg from 'pg';
import { expect, test } from 'vitest';
import { useDatabase } from './use-database.ts';

const used = useDatabase();

test('a dozen projects on one pool are no dozen listeners, and the last one to close takes them away', async () => {
  const pool = new pg.Pool({ connectionString: used.database.url });
  // An ended pool may still be closing connections when the database is dropped; their end is not this test's matter.
  pool.on('error', () => undefined);
  const counts = () => [pool.listenerCount('error'), pool.listenerCount('acquire')];
  const before = counts();
  const stores = await Promise.all(
    Array.from({ length: 12 }, () => postgresStore(pool, { project: used.newProject() })),
  );
  expect(counts()).toEqual(before.map((count) => count + 1));
  for (const store of stores.slice(1)) await store.close();
  expect(counts()).toEqual(before.map((count) => count + 1));
  await stores[0]!.close();
  expect(counts()).toEqual(before);
  await pool.end();
});
