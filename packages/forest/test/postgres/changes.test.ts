import type { StoreRecord } from '@skein/forest/store';
import pg from 'pg';
import { expect, test } from 'vitest';
import { makeEntry, makeNode, makePath, makeRef, toRecords } from '../../src/testing/store-samples.ts';
import { useDatabase } from './use-database.ts';

const used = useDatabase();

/** Another server, whose append waits before it commits until the returned function is called. */
async function slowAppend(project: string, records: readonly StoreRecord[]): Promise<() => Promise<void>> {
  const other = await used.open(project);
  const blocking = new pg.Client({ connectionString: used.database.url });
  await blocking.connect();
  await blocking.query('begin');
  // The append draws its number, writes what sorts before this ref, and waits for the ref.
  await blocking.query(
    `insert into skein_ref (project, "on", key, name, clock, is_set, members, lane, n) values ($1, 'thread', 'slow', 'x', '', true, '{}', 0, 0)`,
    [project],
  );
  const done = other.append([...records, makeRef('slow', 'x', 1, 'c9')]);
  const waits = async () =>
    (
      await used.database.query(
        "select 1 from pg_stat_activity where wait_event_type = 'Lock' and query like 'with drawn%'",
      )
    ).length;
  await expect.poll(waits).toBe(1);
  return async () => {
    await blocking.query('rollback');
    await blocking.end();
    await done;
  };
}

test('a change with a smaller number that is committed later is not skipped', async () => {
  const project = used.newProject();
  const store = await used.open(project);
  const start = await store.changes();
  const slow = makeNode('slow');
  const finish = await slowAppend(project, toRecords([slow]));

  const quick = makeNode('quick');
  await store.append(toRecords([quick]));
  const first = await store.changes(start.next);
  expect(first.items.map(({ key }) => key)).toEqual([quick.node.id]);
  expect((await store.changes(first.next)).items).toEqual([]);

  await finish();
  const second = await store.changes(first.next);
  expect(second.items.map(({ key }) => key)).toEqual([slow.node.id, 'thread/slow/x']);
  expect((await store.changes(second.next)).items).toEqual([]);
});

test('a scan shows nothing that was committed after it began, so that no node comes without its parent', async () => {
  const project = used.newProject();
  const store = await used.open(project);
  await store.append(toRecords(['a', 'b', 'c'].map((text) => makeNode(text))));
  const parent = makeNode('parent');
  const finish = await slowAppend(project, toRecords([parent]));
  await store.append(toRecords([makeNode('d')]));
  const first = await store.scan({ limit: 4 });
  expect(first.next).toBeUndefined();
  const one = await store.scan({ limit: 3 });
  await finish();
  await store.append(toRecords([makeNode('child', { parent: parent.node })]));
  const rest = await store.scan({ after: one.next! });
  expect([...one.items, ...rest.items].map(({ id }) => id)).toEqual(first.items.map(({ id }) => id));
});

test('a scan shows a parent first that was written after its child', async () => {
  const store = await used.open();
  const [parent, child] = makePath(['parent', 'child']);
  await store.append(toRecords([child!]));
  await store.append(toRecords([parent!]));
  expect((await store.scan()).items).toEqual([parent!.node, child!.node]);
});

test('a writer that comes after another uses its lane, so that cursors do not grow with every start', async () => {
  const project = used.newProject();
  for (let start = 0; start < 3; start++) {
    const store = await used.open(project);
    await store.append(toRecords([makeNode(`start ${start}`)]));
    await store.close();
  }
  const reader = await used.open(project);
  expect((await reader.changes()).next).toBe('0/1:3');
});

test('a writer that only seemed to be dead loses its lane and no record, and readers skip nothing', async () => {
  const project = used.newProject();
  const [store, other] = [await used.open(project), await used.open(project)];
  const made = ['before', 'other', 'after'].map((text) => makeNode(text));
  const start = await store.changes();
  await store.append(toRecords([made[0]!]));
  await used.database.query(
    "update skein_writer set beat = now() - interval '1 hour' where project = $1 and writer = $2",
    [project, store.writer],
  );
  await other.append(toRecords([made[1]!]));
  await used.database.query('update skein_writer set beat = now() where project = $1', [project]);
  await store.append(toRecords([made[2]!]));
  const { items, next } = await other.changes(start.next);
  expect(items.map(({ key }) => key)).toEqual(made.map(({ node }) => node.id));
  expect(next).toBe('0/1:2,2:1');
});

test('appends that wait for each other are written together, and one that is refused does not fail the others', async () => {
  const store = await used.open();
  const made = Array.from({ length: 8 }, (_, at) => makeNode(`n${at}`));
  const refused = { ...makeNode('refused').node, depth: 2 ** 40 };
  const results = await Promise.allSettled(
    made.flatMap((one, at) => [store.append(toRecords([one])), ...(at === 4 ? [store.append([refused])] : [])]),
  );
  expect(results.map(({ status }) => status).filter((status) => status === 'rejected')).toHaveLength(1);
  expect(results[5]!.status).toBe('rejected');
  expect((await store.scan()).items).toHaveLength(made.length);
});

test('of a node that two callers append with different times, the earlier time counts, also when they are written together', async () => {
  const store = await used.open();
  const { node, body } = makeNode('twice');
  const fillers = Array.from({ length: 4 }, (_, at) => store.append(toRecords([makeNode(`n${at}`)])));
  const late = store.append([body, { ...node, at: 5 }]);
  const early = store.append([body, { ...node, at: 3 }]);
  await Promise.all([...fillers, late, early]);
  expect((await store.nodes([node.id]))[0]?.at).toBe(3);
});

test('a cursor from another server means reading anew', async () => {
  const store = await used.open();
  expect((await store.changes('0/1:999999999')).reset).toBe(true);
  // A cursor of a version before lanes.
  expect((await store.changes('0/999:999:')).reset).toBe(true);
});

test('a listener hears of rows that nobody told it of, and of a word without rows', async () => {
  const project = used.newProject();
  const store = await used.open(project);
  let calls = 0;
  store.watch(() => {
    calls += 1;
  });
  // Once when it listens, once when it has looked and so has something to compare with.
  await expect.poll(() => calls).toBe(2);
  // Another program takes a lane, and tells nobody.
  await used.database.query("insert into skein_lane (project, lane, owner, n) values ($1, 7, '', 1)", [project]);
  await used.database.query(
    `insert into skein_node (project, id, parent, depth, dialect, body, echo, lead, role, at, members, lane, n)
     values ($1, 'silent', '', 1, 'blocks', '', '', '', 'user', 0, '{}', 7, 1)`,
    [project],
  );
  await expect.poll(() => calls).toBe(3);

  const [channel] = await used.database.query(
    "select regexp_replace(query, '^listen ', '') as name from pg_stat_activity where query like 'listen skein%' and datname = current_database()",
  );
  await used.database.query('select pg_notify($1, $2)', [channel!.name, 'another writer']);
  await expect.poll(() => calls).toBe(4);
});

test('a listener hears again after its connection was killed', async () => {
  const project = used.newProject();
  const [store, other] = [await used.open(project), await used.open(project)];
  let calls = 0;
  store.watch(() => {
    calls += 1;
  });
  await expect.poll(() => calls).toBeGreaterThan(0);
  await used.database.query(
    "select pg_terminate_backend(pid) from pg_stat_activity where query like 'listen skein%' and datname = current_database()",
  );
  const before = calls;
  await other.append([makeRef('t', 'title', 'x', 'c1'), makeEntry('e')]);
  await expect.poll(() => calls).toBeGreaterThan(before);
  const listening = () =>
    used.database.query(
      "select from pg_stat_activity where query like 'listen skein%' and datname = current_database()",
    );
  await expect.poll(async () => (await listening()).length).toBe(1);
});
