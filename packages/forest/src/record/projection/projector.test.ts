import { describe, expect, test } from 'vitest';
import { memoryFacts } from '../../../test/memory-facts.ts';
import { type Recorded, recordsOf, seen } from '../../../test/record-exchanges.ts';
import { createForest } from '../../forest/index.ts';
import type { EntryRecord, RefRecord, StoreRecord } from '../../model/records.ts';
import { memoryStore, overlayStore, type Store } from '../../store/index.ts';
import { PLACEMENT_RULES, type Placement } from '../placement.ts';
import type { ProjectionLimits } from './fact-base.ts';
import { createProjector, reproject, sharedProjector } from './projector.ts';
import { PLACEMENT_REF } from './tree-writer.ts';

const LIMITS = { steps: 4, every: 2, rows: 3 };

/** A request with these words, said in turn by the user and the model, and the answer. */
function chat(start: number, words: readonly string[], answer: string, more: Partial<Recorded> = {}): Recorded {
  const messages = words.map((content, at) => ({ role: at % 2 === 0 ? 'user' : 'assistant', content }));
  return {
    id: `x${start}`,
    start,
    dialect: 'openai-chat',
    request: JSON.stringify({ model: 'm', messages }),
    response: JSON.stringify({ id: 'c', model: 'm', choices: [{ message: { role: 'assistant', content: answer } }] }),
    ...more,
  };
}

/** The turns of a conversation, ten seconds apart. */
function conversation(turns: number, start = 0, name = ''): Recorded[] {
  return Array.from({ length: turns }, (_, at) => {
    const words = Array.from({ length: 2 * at + 1 }, (__, word) => `${word % 2 === 0 ? 'Q' : 'A'}${word >> 1}${name}`);
    return chat(start + 10_000 * at, words, `A${at}${name}`);
  });
}

const recordOf = (one: Recorded) => recordsOf(one).at(-1)!;
/** Its record while it has not ended. */
function openRecord(one: Recorded): EntryRecord {
  const record = recordOf(one);
  const { end: _, ...data } = record.data;
  return { ...record, data: { ...data, outcome: 'open' }, clock: '000000000.0000.t' };
}

function world() {
  const facts = memoryFacts();
  const store: Store = overlayStore(memoryStore(), { facts, isAlive: async () => true });
  const newProjector = (more: Partial<Store> = {}, limits: ProjectionLimits = LIMITS) =>
    createProjector(createForest(overlayStore(store, more)), limits);
  const record = async (...all: readonly Recorded[]) => {
    for (const one of all) await store.append(recordsOf(one));
  };
  const placement = async ({ id }: Recorded) =>
    (await store.refs({ on: 'forest', keys: [id], names: [PLACEMENT_REF] })).items[0]?.value as Placement | undefined;
  const thread = async (one: Recorded) => (await placement(one))?.thread;
  const headOf = async (id: string) =>
    (await store.refs({ on: 'thread', keys: [id], names: ['head'] })).items[0]?.value as string | undefined;
  const state = async () => JSON.parse((await facts.version())?.state ?? '{}');
  return { facts, store, newProjector, record, placement, thread, headOf, state };
}

/** What is seen of exchanges when all facts are in memory. */
async function inMemory(all: readonly Recorded[]) {
  const store = memoryStore();
  for (const one of all) await store.append(recordsOf(one));
  await createProjector(createForest(store)).run();
  return seen(store);
}

describe('facts of the first exchanges are stored', () => {
  test('when so many steps are in memory, and exchanges are placed as if all were there', async () => {
    const { facts, store, newProjector, record } = world();
    const projector = newProjector();
    const all = conversation(9);
    const steps: number[] = [];
    const versions = new Set<string | undefined>();
    for (const one of all) {
      await record(one);
      await projector.run();
      steps.push(projector.memory().steps);
      versions.add((await facts.version())?.version);
    }
    expect(steps).toEqual([1, 2, 3, 4, 5, 4, 5, 4, 5]);
    expect(versions.size).toBe(3);
    expect(projector.memory().rows).toBeGreaterThan(0);
    expect(await seen(store)).toEqual(await inMemory(all));
  });

  test('and the exchanges are counted when all are placed again', async () => {
    const { record, newProjector } = world();
    const all = conversation(5);
    const waits = chat(15_000, [], '', {
      ...{ kind: 'poll', dialect: 'openai-responses', responseId: 'resp_1', request: '' },
      response: JSON.stringify({ id: 'resp_1', object: 'response', status: 'completed', model: 'm', output: [] }),
    });
    const others = [25_000, 26_000].map((start) => chat(start, ['Q'], '', { kind: 'other' }));
    await record(...all, waits, ...others);
    const projector = newProjector();
    expect(await projector.rebuild()).toEqual({ exchanges: 8, landed: 5, waiting: 1, nothing: 2, moved: 0 });
    expect(projector.memory().steps).toBe(4);
    expect(await projector.rebuild()).toEqual({ exchanges: 8, landed: 5, waiting: 1, nothing: 2, moved: 0 });
  });

  test('not before, and none is stored by a store without facts', async () => {
    const { facts, record, newProjector, store } = world();
    await record(...conversation(5));
    await newProjector().run();
    expect(await facts.version()).toBeUndefined();
    const { facts: _, ...without } = store;
    const projector = createProjector(createForest(without), LIMITS);
    await record(...conversation(9));
    await projector.run();
    expect(projector.memory()).toEqual({ steps: 9, rows: 0 });
  });
});

describe('a process that begins with stored facts', () => {
  test('places only what came after them, and what was not among them', async () => {
    const { store, newProjector, record, placement, thread, state } = world();
    const [ended, unread] = [chat(5, ['Late'], 'Yes'), chat(6, ['Unread'], 'No')];
    const all = conversation(8);
    await store.append([...recordsOf(ended).slice(0, -1), openRecord(ended)]);
    const [request, response, record6] = recordsOf(unread);
    const sizes = { requestBytes: unread.request!.length, responseBytes: unread.response.length };
    await store.append([response!, { ...record6!, data: { ...record6!.data, ...sizes } }]);
    await record(...all);
    await newProjector().run();
    expect(await state()).toMatchObject({ position: recordOf(all[3]!).order, pending: [ended.id, unread.id] });
    expect(await placement(ended)).toBeUndefined();
    await store.append([request!, recordOf(ended)]);
    const entries: string[] = [];
    const second = newProjector({
      entries: async (kind, query) => {
        const page = await store.entries(kind, query);
        if (kind === 'exchange' && query?.of === 'exchanges') entries.push(...page.items.map(({ id }) => id));
        return page;
      },
    });
    await second.run();
    expect(entries).toEqual(all.slice(4).map(({ id }) => id));
    expect(await placement(ended)).toMatchObject({ state: 'landed', found: 'new' });
    expect(await placement(unread)).toMatchObject({ state: 'landed', found: 'new' });
    expect(new Set(await Promise.all(all.map(thread))).size).toBe(1);
  });

  test('places an exchange again that had its place behind them, but started before', async () => {
    const { newProjector, record, thread, state } = world();
    const all = conversation(4);
    // By the clock of its server it started before the reply that it continues.
    const early = chat(29_500, ['Q0', 'A0', 'Q1', 'A1', 'Q2', 'A2', 'Q3', 'A3', 'Q4'], 'A4');
    const later = [1, 2, 3].map((at) => chat(40_000 + at, [`Other ${at}`], 'Yes'));
    await record(...all, early, ...later);
    await newProjector().run();
    expect(await state()).toMatchObject({ position: recordOf(all[3]!).order, pending: [early.id] });
    const next = chat(60_000, ['Q0', 'A0', 'Q1', 'A1', 'Q2', 'A2', 'Q3', 'A3', 'Q4', 'A4', 'Q5'], 'A5');
    await record(next);
    await newProjector().run();
    expect(await thread(next)).toBe(await thread(all[0]!));
    expect(await thread(early)).toBe(await thread(all[0]!));
  });

  test('stores no facts beyond what it has read: the next one would never place the rest', async () => {
    const { facts, store, newProjector, record, placement } = world();
    await record(...conversation(8));
    await newProjector().run();
    // They started before those whose facts are stored, and ended after all that comes next.
    const late = Array.from({ length: 8 }, (_, at) => chat(at + 1, [`Late ${at}`], 'Yes', { end: 900_000 }));
    const next = Array.from({ length: 3 }, (_, at) => chat(100_000 + at, [`Next ${at}`], 'Yes'));
    await record(...next, ...late);
    let isKilled = false;
    const killed = newProjector({
      facts: {
        ...facts,
        write(...args) {
          isKilled = true;
          return facts.write(...args);
        },
      },
      append: (records) => (isKilled ? Promise.reject(new Error('killed')) : store.append(records)),
    });
    await killed.run().catch(() => undefined);
    expect(isKilled).toBe(true);
    await newProjector().run();
    for (const one of [...late, ...next]) expect(await placement(one), one.id).toMatchObject({ state: 'landed' });
  });
});

describe('of two processes', () => {
  test('one goes on from the facts that the other has stored', async () => {
    const { store, newProjector, record, facts } = world();
    const [first, second] = [newProjector(), newProjector({}, { steps: 4, every: 100, rows: 3 })];
    const all = conversation(9);
    for (const one of all) {
      await record(one);
      await second.run();
      await first.run();
    }
    expect(first.memory().steps).toBe(5);
    // It has not stored facts itself, and heard of those that were stored before its last run.
    expect(second.memory().steps).toBe(5);
    expect(await facts.version()).toBeDefined();
    await second.run();
    expect(await seen(store)).toEqual(await inMemory(all));
  });

  test('one begins again if the other has stored facts of exchanges that it has not seen, or has removed them', async () => {
    const { store, newProjector, record, facts } = world();
    const all = conversation(16);
    const first = newProjector();
    await record(...all.slice(0, 7));
    await first.run();
    await record(...all.slice(7, 14));
    await newProjector().run();
    await first.run();
    await facts.clear();
    await record(...all.slice(14));
    await first.run();
    expect(first.memory().steps).toBe(4);
    expect(await seen(store)).toEqual(await inMemory(all));
  });

  test('the one with the older rules places nothing', async () => {
    const { store, newProjector, record, placement } = world();
    const [one, two] = conversation(2);
    const projector = newProjector();
    await record(one!);
    await projector.run();
    const newer: StoreRecord = {
      ...({ k: 'ref', on: 'forest', key: 'placement', name: 'rules' } as const),
      ...{ value: PLACEMENT_RULES + 1, clock: 'zzzzzzzzz.0000.other' },
    };
    await store.append([newer]);
    await record(two!);
    await projector.run();
    expect(await placement(two!)).toBeUndefined();
    expect(await projector.rebuild()).toEqual({ exchanges: 0, landed: 0, waiting: 0, nothing: 0, moved: 0 });
  });
});

describe('a run', () => {
  /** A projector whose store waits when it is asked for changes. */
  const slow = () => {
    const made = world();
    const waiting: (() => void)[] = [];
    const projector = made.newProjector({
      changes: async (after) => {
        await new Promise<void>((resolve) => waiting.push(resolve));
        return made.store.changes(after);
      },
    });
    /** Lets it go on until a run has ended. */
    const finish = async (run: Promise<unknown>) => {
      let isDone = false;
      void run.finally(() => {
        isDone = true;
      });
      while (!isDone) {
        waiting.shift()?.();
        await new Promise((resolve) => setImmediate(resolve));
      }
    };
    return { ...made, projector, waiting, finish };
  };

  test('is shared by those that ask for it before it begins, and sees what was stored until then', async () => {
    const { projector, record, placement, finish, waiting } = slow();
    const [one, two] = conversation(2);
    await record(one!);
    const first = projector.run();
    expect(projector.run()).toBe(first);
    while (waiting.length === 0) await new Promise((resolve) => setImmediate(resolve));
    const second = projector.run();
    expect(second).not.toBe(first);
    expect(projector.run()).toBe(second);
    await record(two!);
    await finish(second);
    await first;
    expect(await placement(two!)).toMatchObject({ way: 'continues' });
  });

  test('that fails is reported, and the next one begins from scratch', async () => {
    const { store, newProjector, record } = world();
    let isDown = false;
    const projector = newProjector({
      append: (records) => (isDown ? Promise.reject(new Error('down')) : store.append(records)),
    });
    const [one, two] = conversation(2);
    await record(one!);
    await projector.run();
    expect(projector.memory().steps).toBe(1);
    await record(two!);
    isDown = true;
    const [failed, next] = [projector.run(), projector.rebuild()];
    await expect(failed).rejects.toThrow('down');
    await expect(next).rejects.toThrow('down');
    expect(projector.memory().steps).toBe(0);
    isDown = false;
    await projector.run();
    expect(await seen(store)).toEqual(await inMemory([one!, two!]));
  });

  test('places exchanges until nothing is new, and none twice', async () => {
    const { store, newProjector, record } = world();
    const [one, two, three, four] = conversation(4);
    await record(one!);
    const others = [two!, three!];
    const placed: string[] = [];
    const projector = newProjector({
      async append(records) {
        await store.append(records);
        const landed = records.filter((each): each is RefRecord => each.k === 'ref' && each.name === PLACEMENT_REF);
        placed.push(...landed.map(({ key }) => key));
        // While each of them is placed, the next one is recorded.
        const next = landed.length > 0 && others.shift();
        if (next) await record(next);
      },
    });
    await projector.run();
    expect(placed).toEqual([one!.id, two!.id, three!.id]);
    await store.append([recordOf(one!)]);
    await record(four!);
    await projector.run();
    expect(projector.memory().steps).toBe(4);
    expect(placed).toEqual([one!.id, two!.id, three!.id, four!.id]);
  });
});

describe('an exchange', () => {
  test('that this version cannot read has no place, and others have theirs', async () => {
    const { store, newProjector, record, placement } = world();
    const [one, two] = conversation(2);
    const record1 = recordOf(one!);
    await store.append([{ ...record1, data: { ...record1.data, version: 99 } }]);
    await record(two!);
    await newProjector().run();
    expect(await placement(one!)).toBeUndefined();
    expect(await placement(two!)).toMatchObject({ state: 'landed' });
  });

  test('whose record is replaced is placed by the newer one', async () => {
    const { store, newProjector, record, placement } = world();
    const [one, two] = conversation(2);
    const projector = newProjector();
    await record(one!, two!);
    await projector.run();
    const replaced = recordsOf({ ...one!, kind: 'other' }, '000000002.0000.t').at(-1)!;
    await store.append([replaced]);
    await projector.run();
    expect(await placement(one!)).toMatchObject({ state: 'nothing' });
    expect(projector.memory().steps).toBe(2);
    expect(await placement(two!)).toMatchObject({ way: 'starts' });
  });

  test('that comes together with a later one is placed before what lies between them', async () => {
    const { store, newProjector, record } = world();
    const [one, two, three] = conversation(3);
    const projector = newProjector();
    await record(two!);
    await projector.run();
    await record(three!, one!);
    await projector.run();
    expect(await seen(store)).toMatchObject({ ...(await inMemory([one!, two!, three!])), redirects: [] });
  });

  test('that is moved behind a later one leaves those between in their order', async () => {
    const { newProjector, record, thread, placement, headOf } = world();
    const [first, edited, again] = [
      chat(0, ['Q'], 'A'),
      chat(29_600, ['Q', 'A', 'R'], 'B'),
      chat(29_700, ['Q', 'A', 'S'], 'C'),
    ];
    // By the clock of its server it started before the reply that it continues.
    const [other, early] = [chat(30_000, ['Q0'], 'A0'), chat(29_500, ['Q0', 'A0', 'Q1'], 'A1')];
    await record(first, early, edited, again, other);
    await newProjector().run();
    expect(await thread(early)).toBe(await thread(other));
    expect(await headOf((await thread(first))!)).toBe((await placement(again))!.node);
  });

  test('that comes after the facts of its time were stored is placed as of its end, in whatever order they come', async () => {
    const { newProjector, record, headOf, placement, thread } = world();
    const named = { thread: 'mine' };
    const projector = newProjector();
    const all = Array.from({ length: 6 }, (_, at) => chat(10_000 * (at + 1), [`Q${at}`], `A${at}`, named));
    await record(...all);
    await projector.run();
    const short = chat(6, ['Short'], 'Yes', named);
    await record(chat(5, ['Long'], 'Yes', { end: 900_000 }), short);
    await projector.run();
    expect(await headOf((await thread(short))!)).toBe((await placement(all[5]!))!.node);
    const long = chat(7, ['Long'], 'Yes', { ...named, end: 900_000 });
    await record(long);
    await projector.run();
    expect(await headOf((await thread(long))!)).toBe((await placement(long))!.node);
  });
});

describe('a store without facts', () => {
  test('has all exchanges read again for one that comes later than steps can be undone', async () => {
    const store = memoryStore();
    const all = conversation(5);
    const read: string[] = [];
    const watched = overlayStore(store, {
      entry(kind, id) {
        read.push(id);
        return store.entry(kind, id);
      },
    });
    const projector = createProjector(createForest(watched), { ...LIMITS, withoutFacts: 2 });
    const add = async (one: Recorded) => {
      await store.append(recordsOf(one));
      await projector.run();
      return read.splice(0);
    };
    const between = chat(25_000, ['Between'], 'Yes');
    const before = chat(5000, ['Before'], 'Yes');
    for (const one of all) await add(one);
    const ids = (some: readonly Recorded[]) => some.map(({ id }) => id).sort();
    expect((await add(between)).sort()).toEqual(ids([between, ...all.slice(3)]));
    expect((await add(before)).sort()).toEqual(ids([before, between, ...all]));
    expect(projector.memory()).toEqual({ steps: 7, rows: 0 });
    expect(await seen(store)).toEqual(await inMemory([...all, between, before]));
  });

  test('with facts, all steps that are in memory can be undone', async () => {
    const { store, newProjector, record } = world();
    const all = conversation(5);
    const projector = newProjector({}, { steps: 100, every: 100, rows: 3, withoutFacts: 2 });
    await record(...all.slice(1));
    await projector.run();
    await record(all[0]!);
    await projector.run();
    expect((await seen(store)).landed).toEqual((await inMemory(all)).landed);
  });
});

test('the stored placements of exchanges are read in one go', async () => {
  const { store, newProjector, record } = world();
  await record(...conversation(5));
  const keys: number[] = [];
  await newProjector({
    refs(query) {
      if (query.names?.includes(PLACEMENT_REF)) keys.push(query.keys!.length);
      return store.refs(query);
    },
  }).run();
  // Before they are placed, and when they are written.
  expect(keys).toEqual([5, 5]);
});

test('rows of older facts that are not in use do not stay in memory', async () => {
  const { newProjector, record } = world();
  const projector = newProjector();
  const rows: number[] = [];
  for (let at = 0; at < 40; at++) {
    await record(chat(10_000 * at, [`Q${at}`], `A${at}`));
    await projector.run();
    rows.push(projector.memory().rows);
  }
  expect(Math.max(...rows.slice(20))).toBeLessThanOrEqual(Math.max(...rows.slice(0, 20)));
});

test('the recorders of a store share one projector', async () => {
  const { store } = world();
  const forest = createForest(store);
  expect(sharedProjector(forest)).toBe(sharedProjector({ ...forest }));
  expect(sharedProjector(createForest(memoryStore()))).not.toBe(sharedProjector(forest));
  expect(await reproject(forest)).toEqual({ exchanges: 0, landed: 0, waiting: 0, nothing: 0, moved: 0 });
});
