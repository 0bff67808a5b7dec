import { expect, test } from 'vitest';
import { type Recorded, recordsOf, seen } from '../../test/record-exchanges.ts';
import { createForest, type Forest, makeRef } from '../forest/index.ts';
import { createClock } from '../model/clock.ts';
import type { EntryRecord } from '../model/records.ts';
import { readExchangeRecord, reproject } from '../record/index.ts';
import { sharedProjector } from '../record/projection/projector.ts';
import { memoryStore, overlayStore, type Store } from '../store/index.ts';
import { answerSync, remotePeer } from './protocol.ts';
import { createRecordIndex } from './record-index.ts';
import { storePeer } from './store-peer.ts';
import { syncForests } from './sync-forests.ts';
import type { SyncPeer } from './sync-peer.ts';

// What the simulator found where recorded conversations meet (docs/reliability.md).

const push = { direction: 'push' } as const;
const turns = ['First', 'Second', 'Third'].map((_, count, words): Recorded => {
  const said = words.slice(0, count).flatMap((word) => [
    { role: 'user', content: word },
    { role: 'assistant', content: `Answer to ${word}` },
  ]);
  const message = { role: 'assistant', content: `Answer to ${words[count]}` };
  return {
    id: `exchange-${count}`,
    start: 1000 * (count + 1),
    dialect: 'openai-chat',
    request: JSON.stringify({ model: 'm', messages: [...said, { role: 'user', content: words[count] }] }),
    response: JSON.stringify({ id: `chatcmpl-${count}`, model: 'm', choices: [{ index: 0, message }] }),
  };
});
const TEXTS = ['First', 'Answer to First', 'Second', 'Answer to Second', 'Third', 'Answer to Third'];

/** A store with the conversation, as a recorder leaves it. */
async function recorded(): Promise<Store> {
  const store = memoryStore();
  for (const turn of turns)
    await store.append(
      recordsOf(turn).map((record) =>
        record.id === turn.id
          ? { ...record, data: { ...record.data, responseBytes: Buffer.byteLength(turn.response) } }
          : record,
      ),
    );
  await reproject(createForest(store));
  return store;
}

/** The store without some of its entries, as after damage to its files. */
function without(store: Store, isLost: (entry: EntryRecord) => boolean): Store {
  return overlayStore(store, {
    async entries(kind, page) {
      const { items, ...more } = await store.entries(kind, page);
      return { ...more, items: items.filter((entry) => !isLost(entry)) };
    },
    async entry(kind, id) {
      const found = await store.entry(kind, id);
      return found && !isLost(found) ? found : undefined;
    },
  });
}

async function shown(forest: Forest): Promise<string[][]> {
  const { items } = await forest.threads.list();
  return Promise.all(items.map(async ({ head }) => (await forest.path(head)).map(({ message: { text } }) => text)));
}

const outcome = async ({ store }: Forest, { id }: Recorded) =>
  readExchangeRecord((await store.entry('exchange', id))!)?.outcome;

const exchangesOf = async ({ store }: Forest) =>
  (await store.entries('exchange', { of: 'exchanges' })).items.map(({ id }) => id);

test('an exchange whose answer is damaged keeps its place', async () => {
  const store = await recorded();
  const damaged = createForest(without(store, ({ id }) => id === 'exchange-2/response.00000000'));
  await reproject(damaged);
  expect(await damaged.fsck()).toEqual([]);
  expect(await shown(damaged)).toEqual([TEXTS]);
});

test('a placement is not sent without its messages: where it arrives, they would not be written', async () => {
  const store = await recorded();
  const [{ head } = { head: '' }] = (await createForest(store).threads.list()).items;
  const damaged = (await store.nodes([head]))[0]!.body;
  const bodies: Store['bodies'] = async (digests) =>
    (await store.bodies(digests)).map((text, at) => (digests[at] === damaged ? undefined : text));
  const there = createForest(memoryStore());
  await syncForests(storePeer(overlayStore(store, { bodies })), storePeer(there.store), push);
  await reproject(there);
  expect(await shown(there)).toEqual([TEXTS]);
});

test('an exchange is not sent without its answer, and arrives when the answer is there again', async () => {
  const store = await recorded();
  const there = createForest(memoryStore());
  let isDamaged = true;
  const here = storePeer(without(store, ({ id }) => isDamaged && id === 'exchange-0/response.00000000'));
  await syncForests(here, storePeer(there.store), push);
  expect(await exchangesOf(there)).toEqual(['exchange-1', 'exchange-2']);
  await reproject(there);
  expect(await there.fsck()).toEqual([]);
  expect(await shown(there)).toContainEqual(TEXTS);
  isDamaged = false;
  const [answer] = recordsOf(turns[0]!, '000000002.0000.t').filter(({ order }) => order.startsWith('response'));
  await store.append([answer!]);
  await syncForests(here, storePeer(there.store), push);
  await reproject(there);
  expect(await exchangesOf(there)).toEqual(['exchange-0', 'exchange-1', 'exchange-2']);
  expect(await shown(there)).toEqual([TEXTS]);
});

test('a running recorder places an exchange when its missing answer arrives', async () => {
  const store = memoryStore();
  const forest = createForest(store);
  const [request, answer, exchange] = recordsOf(turns[0]!) as [EntryRecord, EntryRecord, EntryRecord];
  const responseBytes = Buffer.byteLength(turns[0]!.response);
  await store.append([request, { ...exchange, data: { ...exchange.data, responseBytes } }]);
  await sharedProjector(forest).run();
  expect(await shown(forest)).toEqual([]);
  await store.append([answer]);
  await sharedProjector(forest).run();
  expect(await shown(forest)).toEqual([['First', 'Answer to First']]);
});

test('a thread stays while the exchange that began it is missing', async () => {
  const store = await recorded();
  const [thread] = (await createForest(store).threads.list()).items;
  const damaged = createForest(without(store, ({ id, of }) => id === 'exchange-0' || of === 'exchange-0'));
  await reproject(damaged);
  expect(await damaged.threads.get(thread!.id)).toMatchObject({ deleted: false });
});

test('a transfer that breaks anywhere leaves no exchange without its parts, and no turn without the one before it', async () => {
  const store = await recorded();
  const records = (await syncForests(storePeer(store), storePeer(memoryStore()), { ...push, dryRun: true })).sent;
  for (let writes = 0; writes <= records; writes++) {
    const there = createForest(memoryStore());
    const peer = storePeer(there.store);
    let left = writes;
    const breaking: SyncPeer = {
      ...peer,
      async write(list) {
        for (const record of list) {
          if (left-- === 0) throw new Error('The connection broke.');
          await peer.write([record]);
        }
      },
    };
    await syncForests(storePeer(store), breaking, push).catch(() => undefined);
    const arrived = await exchangesOf(there);
    expect(arrived).toEqual(turns.map(({ id }) => id).slice(0, arrived.length));
    expect(await reproject(there)).toMatchObject({ exchanges: arrived.length, nothing: 0 });
  }
});

test('an exchange that is placed while the store is read for a meeting arrives with its messages', async () => {
  const store = memoryStore();
  let isFirst = true;
  const here = overlayStore(store, {
    async entries(kind, page) {
      if (isFirst) {
        isFirst = false;
        for (const turn of turns) await store.append(recordsOf(turn));
        await reproject(createForest(store));
      }
      return store.entries(kind, page);
    },
  });
  const there = createForest(memoryStore());
  await syncForests(storePeer(here), storePeer(there.store), push);
  expect(await exchangesOf(there)).toHaveLength(3);
  expect((await there.store.scan()).items).toHaveLength(6);
});

test('a letter of a value that both sides changed is altered on the way: refused, nothing written', async () => {
  const [here, there] = [createForest(memoryStore()), createForest(memoryStore())];
  await here.store.append([makeRef(here, 'forest', 'library', 'model', 'ours')]);
  await there.store.append([makeRef(there, 'forest', 'library', 'model', 'theirs')]);
  const peer = storePeer(there.store);
  for (const alter of [(record: object) => ({ ...record, value: 'thqirs' }), () => undefined]) {
    const altering: SyncPeer = {
      ...peer,
      async read(ids) {
        const { records, done } = await peer.read(ids);
        return { records: records.map((one) => ({ ...one, record: alter(one.record) as never })), done };
      },
    };
    await expect(syncForests(storePeer(here.store), altering, { direction: 'both' })).rejects.toMatchObject({
      code: 'sync_refused',
    });
    expect((await here.store.refs({ on: 'forest' })).items.map(({ value }) => value)).toEqual(['ours']);
  }
});

test('forests with a million messages, whose records share four digits, are compared over a connection', async () => {
  const index = createRecordIndex();
  const id = (number: number) => `abcd${number.toString(16).padStart(28, '0')}`.replace(/^(.{4})(.*)(.)$/, '$1$3$2');
  for (let number = 0; number < 100; number++) index.put({ id: id(number), rank: 0, key: `body/${number}` });
  const peer = {
    ...storePeer(memoryStore()),
    summaries: async (prefixes: readonly string[]) => prefixes.map((prefix) => index.summaries(prefix)),
    items: async (prefixes: readonly string[]) => prefixes.flatMap((prefix) => index.items(prefix)),
  };
  const remote = remotePeer((call) => answerSync(peer, call));
  const here = storePeer(memoryStore());
  expect(await syncForests(here, remote, { direction: 'pull', dryRun: true })).toMatchObject({ received: 100 });
});

/** Places what is new, as a process that records does every thirty seconds. */
const placeNew = (forest: Forest) => sharedProjector(forest).run();

/** A forest at the other end of a connection. */
function connect({ store }: Forest): SyncPeer {
  const peer = storePeer(store);
  return remotePeer((call) => answerSync(peer, call));
}

/** A forest with a turn and the beginning of the next one, and what its process stores at the end. */
async function streaming() {
  const [first, streamed] = turns as [Recorded, Recorded];
  const clock = createClock('test', () => 1_000_000);
  const [request, answer, exchange] = recordsOf(streamed, clock.tick()) as [EntryRecord, EntryRecord, EntryRecord];
  const store = memoryStore();
  const open = { ...exchange, data: { ...exchange.data, outcome: 'open', writer: store.writer } };
  await store.append([...recordsOf(first), request, open]);
  const end = [answer, { ...exchange, clock: clock.tick() }];
  return { here: createForest(store, { now: () => 1_000_000 }), streamed, end };
}

/** The same forest elsewhere, where its process seems to be dead. */
async function copiedTooEarly(here: Forest): Promise<Forest> {
  const there = createForest(memoryStore(), { now: () => 2_000_000 });
  await syncForests(storePeer(here.store), storePeer(there.store), push);
  await placeNew(there);
  return there;
}

test('an answer that was copied while it streamed is whole in both places after the next meeting, whoever took it for lost', async () => {
  for (const direction of ['push', 'both'] as const) {
    const { here, streamed, end } = await streaming();
    await placeNew(here);
    const there = await copiedTooEarly(here);
    expect(await outcome(there, streamed)).toBe('cut');
    await here.store.append(end);
    await placeNew(here);
    await syncForests(storePeer(here.store), connect(there), { direction });
    expect(await outcome(there, streamed)).toBe('done');
    await placeNew(there);
    const [ours, theirs] = [await seen(here.store), await seen(there.store)];
    expect(ours.landed[streamed.id]).toMatchObject({ state: 'landed' });
    expect(theirs).toEqual(ours);
  }
});

test('a forest that took an answer for lost does not take its place away from one that has it whole', async () => {
  const { here, streamed, end } = await streaming();
  await placeNew(here);
  const there = await copiedTooEarly(here);
  await here.store.append(end);
  await placeNew(here);
  const place = async () => (await seen(here.store)).landed[streamed.id];
  const before = await place();
  expect(before).toMatchObject({ state: 'landed' });
  for (const _ of [1, 2]) {
    await syncForests(storePeer(there.store), storePeer(here.store), push);
    await syncForests(storePeer(here.store), storePeer(there.store), { direction: 'pull' });
    expect(await place()).toEqual(before);
    await reproject(there);
  }
  await syncForests(storePeer(here.store), storePeer(there.store), push);
  await placeNew(there);
  expect((await seen(there.store)).landed[streamed.id]).toEqual(before);
});
