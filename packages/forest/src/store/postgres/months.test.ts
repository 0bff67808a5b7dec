import { postgresStore } from '@skein/forest';
import pg from 'pg';
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { useDatabase } from '../../../test/postgres/use-database.ts';
import { sha256 } from '../../model/ids.ts';
import { makeEntry, makeRef } from '../../testing/store-samples.ts';
import type { Store } from '../store.ts';

const used = useDatabase();

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.parse('2026-11-19T12:00:00Z') });
});
afterEach(() => {
  vi.useRealTimers();
});

/** The id of an exchange that began then. */
const idAt = (time: string) => `${Date.parse(time).toString(36).padStart(9, '0')}.x`;
const exchangeAt = (time: string) => exchange(idAt(time));
const exchange = (id: string) => makeEntry(id, { k: 'exchange', of: 'exchanges' });

/** The months of a project that have a partition, and how many rows each of them has. */
async function readMonths(project: string): Promise<string[]> {
  const prefix = `skein_exchange_${sha256(project).slice(0, 12)}_`;
  const tables = await used.database.query("select relname from pg_class where relname like $1 and relkind = 'r'", [
    `${prefix}%`,
  ]);
  const months: string[] = [];
  for (const { relname } of tables) {
    const [row] = await used.database.query(`select count(*)::integer as rows from ${relname}`);
    months.push(`${String(relname).slice(prefix.length)} ${row!.rows}`);
  }
  return months.sort();
}

const readRest = async (project: string) =>
  (await used.database.query('select id from skein_entry_rest where project = $1 order by id', [project])).map(
    ({ id }) => id,
  );

const readAll = async (store: Store) => (await store.entries('exchange')).items.map(({ id }) => id);

const AHEAD = ['202611 0', '202612 0', '202701 0'];

test('the table that was there becomes that of the rest, and its indexes with it', async () => {
  await used.open();
  const indexes = await used.database.query("select indexname from pg_indexes where tablename = 'skein_entry_rest'");
  expect(indexes.length).toBeGreaterThan(2);
  for (const { indexname } of indexes) expect(indexname).toMatch(/^skein_entry_rest_[a-z_]+$/);
});

test('each month in which an exchange began has a partition, across the end of a year, and so have the next ones', async () => {
  const project = used.newProject();
  const store = await used.open(project);
  const times = ['2025-11-30T23:59:59.999Z', '2025-12-01T00:00:00.000Z', '2026-02-15T00:00:00.000Z'];
  // One is named as if it were of the last month, and another of one that no exchange began in.
  const odd = [idAt(times[2]!).slice(0, 5), idAt('2026-01-15T00:00:00Z').slice(0, 5), 'odd'];
  await store.append([...times.map(exchangeAt), ...odd.map((id) => exchange(id)), makeEntry(idAt(times[0]!))]);
  const before = await readAll(store);
  await store.months!.create();
  expect(await readMonths(project)).toEqual(['202511 1', '202512 1', '202602 2', ...AHEAD]);
  expect(await readRest(project)).toEqual([idAt(times[0]!), odd[1], 'odd']);
  expect(await readAll(store)).toEqual(before);
  // What comes later goes to its month, and nothing is moved twice.
  await store.append([exchangeAt('2026-12-31T23:59:59.999Z'), exchangeAt('2026-01-01T00:00:00.000Z')]);
  expect(await readMonths(project)).toEqual(['202511 1', '202512 1', '202602 2', '202611 0', '202612 1', '202701 0']);
  await store.months!.create();
  expect((await readMonths(project)).slice(1, 4)).toEqual(['202512 1', '202601 2', '202602 2']);
  const statistics = await used.database.query(`
    select distinct attstattarget from pg_attribute join pg_class on attrelid = pg_class.oid
    where relname like 'skein_exchange_%' and relkind = 'r' and attname = 'project'`);
  expect(statistics).toEqual([{ attstattarget: 0 }]);
});

test('one exchange with an id of the far future or of long ago does not make a partition for each month until then', async () => {
  const project = used.newProject();
  const store = await used.open(project);
  const [first, next, last] = ['000000000.x', idAt('2027-02-01T00:00:00.000Z'), 'zzzzzzzzz.x'];
  await store.append([first, next, last].map((id) => exchange(id)));
  await store.months!.create();
  expect(await readMonths(project)).toEqual(['197001 1', ...AHEAD]);
  expect(await readRest(project)).toEqual([next, last]);
  // They move when their month comes near.
  vi.setSystemTime(Date.parse('2026-12-01T00:00:00Z'));
  await store.months!.create();
  expect(await readMonths(project)).toEqual(['197001 1', ...AHEAD, '202702 1']);
  expect(await readRest(project)).toEqual([last]);
  expect(await readAll(store)).toEqual([first, next, last]);
});

test('an exchange that is recorded while others are moved is not lost', async () => {
  const project = used.newProject();
  const store = await used.open(project);
  const [one, two] = ['2026-11-01T00:00:00.000Z', '2026-11-02T00:00:00.000Z'];
  await store.append([exchangeAt(one)]);
  let appending: Promise<void> | undefined;
  let isDone = false;
  const isWaiting = async () => {
    const rows = await used.database.query(
      "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
    );
    return rows.length > 0;
  };
  class MovingClient extends pg.Client {
    // biome-ignore lint/suspicious/noExplicitAny: `query` has a dozen forms, and the store uses two.
    override async query(given: any, ...others: any[]): Promise<any> {
      if (/^\s*delete from skein_entry_rest/.test(typeof given === 'string' ? given : given.text)) {
        appending = store.append([exchangeAt(two)]).then(() => {
          isDone = true;
        });
        await expect.poll(async () => isDone || (await isWaiting())).toBe(true);
      }
      return super.query(given, ...others);
    }
  }
  const pool = new pg.Pool({ connectionString: used.database.url, Client: MovingClient });
  onTestFinished(() => pool.end());
  const mover = await postgresStore(pool, { project });
  onTestFinished(() => mover.close());
  await mover.months!.create();
  await appending;
  expect(isDone).toBe(true);
  expect(await readAll(store)).toEqual([one, two].map(idAt));
});

test('where every exchange is in its month, nothing waits for those who read', async () => {
  const project = used.newProject();
  const store = await used.open(project);
  await store.append([exchangeAt('2026-11-01T00:00:00.000Z')]);
  await store.months!.create();
  const reader = new pg.Client({ connectionString: used.database.url });
  await reader.connect();
  await reader.query('begin');
  await reader.query('select from skein_entry');
  await store.months!.create();
  await reader.end();
  // Until a month comes near.
  vi.setSystemTime(Date.parse('2026-12-01T00:00:00Z'));
  await store.months!.create();
  expect(await readMonths(project)).toEqual(['202611 1', '202612 0', '202701 0', '202702 0']);
});

test('a month is dropped when it has ended, not before, with the places of its exchanges and nothing else', async () => {
  const project = used.newProject();
  const store = await used.open(project);
  const times = ['2026-08-31T23:59:59.999Z', '2026-09-30T23:59:59.999Z', '2026-10-01T00:00:00.000Z'];
  const ids = times.map(idAt);
  await store.append([
    ...ids.map(exchange),
    ...ids.map((id) => makeRef(id, 'landed', id, '1', 'forest')),
    makeRef(ids[0]!, 'other', 1, '1', 'forest'),
    makeRef(ids[0]!, 'landed', 1, '1', 'thread'),
  ]);
  await store.months!.create();
  const october = Date.parse('2026-10-01T00:00:00Z');
  expect(await store.months!.drop(Date.parse('2026-08-15T00:00:00Z'))).toEqual([]);
  expect(await store.months!.drop(october - 1)).toEqual(['2026-08']);
  expect(await readAll(store)).toEqual(ids.slice(1));
  expect(await store.months!.drop(october)).toEqual(['2026-09']);
  expect(await readAll(store)).toEqual(ids.slice(2));
  const refs = async (on: 'forest' | 'thread') =>
    (await store.refs({ on })).items.map(({ key, name }) => `${key} ${name}`);
  expect(await refs('forest')).toEqual([`${ids[0]} other`, `${ids[2]} landed`]);
  expect(await refs('thread')).toEqual([`${ids[0]} landed`]);
  expect(await store.months!.drop(october)).toEqual([]);
});

test('a store that is opened later makes the months that have come near, and a project without months gets none', async () => {
  const [project, other] = [used.newProject(), used.newProject()];
  const store = await used.open(project);
  await store.months!.create();
  expect(await readMonths(project)).toEqual(AHEAD);
  vi.setSystemTime(Date.parse('2027-01-31T23:00:00Z'));
  await used.open(project);
  await used.open(other);
  expect(await readMonths(project)).toEqual([...AHEAD, '202702 0', '202703 0']);
  expect(await readMonths(other)).toEqual([]);
});

test('a store also opens when a month cannot be made, and its exchanges are kept with the rest until one can', async () => {
  const project = used.newProject();
  const store = await used.open(project);
  await store.months!.create();
  const late = '2027-02-01T00:00:00.000Z';
  await store.append([exchangeAt(late)]);
  vi.setSystemTime(Date.parse(late));
  // PostgreSQL makes no partition for rows that are in another one.
  const next = await used.open(project);
  expect(await readMonths(project)).toEqual(AHEAD);
  expect(await readRest(project)).toEqual([idAt(late)]);
  await next.months!.create();
  expect(await readMonths(project)).toEqual([...AHEAD, '202702 1', '202703 0', '202704 0']);
  expect(await readAll(next)).toEqual([idAt(late)]);
});
