import { postgresStore } from '@skein/forest';
import pg from 'pg';
import { expect, test } from 'vitest';
import { connect } from '../../src/store/postgres/connect.ts';
import { createContext } from '../../src/store/postgres/context.ts';
import { holdLease, leaseTable } from '../../src/store/postgres/lease.ts';
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

test('a generation ended for its followers while the database was away: a store counted itself as dead', async () => {
  const store = await used.open();
  await used.database.query("update skein_writer set beat = now() - interval '1 hour' where writer = $1", [
    store.writer,
  ]);
  expect(await store.isAlive(store.writer)).toBe(true);
  await store.close();
  expect(await store.isAlive(store.writer).catch(() => false)).toBe(false);
});

test('an outage of the database longer than a lease kills no writer, and does not revive a dead one', async () => {
  const project = used.newProject();
  await (await used.open(project)).close();
  const { db, end } = connect(used.database.url, 4);
  const context = await createContext(db, project);
  const times = { beatMs: 50, leaseMs: 1000 };
  const table = leaseTable(context);
  const [one, two] = [await holdLease(table, 'one', times), await holdLease(table, 'two', times)];
  await used.database.query(
    "insert into skein_writer (project, writer, beat) values ($1, 'dead', now() - interval '1 hour')",
    [project],
  );
  const blocking = new pg.Client({ connectionString: used.database.url });
  await blocking.connect();
  await blocking.query('begin; lock table skein_writer in exclusive mode');
  await new Promise((resolve) => setTimeout(resolve, 1500));
  // No heartbeat passed for longer than a lease; reading is possible.
  expect(await one.isAlive('two')).toBe(true);
  expect(await one.isAlive('dead')).toBe(false);
  await blocking.query('rollback');
  expect(await two.isAlive('one')).toBe(true);
  await one.end();
  expect(await two.isAlive('one')).toBe(false);
  await Promise.all([two.end(), blocking.end()]);
  await end();
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
