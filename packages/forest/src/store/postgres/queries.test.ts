import { expect, test } from 'vitest';
import { useDatabase } from '../../../test/postgres/use-database.ts';
import { ROOT } from '../../model/ids.ts';
import { allPages, makeEntry, makeNode, makePath, makeRef, makeTake, toRecords } from '../../testing/store-samples.ts';
import { nodeQueries, recordQueries } from './queries.ts';
import { makeContext } from './test-database.ts';

const used = useDatabase();

/** The queries of a store whose tables are empty, and what they send. */
function makeQueries(hasPlannerSettings = true) {
  const sent: string[] = [];
  const context = makeContext(async ({ text }) => {
    sent.push(text);
    return { rows: [] };
  });
  const own = { ...context, hasPlannerSettings };
  return { sent, queries: { ...nodeQueries(own), ...recordQueries(own) } };
}

test('lists that may be as long as the project are read in the order of an index, and no others', async () => {
  const { sent, queries } = makeQueries();
  const { children, scan, refs, entries } = queries;
  const lists: [boolean, () => Promise<unknown>][] = [
    [true, () => children(ROOT)],
    [false, () => children('ab')],
    [true, () => scan()],
    [false, () => refs({ on: 'thread' })],
    [true, () => refs({ on: 'thread', names: ['a'] })],
    [false, () => refs({ on: 'thread', names: ['a', 'b'] })],
    [false, () => refs({ on: 'thread', names: ['a'], keys: ['k'] })],
    [true, () => entries('event')],
    [false, () => entries('event', { of: 'x' })],
    [false, () => entries('event', { of: ['x'] })],
    [true, () => entries('exchange')],
    [true, () => entries('exchange', { of: 'x' })],
    [false, () => entries('exchange', { of: ['x'] })],
  ];
  for (const [isInOrder, list] of lists) {
    sent.length = 0;
    await list();
    const settings = sent.filter((text) => text.includes('set_config'));
    expect(settings.length, String(list)).toBe(isInOrder ? 1 : 0);
    // In a transaction, which the settings are for.
    expect([sent[0] === 'begin', sent.at(-1) === 'commit'], String(list)).toEqual([isInOrder, isInOrder]);
  }
  const other = makeQueries(false);
  await other.queries.scan();
  expect(other.sent).toHaveLength(1);
});

test('what needs no query sends none', async () => {
  const { sent, queries } = makeQueries();
  expect(await queries.nodes([])).toEqual([]);
  expect(await queries.childCounts([])).toEqual([]);
  expect(await queries.bodies([])).toEqual([]);
  expect(await queries.takes([])).toEqual([]);
  expect(await queries.path('ab', 'ab')).toEqual([]);
  expect(await queries.path(ROOT)).toEqual([]);
  expect(sent).toEqual([]);
});

test('look-ups of entries that cannot be read all fail, and later ones are asked anew', async () => {
  let tries = 0;
  const context = makeContext(async () => {
    if (++tries === 1) throw new Error('refused');
    return { rows: [] };
  });
  const { entry } = recordQueries(context);
  const failed = await Promise.allSettled([entry('event', 'a'), entry('event', 'b')]);
  expect(failed.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(await Promise.all([entry('event', 'a'), entry('event', 'b')])).toEqual([undefined, undefined]);
  expect(tries).toBe(2);
});

test('one query looks up 500 entries at most', async () => {
  const sizes: number[] = [];
  const context = makeContext(async ({ values }) => {
    sizes.push(...values.filter(Array.isArray).map(({ length }) => length));
    return { rows: [] };
  });
  const { entry } = recordQueries(context);
  for (const count of [500, 501]) await Promise.all(Array.from({ length: count }, (_, at) => entry('event', `${at}`)));
  expect(sizes).toEqual([500, 500, 1]);
});

test('a scan that has begun shows nothing that is written meanwhile, of the same writer or of another', async () => {
  const project = used.newProject();
  const [store, other] = [await used.open(project), await used.open(project)];
  const path = makePath(['a', 'b', 'c']);
  await store.append(toRecords(path));
  const first = await store.scan({ limit: 1 });
  expect(first.items.map(({ id }) => id)).toEqual([path[0]!.node.id]);
  await store.append(toRecords(makePath(['d'], path[2]!.node)));
  await other.append(toRecords(makePath(['e'], path[2]!.node)));
  const second = await store.scan({ limit: 1, after: first.next! });
  const rest = await store.scan({ after: second.next! });
  expect([...second.items, ...rest.items].map(({ id }) => id)).toEqual(path.slice(1).map(({ node }) => node.id));
  await expect(store.scan({ after: '[1,"1","x"]' })).rejects.toMatchObject({ code: 'store_cursor' });
});

test('all exchanges are listed by their ids, and those of one thing by their order', async () => {
  const store = await used.open();
  const exchanges = ['a', 'b', 'c', 'd'].map((id, at) => makeEntry(id, { k: 'exchange', of: 'x', order: `${9 - at}` }));
  await store.append(exchanges);
  const lists = [
    [{}, 'abcd'],
    [{ order: 'newest' }, 'dcba'],
    [{ of: 'x' }, 'dcba'],
    [{ of: 'x', order: 'newest' }, 'abcd'],
    [{ of: ['x'] }, 'dcba'],
  ] as const;
  for (const [query, ids] of lists) {
    const items = await allPages((page) => store.entries('exchange', { ...query, ...page }), 1);
    expect(items.map(({ id }) => id).join(''), JSON.stringify(query)).toBe(ids);
  }
  expect((await store.entries('exchange', { afterOrder: '7' })).items.map(({ id }) => id)).toEqual(['a', 'b']);
});

test('where exchanges were placed is found by that name, alone or with others, and without a name', async () => {
  const store = await used.open();
  await store.append(['landed', 'title', 'other'].map((name, at) => makeRef('k', name, at, `${at}`)));
  const found = async (names?: readonly string[]) =>
    (await store.refs({ on: 'thread', ...(names && { names }) })).items.map(({ name }) => name).join();
  expect(await found(['landed'])).toBe('landed');
  expect(await found(['title', 'landed'])).toBe('landed,title');
  expect(await found(['title'])).toBe('title');
  expect(await found(['title', 'other'])).toBe('title,other');
  expect(await found()).toBe('landed,title,other');
});

test('names that PostgreSQL cannot store as they are find what has them', async () => {
  const store = await used.open();
  const odd = 'a\0b\ud800c\u001b';
  const [ref, entry] = [makeRef(odd, odd, 1, '1'), makeEntry(odd, { of: odd, order: odd })];
  await store.append([ref, entry, makeRef('k', 'n', 1, '1'), makeEntry('e')]);
  const refs = async (query: object) => (await store.refs({ on: 'thread', ...query })).items;
  for (const query of [{ keys: [odd] }, { names: [odd] }, { names: [odd, 'none'] }])
    expect(await refs(query), JSON.stringify(query)).toEqual([ref]);
  const entries = async (query: object) => (await store.entries('event', query)).items;
  for (const query of [{ of: odd }, { of: [odd] }, { of: odd, afterOrder: 'a' }])
    expect(await entries(query), JSON.stringify(query)).toEqual([entry]);
  expect(await entries({ of: odd, afterOrder: odd })).toEqual([]);
  expect(await store.entry('event', odd)).toEqual(entry);
});

test('a row that cannot be read is left out of what was asked, and told with its place', async () => {
  const project = used.newProject();
  const store = await used.open(project);
  const { node, body } = makeNode('a');
  const take = makeTake(node, 1);
  await store.append([node, body, take, makeRef('k', 'n', 1, '1'), makeEntry('e')]);
  for (const table of ['node', 'take', 'ref', 'entry'])
    await used.database.query(`update skein_${table} set members = '{' where project = $1`, [project]);
  await used.database.query("update skein_body set text = '{}' where project = $1", [project]);
  expect(await store.nodes([node.id])).toEqual([undefined]);
  expect(await store.bodies([body.digest])).toEqual([undefined]);
  expect(await store.takes([node.id])).toEqual([]);
  expect(await store.refs({ on: 'thread' })).toEqual({ items: [] });
  expect(await store.entry('event', 'e')).toBe(undefined);
  expect(store.problems().map(({ where, code, subject }) => [where, code, subject])).toEqual([
    [`node ${node.id}`, 'damaged-record', node.id],
    [`body ${body.digest}`, 'wrong-hash', body.digest],
    [`take ${take.id}`, 'damaged-record', take.id],
    ['ref thread/k/n', 'damaged-record', 'thread/k/n'],
    ['event e', 'damaged-record', 'e'],
  ]);
});
