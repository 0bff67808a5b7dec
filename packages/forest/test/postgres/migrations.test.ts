import {
  createForest,
  createRecorder,
  listExchanges,
  memoryStore,
  postgresStore,
  ROOT,
  readRecorded,
  type Store,
  StoreError,
} from '@skein/forest';
import type { StoreRecord } from '@skein/forest/store';
import { expect, test } from 'vitest';
import { ENTRY_KINDS, REF_SUBJECTS } from '../../src/model/records.ts';
import {
  allPages,
  makeEntry,
  makeNode,
  makePath,
  makeRef,
  makeTake,
  toRecords,
} from '../../src/testing/store-samples.ts';
import { createDatabase, type Database } from './database.ts';
import { createOlderTables, insertOlderRows, OLDER_VERSIONS } from './older-tables.ts';

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
    { name: '006' },
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

/** What a store keeps of some conversations: two that were recorded, a long one, and records that only a store of this kind has. */
async function sampleRecords(): Promise<StoreRecord[]> {
  const store = memoryStore();
  const records: StoreRecord[] = [];
  const kept: Store = {
    ...store,
    append(added) {
      records.push(...added);
      return store.append(added);
    },
  };
  const recorder = createRecorder(createForest(kept));
  for (const [at, question] of ['What is it?', 'Wie heißt es? 😀'].entries()) {
    const messages = [{ role: 'user', content: question }];
    const body = JSON.stringify({ model: 'gpt-5.5', messages });
    const url = 'https://api.openai.com/v1/chat/completions';
    const recording = recorder.begin({ method: 'POST', url, headers: [['content-type', 'application/json']], body });
    recording.head(200, [['content-type', 'application/json']]);
    const message = { role: 'assistant', content: `Answer ${at}.` };
    const reply = { id: `chatcmpl-${at}`, choices: [{ index: 0, message, finish_reason: 'stop' }] };
    recording.push(new TextEncoder().encode(JSON.stringify(reply)));
    recording.end('done');
    await recorder.settled();
  }
  const path = makePath(Array.from({ length: LONG }, (_, at) => `m${at}`));
  const edited = makeNode('another echo', { echo: 'no hash' });
  records.push(...toRecords([...path, edited]), makeTake(path[0]!.node, 5), makeRef('a/b', 'title', 'x', 'c1'));
  records.push(
    makeEntry('e1', { data: { text: 'x\u001b' } }),
    makeEntry('g/1', { k: 'generation', of: path[1]!.node.id }),
  );
  return records;
}

/** Long enough for two ancestor pages. */
const LONG = 130;

/** Everything that can be read from a store, in an order that all stores have. */
async function readEverything(store: Store, records: readonly StoreRecord[]) {
  const nodes = (await allPages((page) => store.scan(page), 100)).sort((a, b) => (a.id < b.id ? -1 : 1));
  const ids = nodes.map(({ id }) => id);
  const texts = records.flatMap((record) => (record.k === 'body' ? [record.digest] : []));
  const forest = createForest(store);
  const last = nodes.find(({ depth }) => depth === LONG)!;
  return {
    nodes,
    path: (await store.path(last.id)).map(({ id }) => id),
    children: await allPages((page) => store.children(ROOT, page), 1),
    byEcho: await Promise.all(nodes.map(({ echo, lead }) => store.byEcho([echo], lead))),
    texts: await store.bodies(texts),
    takes: await store.takes(ids),
    refs: await Promise.all(REF_SUBJECTS.map((on) => store.refs({ on, limit: 1000 }))),
    entries: await Promise.all(
      ENTRY_KINDS.map(async (kind) => {
        const { items } = await store.entries(kind, { limit: 1000 });
        return items.toSorted((a, b) => (a.id < b.id ? -1 : 1));
      }),
    ),
    exchanges: await listExchanges(forest),
    bytes: await Promise.all((await listExchanges(forest)).items.map(({ id }) => readRecorded(forest, id))),
    like: await store.idsLike(last.id.slice(0, 7), 10),
    hits: (await store.search({ words: ['answer'] })).items.map(({ id }) => id).sort(),
  };
}

test.each(OLDER_VERSIONS)(
  'rows of tables of version %s are kept, and can be read and written as before',
  async (version) => {
    const database = await createDatabase();
    const records = await sampleRecords();
    const expected = memoryStore();
    await expected.append(records);
    await createOlderTables(database, version);
    await insertOlderRows(database, version, 'p', records);
    const store = await postgresStore(database.url, { project: 'p' });
    const all = await readEverything(expected, records);
    expect(all.exchanges.items.length).toBe(2);
    expect(await readEverything(store, records)).toEqual(all);
    expect(await store.check()).toEqual([]);
    const pages = await database.query('select cardinality(ids) as ids from skein_page');
    expect(pages).toEqual([{ ids: 63 }, { ids: 63 }]);

    const { next } = await store.changes();
    const more = [
      makeRef('a/b', 'title', 'y', 'c2'),
      makeEntry('e1', { clock: 'c9' }),
      ...toRecords(makePath(['new'])),
    ];
    await store.append([...records, ...more]);
    // Of what was there, nothing is written again.
    expect((await store.changes(next)).items.map(({ kind }) => kind).sort()).toEqual(['event', 'node', 'ref']);
    await expected.append(more);
    expect(await readEverything(store, records)).toEqual(await readEverything(expected, records));
    await store.close();
    await database.drop();
  },
);

test('an upgraded database has the columns and indexes of a new one', async () => {
  const shape = async (prepare: (database: Database) => Promise<void>) => {
    const database = await createDatabase();
    await prepare(database);
    await (await postgresStore(database.url, { project: 'p' })).close();
    const columns = await database.query(`
      select table_name, column_name, data_type, is_nullable, collation_name,
        case when column_name = 'seq' then column_default end as default
      from information_schema.columns where table_name like 'skein\\_%' and table_name not like 'skein\\_migration%'
      order by table_name, column_name`);
    const indexes = await database.query(`
      select tablename, regexp_replace(indexdef, '^.* INDEX [^ ]+ ON', '') as text
      from pg_indexes where tablename like 'skein\\_%' and tablename not like 'skein\\_migration%' order by 1, 2`);
    await database.drop();
    return { columns, indexes };
  };
  const fresh = await shape(async () => undefined);
  for (const version of OLDER_VERSIONS)
    expect(await shape((database) => createOlderTables(database, version)), version).toEqual(fresh);
});

test('facts from before they were packed are read, and replaced by packed ones', async () => {
  const database = await createDatabase();
  await createOlderTables(database, '004');
  await database.query("insert into skein_fact_version values ('p', 'v1', 's')");
  const old = `{"a":"${'ä'.repeat(50)}"}`;
  await database.query(`insert into skein_fact values ('p', 'a', '${old}'), ('p', 'b', '{}')`);
  const again = await postgresStore(database.url, { project: 'p' });
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
  const before = (values: string) => database.query(`insert into skein_take ${values}`);
  // Before lanes, and before ids were bytes.
  await expect(before("(project, node, id, at, members) values ('p', 'n', 't', 0, '{}')")).rejects.toThrow(
    'null value',
  );
  await expect(before("(project, node, id, at, rest, lane, n) values ('p', 'n', 't', 0, '{}', 1, 1)")).rejects.toThrow(
    'column "rest" of relation "skein_take" does not exist',
  );
  await database.drop();
});
