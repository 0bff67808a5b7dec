import pg from 'pg';
import { expect, test } from 'vitest';
import { makeEntry, makeNode, makeRef, toRecords } from '../../src/testing/store-samples.ts';
import { useDatabase } from './use-database.ts';

const used = useDatabase();

const insertNode = (project: string, id: string) => ({
  text: `insert into skein_node (project, id, parent, depth, dialect, body, echo, lead, role, at, rest)
         values ($1, $2, '', 1, 'blocks', '', '', '', 'user', 0, '{}')`,
  values: [project, id],
});

test('a change with a smaller number that is committed later is not skipped', async () => {
  const project = used.newProject();
  const store = await used.open(project);
  const slow = new pg.Client({ connectionString: used.database.url });
  await slow.connect();
  const start = await store.changes();
  await slow.query('begin');
  await slow.query(insertNode(project, 'slow'));

  const quick = makeNode('quick');
  await store.append(toRecords([quick]));
  const first = await store.changes(start.next);
  expect(first.items.map(({ key }) => key)).toEqual([quick.node.id]);
  expect((await store.changes(first.next)).items).toEqual([]);

  await slow.query('commit');
  await slow.end();
  const second = await store.changes(first.next);
  expect(second.items).toEqual([{ kind: 'node', key: 'slow' }]);
  expect((await store.changes(second.next)).items).toEqual([]);
});

test('a scan shows nothing that was committed after it began, so that no node comes without its parent', async () => {
  const project = used.newProject();
  const store = await used.open(project);
  await store.append(toRecords(['a', 'b', 'c'].map((text) => makeNode(text))));
  const slow = new pg.Client({ connectionString: used.database.url });
  await slow.connect();
  await slow.query('begin');
  await slow.query(insertNode(project, 'parent'));
  await store.append(toRecords([makeNode('d')]));
  const first = await store.scan({ limit: 4 });
  expect(first.next).toBeUndefined();
  const one = await store.scan({ limit: 3 });
  await slow.query('commit');
  await slow.query(insertNode(project, 'child'));
  await slow.end();
  const rest = await store.scan({ after: one.next! });
  expect([...one.items, ...rest.items].map(({ id }) => id)).toEqual(first.items.map(({ id }) => id));
});

test('a cursor from another server means reading anew', async () => {
  const store = await used.open();
  expect((await store.changes('0/999999999:999999999:')).reset).toBe(true);
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
  await used.database.query(insertNode(project, 'silent').text, [project, 'silent']);
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
