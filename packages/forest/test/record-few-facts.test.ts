/** Placement by a recorder that keeps few exchanges in memory, and the facts of the others in its store. */
import { createForest, memoryStore } from '@skein/forest';
import { overlayStore } from '@skein/forest/store';
import { describe, expect, test } from 'vitest';
import type { EntryRecord } from '../src/model/records.ts';
import { createProjector } from '../src/record/projection/projector.ts';
import { memoryFacts } from './memory-facts.ts';
import { type Recorded, recordsOf, seen } from './record-exchanges.ts';
import { assistant, calls, chat, place, result, type Turn, user } from './record-placement-kit.ts';

const LIMITS = { steps: 4, every: 2, rows: 3 };

/** Three conversations in turn: each asks, is answered by a call and then in words, and is edited once. */
function conversations(): readonly Recorded[] {
  const found: Recorded[] = [];
  const histories: Turn[][] = [[], [], []];
  for (let round = 0; round < 4; round++)
    for (const [at, history] of histories.entries()) {
      const start = 10_000 * found.length;
      const id = `call_${at}${round}abcdefgh`;
      const asked = [...history, user(`Question ${round} of ${at}`)];
      found.push(chat(start, asked, calls(id)));
      const called = [...asked, calls(id), result(id)];
      found.push(chat(start + 10, called, assistant(`Answer ${round}`)));
      if (round === 2) found.push(chat(start + 20, [...asked.slice(0, -1), user('Edited')], assistant('Otherwise')));
      histories[at] = [...called, assistant(`Answer ${round}`)];
    }
  return found;
}

function storeWithFacts() {
  const facts = memoryFacts();
  return { facts, store: overlayStore(memoryStore(), { facts }) };
}

const inMemory = async (exchanges: readonly Recorded[]) => {
  const store = memoryStore();
  await place(exchanges, store);
  return seen(store);
};
const landing = async (store: ReturnType<typeof memoryStore>, { id }: Recorded) =>
  (await store.refs({ on: 'forest', keys: [id], names: ['landed'] })).items[0]?.value as Record<string, unknown>;

test('is the same as with all facts in memory, and the memory does not grow', async () => {
  const exchanges = conversations();
  const expected = await inMemory(exchanges);
  const { store, facts } = storeWithFacts();
  const projector = createProjector(createForest(store), LIMITS);
  for (const one of exchanges) {
    await store.append(recordsOf(one));
    await projector.run();
    expect(projector.memory().steps).toBeLessThan(LIMITS.steps + LIMITS.every);
  }
  expect(await seen(store)).toEqual(expected);
  expect(await facts.version()).toBeDefined();
  expect(await projector.rebuild()).toEqual({
    ...{ exchanges: exchanges.length, landed: exchanges.length, waiting: 0, nothing: 0, moved: 0 },
  });
  expect(await seen(store)).toEqual(expected);
});

test('is the same where all exchanges come at once', async () => {
  const exchanges = conversations();
  const { store } = storeWithFacts();
  for (const one of exchanges) await store.append(recordsOf(one));
  const projector = createProjector(createForest(store), LIMITS);
  await projector.run();
  expect(await seen(store)).toEqual(await inMemory(exchanges));
  expect(projector.memory().steps).toBeLessThan(LIMITS.steps + LIMITS.every);
});

describe('two recorders of one store', () => {
  test.each([
    ['in turn', [0, 1]],
    ['now one for long, now the other', [0, 0, 0, 0, 0, 0, 0, 0, 0, 1]],
    ['at once', [2]],
  ])('place as one does: %s', async (_how, turns) => {
    const exchanges = conversations();
    const { store } = storeWithFacts();
    const both = [0, 1].map(() => createProjector(createForest(store), LIMITS));
    for (const [at, one] of exchanges.entries()) {
      await store.append(recordsOf(one));
      const turn = turns[at % turns.length]!;
      await Promise.all(turn === 2 ? both.map((each) => each.run()) : [both[turn]!.run()]);
    }
    expect(await seen(store)).toEqual(await inMemory(exchanges));
  });
});

test('of a recorder that begins anew each time is the same', async () => {
  const exchanges = conversations();
  const { store } = storeWithFacts();
  for (const one of exchanges) {
    await store.append(recordsOf(one));
    await createProjector(createForest(store), LIMITS).run();
  }
  expect(await seen(store)).toEqual(await inMemory(exchanges));
});

describe('an exchange that comes after the facts of its time were stored', () => {
  const late = chat(5, [user('Late')], assistant('Yes'), { end: 50_000 });

  test.each([true, false])('has a place, and is continued (by the same recorder: %s)', async (isSame) => {
    const exchanges = conversations();
    const { store } = storeWithFacts();
    const first = createProjector(createForest(store), LIMITS);
    for (const one of exchanges) {
      await store.append(recordsOf(one));
      await first.run();
    }
    await store.append(recordsOf(late));
    const second = isSame ? first : createProjector(createForest(store), LIMITS);
    await second.run();
    const next = chat(10_000_000, [user('Late'), assistant('Yes'), user('More')], assistant('No'));
    await store.append(recordsOf(next));
    await second.run();
    expect(await landing(store, late)).toMatchObject({ state: 'landed', found: 'new' });
    expect(await landing(store, next)).toMatchObject({ thread: (await landing(store, late)).thread, way: 'continues' });
    expect(await second.rebuild()).toMatchObject({ exchanges: exchanges.length + 2, landed: exchanges.length + 2 });
  });

  test.each([true, false])(
    'because it was open has its place when it ends (by the same recorder: %s)',
    async (isSame) => {
      const exchanges = conversations();
      const { store } = storeWithFacts();
      const records = recordsOf(late);
      const ended = records.at(-1)!;
      const { end: _, ...data } = ended.data as Record<string, unknown>;
      const open = { ...ended, data: { ...data, outcome: 'open' }, clock: '000000000.0000.t' } as EntryRecord;
      await store.append([...records.slice(0, -1), open]);
      const alive = overlayStore(store, { isAlive: async () => true });
      const recorder = createProjector(createForest(alive), LIMITS);
      for (const one of exchanges) {
        await store.append(recordsOf(one));
        await createProjector(createForest(alive), LIMITS).run();
        if (isSame) await recorder.run();
      }
      expect(await landing(store, late)).toBeUndefined();
      await store.append([ended]);
      await recorder.run();
      expect(await landing(store, late)).toMatchObject({ state: 'landed', found: 'new' });
    },
  );
});

test('an exchange whose process ended is placed as a cut one', async () => {
  const { store } = storeWithFacts();
  const records = recordsOf(chat(5, [user('Lost')], assistant('Yes')));
  const ended = records.at(-1)!;
  const { end: _, ...data } = ended.data as Record<string, unknown>;
  await store.append([...records.slice(0, -1), { ...ended, data: { ...data, outcome: 'open' } } as EntryRecord]);
  const dead = overlayStore(store, { isAlive: async () => false });
  await createProjector(createForest(dead), LIMITS).run();
  const entry = await store.entry('exchange', ended.id);
  expect(entry!.data).toMatchObject({ outcome: 'cut', error: 'the process that recorded it ended' });
  const { items } = await store.refs({ on: 'forest', keys: [ended.id], names: ['landed'] });
  expect(items[0]!.value).toMatchObject({ state: 'landed' });
});

test('an exchange whose parts are missing has no place until they arrive', async () => {
  const store = memoryStore();
  const one = chat(1, [user('A')], assistant('B'));
  const [request, response, record] = recordsOf(one);
  const whole = {
    ...record!,
    data: { ...record!.data, requestBytes: one.request!.length, responseBytes: one.response.length },
  };
  const projector = createProjector(createForest(store));
  await store.append([response!, whole as EntryRecord]);
  await projector.run();
  expect(await landing(store, one)).toBeUndefined();
  await store.append([request!]);
  await projector.run();
  expect(await landing(store, one)).toMatchObject({ state: 'landed' });
});

test('an exchange whose parts arrive when the facts of its time are stored has its place, in another process, too', async () => {
  const late = chat(5, [user('Late')], assistant('Yes'));
  const exchanges = conversations();
  const { store } = storeWithFacts();
  const [request, response, record] = recordsOf(late);
  const sizes = { requestBytes: late.request!.length, responseBytes: late.response.length };
  await store.append([response!, { ...record!, data: { ...record!.data, ...sizes } } as EntryRecord]);
  for (const one of exchanges) {
    await store.append(recordsOf(one));
    await createProjector(createForest(store), LIMITS).run();
  }
  expect(await landing(store, late)).toBeUndefined();
  const another = createProjector(createForest(store), LIMITS);
  await another.run();
  await store.append([request!]);
  await another.run();
  expect(await landing(store, late)).toMatchObject({ state: 'landed' });
});

test('a recorder that fails begins again from what is stored', async () => {
  const store = memoryStore();
  let isDown = false;
  const fails = overlayStore(store, {
    append: (records) => (isDown ? Promise.reject(new Error('down')) : store.append(records)),
  });
  const projector = createProjector(createForest(fails));
  const [one, two] = [
    chat(1, [user('A')], assistant('B')),
    chat(2, [user('A'), assistant('B'), user('C')], assistant('D')),
  ];
  await store.append(recordsOf(one));
  await projector.run();
  await store.append(recordsOf(two));
  isDown = true;
  await expect(projector.run()).rejects.toThrow('down');
  isDown = false;
  await projector.run();
  expect(await seen(store)).toEqual(await inMemory([one, two]));
});
