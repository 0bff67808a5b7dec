/** What a projection writes when exchanges are placed elsewhere than before: redirects, threads, and forks of what people wrote. */
import { describe, expect, test } from 'vitest';
import { createForest } from '../../forest/index.ts';
import { ROOT } from '../../model/ids.ts';
import type { RefRecord, StoreRecord } from '../../model/records.ts';
import { memoryStore, overlayStore } from '../../store/index.ts';
import type { Placement } from '../placement.ts';
import { PLACEMENT_REF } from './placement-refs.ts';
import { createRecordedIndex, forkedThreadId, type IndexNode, type IndexThread } from './recorded-index.ts';
import { createTreeWriter } from './tree-writer.ts';

/** By another writer, whose clock is far ahead. */
const AHEAD = 'zzzzzzzzz.0000.other';
const refOf = (
  on: RefRecord['on'],
  key: string,
  name: string,
  value: unknown,
  clock = '000000001.0000.t',
): RefRecord => ({
  ...{ k: 'ref', on, key, name, value, clock },
});
const nodeOf = (id: string, parent: string, depth: number): StoreRecord =>
  ({
    k: 'node',
    id,
    parent,
    depth,
    body: `body of ${id}`,
    dialect: 'd',
    echo: `1:${id}`,
    lead: ROOT,
    at: depth,
  }) as StoreRecord;
const takeOf = (node: string, via: string): StoreRecord =>
  ({ k: 'take', id: `${via} ${node}`, node, at: 1, author: 'person', via }) as StoreRecord;

/** A writer whose index has these nodes, each below the one before it, and threads with them as heads. */
async function world(nodes: readonly string[] = [], threads: Readonly<Record<string, Partial<IndexThread>>> = {}) {
  const store = memoryStore();
  const sizes: number[] = [];
  const taken: (readonly string[])[] = [];
  const watched = overlayStore(store, {
    append(records) {
      sizes.push(records.length);
      return store.append(records);
    },
    takes(ids) {
      taken.push(ids);
      return store.takes(ids);
    },
  });
  const writer = createTreeWriter(createForest(watched));
  const index = createRecordedIndex();
  index.step();
  for (const [at, id] of nodes.entries())
    index.set(index.nodes, id, { parent: nodes[at - 1] ?? ROOT, place: { id, depth: at + 1 } } as IndexNode);
  for (const [id, thread] of Object.entries(threads))
    index.set(index.threads, id, {
      ...{ head: ROOT, created: 1, touched: 2, title: '', opening: '', hints: {}, hintsKey: '', part: 'main' },
      ...{ isNamed: false, hasTools: false, ...thread },
    });
  const refs = async (on: RefRecord['on']) => {
    const { items } = await store.refs({ on, limit: 1000 });
    return Object.fromEntries(items.map(({ key, name, value }) => [`${key} ${name}`, value]));
  };
  /** The exchange is placed here now; it was there before. */
  const place = async (
    exchange: string,
    before: object | undefined,
    after: object,
    records: readonly StoreRecord[] = [],
  ) => {
    const landed = { state: 'landed', found: 'new' };
    if (before) await store.append([refOf('forest', exchange, PLACEMENT_REF, { ...landed, ...before })]);
    await writer.add({ exchange, placement: { ...landed, ...after } as Placement, records }, { clock: '1' });
  };
  return { store, sizes, taken, writer, index, refs, place, commit: () => writer.commit(index) };
}

describe('nodes that no exchange uses any more', () => {
  test('lead to those in their place, matched from the end; what is before those, to the nearest that is used', async () => {
    const { store, place, commit, refs } = await world(['kept', 'p', 'reply', 'second']);
    const old = ['kept', 'n0', 'n1', 'n2', 'n3'];
    await store.append(old.slice(1).map((id, at) => nodeOf(id, old[at]!, at + 2)));
    await store.append(['a', 'b', 'c'].map((id) => nodeOf(id, 'n3', 6)));
    // Another writer's clock must not keep a node from being redirected.
    await store.append([refOf('node', 'n3', 'moved', false, AHEAD)]);
    const after = { parent: 'p', node: 'reply', alternatives: ['second'] };
    await place('x', { added: old.slice(1), node: 'a', alternatives: ['b', 'c'] }, after);
    expect(await commit()).toBe(7);
    expect(await refs('node')).toEqual({
      ...{ 'n0 moved': 'kept', 'n1 moved': 'kept', 'n2 moved': 'kept', 'n3 moved': 'p' },
      ...{ 'a moved': 'reply', 'b moved': 'second', 'c moved': 'reply' },
    });
  });

  test('lead to what precedes the reply if there is none, and to the root if nothing above them is left', async () => {
    const { store, place, commit, refs } = await world(['p']);
    await store.append([nodeOf('n1', 'lost', 2), nodeOf('n2', ROOT, 1), nodeOf('a', 'n1', 3), nodeOf('b', 'n1', 3)]);
    await place('x', { added: ['n2', 'n1'], node: 'a', alternatives: ['b'] }, { parent: 'p' });
    expect(await commit()).toBe(4);
    expect(await refs('node')).toEqual({ 'n1 moved': 'p', 'n2 moved': ROOT, 'a moved': 'p', 'b moved': 'p' });
    await store.append([nodeOf('m1', 'lost', 2), nodeOf('m2', 'm1', 3)]);
    await place('y', { added: ['m1', 'm2'] }, { parent: ROOT });
    await commit();
    expect(await refs('node')).toMatchObject({ 'm1 moved': ROOT, 'm2 moved': ROOT });
  });

  test('stay if somebody else wrote them, or something below them is left', async () => {
    const { store, place, commit, refs } = await world(['p', 'reply']);
    await store.append(['own', 'above', 'free'].map((id) => nodeOf(id, ROOT, 1)));
    await store.append([takeOf('own', 'append'), takeOf('free', 'record'), nodeOf('child', 'above', 2)]);
    // It is not away: it came back, or a person removed it.
    await store.append([refOf('node', 'child', 'moved', false), refOf('node', 'child', 'removed', 'yes')]);
    await place('x', { added: ['own', 'above'], node: 'free' }, { parent: 'p', node: 'reply' });
    expect(await commit()).toBe(1);
    expect(await refs('node')).toMatchObject({ 'free moved': 'reply', 'child moved': false });
  });

  test('are redirected although something is below them that was so before', async () => {
    const { store, place, commit, refs } = await world(['p', 'reply']);
    await store.append([nodeOf('a', ROOT, 1), nodeOf('child', 'a', 2), nodeOf('other', 'a', 2)]);
    await store.append([refOf('node', 'child', 'moved', 'elsewhere'), refOf('node', 'other', 'moved', 'elsewhere')]);
    await place('x', { node: 'a' }, { parent: 'p', node: 'reply' });
    expect(await commit()).toBe(1);
    expect(await refs('node')).toMatchObject({ 'a moved': 'reply' });
  });

  test('are redirected, too, if an exchange used them only in between, and is back where it was', async () => {
    const { place, commit, refs, writer } = await world(['p', 'reply']);
    const home = { parent: 'p', node: 'reply' };
    await place('x', home, { parent: ROOT, node: 'a' }, [nodeOf('a', ROOT, 1)]);
    await place('x', undefined, home);
    expect(await commit()).toBe(1);
    expect(await refs('node')).toEqual({ 'a moved': 'reply' });
    expect(await writer.commit(createRecordedIndex())).toBe(0);
  });

  test('of two places that an exchange had in between, both are redirected', async () => {
    const { place, commit, refs } = await world(['p', 'reply']);
    await place('x', undefined, { parent: ROOT, node: 'a' }, [nodeOf('a', ROOT, 1)]);
    await place('x', undefined, { parent: ROOT, node: 'b' }, [nodeOf('b', ROOT, 1)]);
    await place('x', undefined, { parent: 'p', node: 'reply' });
    expect(await commit()).toBe(2);
    expect(await refs('node')).toEqual({ 'a moved': 'reply', 'b moved': 'reply' });
  });
});

describe('what several processes say of one exchange', () => {
  const home = { state: 'landed', parent: 'p', node: 'reply' } as const;

  test('leaves no node of a place that another one gave it while this one placed it', async () => {
    const { store, place, commit, refs } = await world(['p', 'reply']);
    await place('x', undefined, home);
    const other = { state: 'landed', parent: ROOT, node: 'a' };
    await store.append([nodeOf('a', ROOT, 1), refOf('forest', 'x', PLACEMENT_REF, other)]);
    expect(await commit()).toBe(1);
    expect(await refs('node')).toEqual({ 'a moved': 'reply' });
  });

  test('leaves no node of a place that it had here, though the store knows the next one already', async () => {
    const { store, writer, commit, refs } = await world(['p', 'reply']);
    await store.append([nodeOf('a', ROOT, 1), refOf('forest', 'x', PLACEMENT_REF, home)]);
    const former = { state: 'landed', parent: ROOT, node: 'a' } as const;
    await writer.add({ exchange: 'x', placement: home, records: [] }, { clock: '1', former });
    expect(await commit()).toBe(1);
    expect(await refs('node')).toEqual({ 'a moved': 'reply' });
  });

  test('counts as of its end: a place for what others concluded has a stamp right behind the one that it is made from', async () => {
    const { store, writer, commit } = await world(['p', 'reply']);
    const end = '000000001.0001.owner';
    const stored = async () => (await store.refs({ on: 'forest', keys: ['x'], names: [PLACEMENT_REF] })).items[0]!;
    const conclude = async (why: string) => {
      await writer.add({ exchange: 'x', placement: { state: 'nothing', why }, records: [] }, { clock: CONCLUDED });
      await commit();
      return stored();
    };
    const CONCLUDED = '000000001.0000.owner~';
    expect(await conclude('first')).toMatchObject({ clock: CONCLUDED });
    expect(await conclude('second')).toMatchObject({ value: { why: 'second' }, clock: '000000001.0001.owner~' });
    await writer.add({ exchange: 'x', placement: home, records: [] }, { clock: end });
    await commit();
    expect(await stored()).toMatchObject({ value: home });
    expect((await stored()).clock.endsWith(`.${store.writer}`)).toBe(true);
  });
});

describe('a thread that no exchange is in any more', () => {
  const known = (thread: string) => refOf('thread', thread, 'head', 'h');

  test('is merged into the one that its first exchange is in now, and comes back with it', async () => {
    const { store, place, commit, refs, index } = await world([], { now: {} });
    await store.append([known('old'), known('older')]);
    await place('x', { thread: 'old', way: 'starts' }, { thread: 'now' });
    await place('y', { thread: 'older' }, { thread: 'now' });
    await place('z', { thread: 'never' }, { thread: 'now' });
    await commit();
    const merged = { 'old deleted': true, 'old mergedInto': 'now', 'older deleted': true, 'older mergedInto': 'now' };
    expect(await refs('thread')).toMatchObject(merged);
    expect(Object.keys(await refs('thread')).filter((name) => name.startsWith('never'))).toEqual([]);
    index.set(index.threads, 'old', { ...index.threads.get('now')!, head: 'there' });
    await store.append([refOf('thread', 'old', 'deleted', true, AHEAD)]);
    await place('x', undefined, { thread: 'old' });
    await commit();
    expect(await refs('thread')).toMatchObject({ 'old deleted': false, 'old mergedInto': false, 'old head': 'there' });
  });

  test('is deleted if its first exchange has no place any more, and comes back with it', async () => {
    const { store, place, commit, refs, index } = await world();
    await store.append([known('old')]);
    await place('x', { thread: 'old', way: 'starts' }, { state: 'waiting' });
    await commit();
    expect(await refs('thread')).toEqual({ 'old head': 'h', 'old deleted': true, 'old mergedInto': '' });
    index.set(index.threads, 'old', {
      ...{ head: ROOT, created: 1, touched: 2, title: '', opening: '', hints: {}, hintsKey: '', part: 'main' },
      ...{ isNamed: false, hasTools: false },
    });
    await place('x', undefined, { thread: 'old' });
    await commit();
    expect(await refs('thread')).toMatchObject({ 'old deleted': false, 'old mergedInto': false });
  });

  test('stays while its first exchange is not here', async () => {
    const { store, place, commit, refs, sizes } = await world();
    await store.append([known('old')]);
    await place('x', { thread: 'old', way: 'continues' }, { thread: 'now', way: 'branches' });
    await commit();
    expect(await refs('thread')).toEqual({ 'old head': 'h' });
    // The version of the rules, and the placement.
    expect(sizes).toEqual([2]);
  });
});

describe('registers of a thread', () => {
  test('are written once; then only its head and its time, and a title that it did not have', async () => {
    const thread = { session: 's', unrecorded: 'resp_1', opening: 'O', part: 'subagent' as const };
    const { place, commit, refs, sizes, index } = await world([], { t: thread });
    await place('x', undefined, { thread: 't' });
    await commit();
    const written = {
      ...{ 't start': ROOT, 't head': ROOT, 't title': '', 't created': 1, 't touched': 2, 't recorded': true },
      ...{ 't part': 'subagent', 't session': 's', 't group': 'session:s', 't unrecorded': 'resp_1' },
    };
    expect(await refs('thread')).toEqual(written);
    await place('y', undefined, { thread: 't' });
    await commit();
    // Head and time, its time in its group, the latest of the group, and the placement.
    expect(sizes.at(-1)).toBe(5);
    index.set(index.threads, 't', { ...index.threads.get('t')!, title: 'Named' });
    await place('z', undefined, { thread: 't' });
    await commit();
    expect(await refs('thread')).toEqual({ ...written, 't title': 'Named' });
    index.set(index.threads, 't', { ...index.threads.get('t')!, title: 'Named later' });
    await place('z', undefined, { thread: 't', why: 'again' });
    await commit();
    expect(await refs('thread')).toMatchObject({ 't title': 'Named' });
  });

  test('name a group only if the thread is in one', async () => {
    const { place, commit, refs } = await world([], { alone: {}, opened: { opening: 'O' }, aside: { part: 'side' } });
    for (const thread of ['alone', 'opened', 'aside']) await place(thread, undefined, { thread });
    await commit();
    const threads = await refs('thread');
    expect(threads).not.toHaveProperty('alone group');
    expect(threads['aside group']).toBe('side');
    const groups = Object.keys(await refs('group')).filter((name) => name.endsWith(' latest'));
    expect(groups.sort()).toEqual([`${threads['opened group']} latest`, 'side latest']);
  });
});

describe('a head that a person wrote below a recorded thread', () => {
  const written = async (
    store: Awaited<ReturnType<typeof world>>['store'],
    thread: string,
    head: string,
    via = 'append',
  ) => store.append([refOf('thread', thread, 'head', head), refOf('thread', thread, 'touched', 9), takeOf(head, via)]);

  test('becomes the head of a fork, in the group of its opening if there is one', async () => {
    const { store, place, commit, refs } = await world([], { t: { opening: 'O' }, alone: {} });
    await written(store, 't', 'own');
    await written(store, 'alone', 'mine');
    await place('x', undefined, { thread: 't' });
    await place('y', undefined, { thread: 'alone' });
    await commit();
    const threads = await refs('thread');
    const [fork, other] = [forkedThreadId('t', 'own'), forkedThreadId('alone', 'mine')];
    expect(threads).toMatchObject({ [`${fork} head`]: 'own', [`${fork} forkedFrom`]: 't', [`${fork} touched`]: 9 });
    expect(threads).toMatchObject({ [`${other} head`]: 'mine', 't head': ROOT });
    expect(threads).not.toHaveProperty([`${other} group`]);
    const groups = await refs('group');
    const latest = Object.keys(groups).filter((name) => name.endsWith(' latest'));
    expect(latest).toEqual([`${threads[`${fork} group`]} latest`]);
  });

  test.each([
    ['it is a recorded message, which the person wrote, too', 'reply', 't', 'append'],
    ['only recorders wrote it', 'own', 't', 'record'],
    ['no exchange is in the thread any more', 'own', 'gone', 'append'],
  ])('stays one: %s', async (_why, head, thread, via) => {
    const { store, place, commit, refs } = await world(['reply'], { t: {} });
    await written(store, thread, head, via);
    await place('x', { thread, way: 'continues' }, { thread: 't' });
    await commit();
    expect(Object.keys(await refs('thread')).filter((name) => name.endsWith(' forkedFrom'))).toEqual([]);
  });
});
