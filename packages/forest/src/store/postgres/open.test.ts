import { isSkeinError } from '@skein/core';
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { useDatabase } from '../../../test/postgres/use-database.ts';
import type { StoreRecord } from '../../model/records.ts';
import { makeEntry, makeNode, makePath, makeRef, makeTake, toRecords } from '../../testing/store-samples.ts';
import { open } from './open.ts';
import { makePool } from './test-database.ts';

const used = useDatabase();
const odd = (at: number) => ({ k: 'odd', at }) as unknown as StoreRecord;

describe('a store without a server', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['performance', 'setTimeout', 'setInterval', 'clearInterval', 'clearTimeout'] });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  /** A store whose tables are empty, what it has sent, and whether its database can be reached. */
  async function openFake() {
    const state = { isAway: false, isNew: true, sent: [] as string[] };
    const pool = makePool(async ({ text }) => {
      if (state.isAway) throw Object.assign(new Error('refused'), { code: 'ECONNREFUSED' });
      state.sent.push(text);
      if (text.includes('from pg_settings')) return { rows: [{ count: '2' }] };
      if (text.startsWith('with drawn')) return { rows: [{ held: '1', written: state.isNew ? '1' : '0' }] };
      if (text.includes('skein_lane')) return { rows: [{ lane: 1 }] };
      return { rows: [] };
    });
    const store = await open(pool, { project: 'p' });
    onTestFinished(async () => {
      state.isAway = false;
      await store.close();
    });
    return { state, store };
  }

  test('waits for a minute while the database is away, in each of its operations', async () => {
    const { state, store } = await openFake();
    state.isAway = true;
    const failed: string[] = [];
    const began = performance.now();
    const operations: Record<string, Promise<unknown>> = {
      append: store.append([odd(1)]),
      nodes: store.nodes(['a']),
      refs: store.refs({ on: 'thread' }),
      search: store.search({ words: ['a'] }),
      changes: store.changes(),
      isAlive: store.isAlive('other'),
      facts: store.facts!.version(),
    };
    for (const [name, operation] of Object.entries(operations))
      operation.catch((error: unknown) => {
        if (isSkeinError(error, 'store_unreachable')) failed.push(name);
      });
    await vi.advanceTimersByTimeAsync(59_000);
    expect(failed).toEqual([]);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(failed.sort()).toEqual(Object.keys(operations).sort());
    expect(performance.now() - began).toBe(60_000);
  });

  test('wakes readers after an append with anything new, and only then', async () => {
    const { state, store } = await openFake();
    const notified = async () => {
      await vi.advanceTimersByTimeAsync(1_000);
      return state.sent.filter((text) => text.includes('pg_notify')).length;
    };
    await store.append([odd(1)]);
    expect(await notified()).toBe(1);
    state.isNew = false;
    await store.append([odd(1)]);
    expect(await notified()).toBe(1);
  });

  test('leaves a pool that was given as it was when it cannot be opened', async () => {
    const pool = makePool(async () => {
      throw Object.assign(new Error('refused'), { code: 'ECONNREFUSED' });
    });
    await expect(open(pool, { project: 'p' })).rejects.toMatchObject({ code: 'store_unreachable' });
    expect(pool.listenerCount('error')).toBe(0);
  });
});

test('a store makes ten connections at most, or as many as it is told', async () => {
  const counted = async () => {
    const [row] = await used.database.query(
      "select count(*)::integer as count from pg_stat_activity where application_name = 'skein' and datname = current_database()",
    );
    return row!.count;
  };
  for (const [options, most] of [
    [{}, 10],
    [{ connections: 3 }, 3],
  ] as const) {
    const store = await open(used.database.url, { project: used.newProject(), ...options });
    const askMuch = () => Promise.all(Array.from({ length: 30 }, () => store.nodes(['a'])));
    // Those of a store that was closed may still end, and those of a slow machine have ended already.
    await expect.poll(() => askMuch().then(counted)).toBe(most);
    await store.close();
  }
});

test('what is being written when a store is closed is written, and its lease and its lanes are free', async () => {
  const project = used.newProject();
  const store = await used.open(project);
  expect(store.writer).toMatch(/^p[0-9a-f]{8}$/);
  const path = makePath(['a', 'b']);
  const writing = store.append(toRecords(path));
  const stop = store.watch(() => undefined);
  expect(store.close()).toBe(store.close());
  await store.close();
  await writing;
  stop();
  const rows = (text: string) => used.database.query(text, [project]);
  expect(await rows('select from skein_node where project = $1')).toHaveLength(2);
  expect(await rows('select from skein_writer where project = $1')).toEqual([]);
  expect(await rows('select owner from skein_lane where project = $1')).toEqual([{ owner: '' }]);
});

/** So many records of each kind, which are read in several pages. */
function manyRecords(count: number): StoreRecord[] {
  return Array.from({ length: count }, (_, at) => {
    const { node, body } = makeNode(`text ${at}`);
    const take = makeTake(makeNode(`text ${at % 7}`).node, at);
    const ref = makeRef(`k${at % 11}`, `n${at}`, at, '1');
    return [body, node, take, ref, makeEntry(`e${at}`, { k: at % 2 ? 'event' : 'generation' }), odd(at)];
  }).flat();
}

test('a compaction sees each record once, removes those that are not wanted, and says how many', async () => {
  const [project, other] = [used.newProject(), used.newProject()];
  const [store, untouched] = [await used.open(project), await used.open(other)];
  const count = 1_100;
  await store.append(manyRecords(count));
  await untouched.append(manyRecords(3));
  await store.facts!.write(undefined, { version: '1', state: '' }, new Map([['a', 'b']]));
  const { next } = await untouched.changes();
  const seen = new Map<string, number>();
  const textOf = (record: StoreRecord) => JSON.stringify(record);
  const before = await store.compact(
    (record) => seen.set(textOf(record), (seen.get(textOf(record)) ?? 0) + 1) !== undefined,
  );
  expect(before).toEqual({ kept: 6 * count, removed: 0 });
  expect([seen.size, Math.max(...seen.values())]).toEqual([6 * count, 1]);
  expect(await store.facts!.version()).toBe(undefined);
  // Every third, so that there are some on each page and none is read again.
  const unwanted = new Set([...seen.keys()].filter((_, at) => at % 3 === 0));
  const { kept, removed } = await store.compact((record) => !unwanted.has(textOf(record)));
  expect([kept, removed]).toEqual([6 * count - unwanted.size, unwanted.size]);
  const left = new Set<string>();
  await store.compact((record) => left.add(textOf(record)).size > 0);
  expect([...left].sort()).toEqual([...seen.keys()].filter((text) => !unwanted.has(text)).sort());
  const eras = await used.database.query('select project, era from skein_era where project = any($1)', [
    [project, other],
  ]);
  expect(eras).toEqual([{ project, era: 3 }]);
  expect((await untouched.changes(next)).reset).toBe(false);
  expect(await untouched.compact(() => true)).toEqual({ kept: 18, removed: 0 });
});

test('of a message that a compaction removes, neither its words stay nor a page of ancestors with it', async () => {
  const project = used.newProject();
  const store = await used.open(project);
  const path = makePath(Array.from({ length: 130 }, (_, at) => `message ${at}`));
  await store.append(toRecords(path));
  const idsIn = async (table: string) =>
    (await used.database.query(`select encode(id, 'hex') as id from skein_${table} where project = $1`, [project])).map(
      ({ id }) => id,
    );
  const [gone, first, second] = [9, 63, 127].map((at) => path[at]!.node.id);
  expect((await idsIn('page')).sort()).toEqual([first, second].sort());
  await store.compact((record) => record.k !== 'node' || record.id !== gone);
  expect(await idsIn('page')).toEqual([second]);
  const left = path.map(({ node }) => node.id).filter((id) => id !== gone);
  expect((await idsIn('words')).sort()).toEqual(left.sort());
});

test('a compaction vacuums every table of records, of words and of pages', async () => {
  const store = await used.open();
  await store.compact(() => true);
  const vacuumed = async () =>
    (
      await used.database.query(`
        select relname as name from pg_stat_user_tables
        where vacuum_count > 0 and analyze_count > 0 and relname not like 'skein_exchange_%' order by 1`)
    ).map(({ name }) => name);
  const names = ['body', 'entry', 'node', 'other', 'page', 'ref', 'take', 'words'];
  await expect
    .poll(vacuumed)
    .toEqual(expect.arrayContaining(names.map((name) => `skein_${name === 'entry' ? 'entry_rest' : name}`)));
});
