import { postgresStore } from '@skein/forest';
import pg from 'pg';
import { expect, test } from 'vitest';
import { makeNode, toRecords } from '../../src/testing/store-samples.ts';
import { useDatabase } from './use-database.ts';

const used = useDatabase();

test('a writer that closed or went silent is dead, by the clock of the database', async () => {
  const project = used.newProject();
  const [store, other, third] = [await used.open(project), await used.open(project), await used.open(project)];
  expect(await store.isAlive(other.writer)).toBe(true);
  await other.close();
  expect(await store.isAlive(other.writer)).toBe(false);
  const silence = (seconds: number) =>
    used.database.query('update skein_writer set beat = now() - make_interval(secs => $2) where writer = $1', [
      third.writer,
      seconds,
    ]);
  await silence(20);
  expect(await store.isAlive(third.writer)).toBe(true);
  // Again if it gave a sign of life meanwhile.
  const seemsAlive = () => silence(31).then(() => store.isAlive(third.writer));
  await expect.poll(seemsAlive).toBe(false);
});

test('a writer of another project is not one of this', async () => {
  const [store, other] = [await used.open(), await used.open()];
  expect(await store.isAlive(other.writer)).toBe(false);
});

test('a pool that was given is still open after closing, and hears nothing more of us', async () => {
  const pool = new pg.Pool({ connectionString: used.database.url, max: 3 });
  pool.on('error', () => undefined);
  const stores = await Promise.all(['a', 'b'].map((project) => postgresStore(pool, { project })));
  for (const store of stores) {
    store.watch(() => undefined);
    await store.append(toRecords([makeNode('x')]));
    await store.close();
  }
  expect((await pool.query('select 1 as one')).rows).toEqual([{ one: 1 }]);
  expect(pool.listenerCount('error')).toBe(1);
  await pool.end();
});
