import { EventEmitter } from 'node:events';
import type { Client } from 'pg';
import { expect, onTestFinished, test, vi } from 'vitest';
import { useDatabase } from '../../../test/postgres/use-database.ts';
import { sha256 } from '../../model/ids.ts';
import type { StoreRecord } from '../../model/records.ts';
import { makeEntry, makeNode, makeRef, makeTake } from '../../testing/store-samples.ts';
import { changes, createChangeSignal } from './changes.ts';
import { makeContext } from './test-database.ts';

const used = useDatabase();

test('changes of every kind are told by their keys, as refs and entries are named, in the order of writing', async () => {
  const project = used.newProject();
  const store = await used.open(project);
  const context = await used.openContext(project);
  const start = await changes(context);
  expect(start).toEqual({ items: [], next: '0/', reset: false });
  const { node, body } = makeNode('one');
  const take = makeTake(node, 1);
  const odd = 'a/b%c \ud800\0';
  await store.append([body, node]);
  await store.append([take]);
  await store.append([makeRef(odd, 'name', 1, '1')]);
  await store.append([makeEntry(odd, { of: `of ${odd}` })]);
  await store.append([{ k: 'of later', id: 'x' } as unknown as StoreRecord]);
  // No id of a record is like these, and they are told as they are.
  const strange = { ...node, id: 'a strange node' };
  await store.append([strange, { ...take, id: 'a strange take', node: strange.id }]);
  const { items, next } = await changes(context, start.next);
  expect(items).toEqual([
    { kind: 'node', key: node.id },
    { kind: 'take', key: take.id, of: node.id },
    { kind: 'ref', key: 'thread/a%2Fb%25c \ud800\0/name' },
    { kind: 'event', key: odd, of: `of ${odd}` },
    { kind: 'of later', key: '{"k":"of later","id":"x"}' },
    { kind: 'node', key: strange.id },
    { kind: 'take', key: 'a strange take', of: strange.id },
  ]);
  expect(next).toBe('0/1:6');
  expect(await changes(context, next)).toEqual({ items: [], next, reset: false });
  // Where a reader has read some lanes and not others, and where it has read further than this database goes.
  expect((await changes(context, '0/1:3')).items).toEqual(items.slice(3));
  expect((await changes(context, '0/7:0')).items).toEqual(items);
  for (const ahead of ['0/1:7', '0/1:6,2:1', '1/1:6']) {
    expect(await changes(context, ahead), ahead).toEqual({ items: [], next, reset: true });
  }
  for (const wrong of ['x0/1:6', '0/1:6x', '0/1', '/1:6', '0', '1234567890/1:6'])
    expect(await changes(context, wrong), wrong).toEqual({ items: [], next, reset: true });
  await used.database.query('insert into skein_era (project, era) values ($1, 12)', [project]);
  expect((await changes(context, '12/1:6')).reset).toBe(false);
});

test('a reader that is more than 100,000 changes behind reads everything anew, in one lane or in several', async () => {
  const project = used.newProject();
  const context = await used.openContext(project);
  const write = async (lane: number, count: number) => {
    await used.database.query(
      `insert into skein_other (project, digest, record, lane, n)
       select $1, $2::integer || '-' || n, '{"k":"of later"}', $2::integer, n from generate_series(1, $3::integer) as n`,
      [project, lane, count],
    );
    await used.database.query(`insert into skein_lane (project, lane, owner, n) values ($1, $2, '', $3)`, [
      project,
      lane,
      count,
    ]);
  };
  await write(1, 100_000);
  const { items, reset } = await changes(context, '0/');
  expect([items.length, reset]).toEqual([100_000, false]);
  await write(2, 1);
  expect(await changes(context, '0/')).toEqual({ items: [], next: '0/1:100000,2:1', reset: true });
});

const CHANNEL = `skein_${sha256('p').slice(0, 40)}`;
const NOTHING = { positions: '1:1', era: 0, kind: null, key: null, of: null };
const NEWS = { ...NOTHING, kind: 'entry', key: 'e' };

interface FakeClient extends EventEmitter {
  readonly statements: string[];
  ended: number;
}

/** A signal of the writer `me` whose database answers what a test says. */
function makeSignal() {
  vi.useFakeTimers({ toFake: ['performance', 'setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] });
  onTestFinished(() => void vi.useRealTimers());
  const state = {
    notified: [] as unknown[],
    looks: 0,
    rows: [NOTHING] as object[],
    fails: false,
    refuses: false,
    waits: undefined as Promise<void> | undefined,
    clients: [] as FakeClient[],
    calls: 0,
  };
  const context = makeContext(async ({ text, values }) => {
    const isNotification = text.includes('pg_notify');
    if (isNotification) state.notified.push(values);
    else state.looks += 1;
    await state.waits;
    if (state.fails) throw new Error('away');
    return { rows: isNotification ? [] : state.rows };
  });
  const makeClient = () => {
    const client = Object.assign(new EventEmitter(), {
      statements: [] as string[],
      ended: 0,
      async connect() {
        if (state.refuses) throw new Error('refused');
      },
      async query(text: string) {
        client.statements.push(text);
      },
      async end() {
        client.ended += 1;
        throw new Error('it was broken already');
      },
    });
    state.clients.push(client);
    return client as unknown as Client;
  };
  const signal = createChangeSignal(context, makeClient, 'me');
  const listener = () => {
    state.calls += 1;
  };
  return { state, signal, listener };
}

/** A signal with one listener, which has been called for what came before it. */
async function makeWatched() {
  const made = makeSignal();
  made.signal.watch(made.listener);
  await pass(0);
  // Once when it listens, once when it has looked and so has something to compare with.
  expect(made.state.calls).toBe(2);
  made.state.calls = 0;
  return made;
}

const pass = async (ms: number) => {
  await vi.advanceTimersByTimeAsync(ms);
};

test('a write is told here at once, and to other processes after 10 ms, at most every 50 ms', async () => {
  const { state, signal } = await makeWatched();
  signal.tell();
  expect(state.calls).toBe(1);
  await pass(9);
  expect(state.notified).toEqual([]);
  await pass(1);
  expect(state.notified).toEqual([[CHANNEL, 'me']]);
  signal.tell();
  await pass(30);
  signal.tell();
  expect(state.calls).toBe(3);
  await pass(19);
  expect(state.notified).toHaveLength(1);
  await pass(1);
  expect(state.notified).toHaveLength(2);
  await pass(500);
  expect(state.notified).toHaveLength(2);
  signal.tell();
  await pass(10);
  expect(state.notified).toHaveLength(3);
});

test('the end sends what waits, waits until it is sent, and sends no more', async () => {
  const { state, signal, listener } = makeSignal();
  signal.tell();
  let go = () => {};
  state.waits = new Promise((resolve) => {
    go = resolve;
  });
  let hasEnded = false;
  const ending = signal.end().then(() => {
    hasEnded = true;
  });
  await pass(0);
  expect([state.notified.length, hasEnded]).toEqual([1, false]);
  state.fails = true;
  go();
  await ending;
  signal.tell();
  signal.watch(listener);
  await pass(5_000);
  expect([state.notified.length, state.looks, state.clients.length]).toEqual([1, 0, 0]);
});

test('a signal that was told nothing ends without a word', async () => {
  const { state, signal } = await makeWatched();
  await signal.end();
  expect([state.notified, state.clients[0]!.ended]).toEqual([[], 1]);
  signal.tell();
  await pass(5_000);
  expect([state.calls, state.looks, state.clients.length]).toEqual([0, 1, 1]);
});

test('all listeners share one connection, and each is called until it is removed, also if one is there twice', async () => {
  const { state, signal, listener } = await makeWatched();
  const remove = signal.watch(listener);
  await pass(0);
  expect([state.clients.length, state.looks, state.clients[0]!.statements]).toEqual([1, 1, [`listen ${CHANNEL}`]]);
  signal.tell();
  expect(state.calls).toBe(2);
  remove();
  signal.tell();
  expect(state.calls).toBe(3);
});

test('what other processes say is heard, and not what this one says', async () => {
  const { state } = await makeWatched();
  const [client] = state.clients;
  client!.emit('notification', { payload: 'me' });
  expect(state.calls).toBe(0);
  client!.emit('notification', { payload: 'other' });
  client!.emit('notification', {});
  expect(state.calls).toBe(2);
});

test('every second it is looked for changes, one look at a time, and a look that fails is repeated', async () => {
  const { state, signal } = await makeWatched();
  await pass(3_000);
  expect([state.looks, state.calls]).toEqual([4, 0]);
  state.rows = [NEWS];
  await pass(1_000);
  expect(state.calls).toBe(1);
  // Another era: everything is read anew, once.
  state.rows = [{ ...NOTHING, era: 1 }];
  await pass(2_000);
  expect(state.calls).toBe(2);
  state.fails = true;
  await pass(1_000);
  state.fails = false;
  state.rows = [{ ...NEWS, era: 1 }];
  await pass(1_000);
  expect([state.looks, state.calls]).toEqual([9, 3]);
  let go = () => {};
  state.waits = new Promise((resolve) => {
    go = resolve;
  });
  await pass(3_000);
  expect(state.looks).toBe(10);
  let hasEnded = false;
  const ending = signal.end().then(() => {
    hasEnded = true;
  });
  await pass(0);
  expect(hasEnded).toBe(false);
  go();
  await ending;
});

test('a connection that breaks is replaced after 200 ms, once, and listeners look for what they missed', async () => {
  const { state } = await makeWatched();
  const [client] = state.clients;
  client!.emit('error', new Error('reset'));
  expect(client!.ended).toBe(1);
  client!.emit('end');
  expect(client!.ended).toBe(1);
  await pass(199);
  expect(state.clients).toHaveLength(1);
  await pass(1);
  expect([state.clients.length, state.calls]).toEqual([2, 1]);
  // Nothing that the former one says later ends the new one.
  client!.emit('end');
  await pass(20_000);
  expect(state.clients).toHaveLength(2);
  state.clients[1]!.emit('end');
  await pass(200);
  expect(state.clients).toHaveLength(3);
});

test('a connection that cannot be opened is tried again after longer and longer, up to ten seconds', async () => {
  const { state, signal } = await makeWatched();
  state.refuses = true;
  state.clients[0]!.emit('end');
  for (const [at, wait] of [200, 400, 800, 1_600, 3_200, 6_400, 10_000, 10_000].entries()) {
    await pass(wait - 1);
    expect(state.clients, `before ${wait}`).toHaveLength(at + 1);
    await pass(1);
    expect(state.clients, `after ${wait}`).toHaveLength(at + 2);
  }
  state.refuses = false;
  await pass(10_000);
  // It was open again, so the next waits begin anew.
  state.clients.at(-1)!.emit('end');
  const before = state.clients.length;
  await pass(200);
  expect(state.clients).toHaveLength(before + 1);
  state.clients.at(-1)!.emit('end');
  await signal.end();
  await pass(20_000);
  expect(state.clients).toHaveLength(before + 1);
});

test('a connection that breaks while the signal ends is not replaced', async () => {
  const { state, signal } = await makeWatched();
  const ending = signal.end();
  state.clients[0]!.emit('end');
  await ending;
  await pass(20_000);
  expect([state.clients.length, state.clients[0]!.ended]).toEqual([1, 1]);
});
