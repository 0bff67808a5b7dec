import { describe, expect, test, vi } from 'vitest';
import { type Recorded, recordsOf, seen } from '../../../test/record-exchanges.ts';
import { createForest } from '../../forest/index.ts';
import type { RefRecord } from '../../model/records.ts';
import { memoryStore, overlayStore, type Store } from '../../store/index.ts';
import { PLACEMENT_REF } from './placement-refs.ts';
import { createProjector, reproject, sharedProjector } from './projector.ts';
import { LOOK_AGAIN_MS } from './repeat-later.ts';
import { chat, conversation, inMemory, LIMITS, openRecord, recordOf, world } from './test-projector.ts';

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

  test('closes an exchange whose process seemed to live when it was read, though nothing else is recorded', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'performance'] });
    try {
      const { store, newProjector, placement } = world();
      let isAlive = true;
      let looks = 0;
      const isAliveNow: Store['isAlive'] = async (writer) => {
        looks += 1;
        return isAlive || writer !== 'killed';
      };
      const [one, two] = conversation(2) as [Recorded, Recorded];
      await store.append([
        ...recordsOf(one).slice(0, -1),
        { ...openRecord(one), data: { ...openRecord(one).data, writer: 'killed' } },
      ]);
      const projector = newProjector({ isAlive: isAliveNow });
      await projector.run();
      await vi.advanceTimersByTimeAsync(2 * LOOK_AGAIN_MS);
      expect(await placement(one)).toBeUndefined();
      const before = looks;
      for (const record of recordsOf(two)) {
        await store.append([record]);
        await projector.run();
      }
      expect(looks).toBe(before);
      isAlive = false;
      await vi.advanceTimersByTimeAsync(LOOK_AGAIN_MS);
      await vi.waitFor(async () => expect(await placement(one)).toMatchObject({ state: 'landed' }));
      expect((await store.entry('exchange', one.id))?.data.outcome).toBe('cut');
      await projector.run();
      const asked = looks;
      await vi.advanceTimersByTimeAsync(3 * LOOK_AGAIN_MS);
      await projector.run();
      expect(looks).toBe(asked);
      expect(await seen(store)).toEqual(await inMemory([{ ...one, outcome: 'cut' }, two]));
    } finally {
      vi.useRealTimers();
    }
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

  test('whose record and place a sync replaced leaves no message of the place that it had here', async () => {
    const { store, newProjector } = world();
    const [one, two] = conversation(2) as [Recorded, Recorded];
    const projector = newProjector();
    const cut = { ...recordOf(two), clock: '000000001.0000.t~' };
    await store.append([...recordsOf(one), ...recordsOf({ ...two, response: '' }).slice(0, 1), cut]);
    const partial = { choices: [{ message: { role: 'assistant', content: 'Half' } }] };
    await store.append(recordsOf({ ...two, response: JSON.stringify(partial) }).slice(1, 2));
    await projector.run();
    const there = memoryStore();
    await there.append([...recordsOf(one), ...recordsOf(two)]);
    await createProjector(createForest(there, { now: () => Date.now() + 60_000 })).run();
    const { items: places } = await there.refs({ on: 'forest', names: [PLACEMENT_REF] });
    const { items: nodes } = await there.scan();
    const bodies = await there.bodies(nodes.map(({ body }) => body));
    const texts = nodes.map(({ body }, at) => ({ k: 'body' as const, digest: body, text: bodies[at]! }));
    const end = recordsOf(two, '000000002.0000.t');
    await store.append([...texts, ...nodes, ...end, ...places]);
    await projector.run();
    expect((await seen(store)).nodes).toEqual((await seen(there)).nodes);
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

  test('that ends again when its own facts are the last that were stored is placed as of that end', async () => {
    const { store, newProjector, record, headOf, placement, thread, state } = world();
    const projector = newProjector();
    const all = Array.from({ length: 6 }, (_, at) => chat(10_000 * at, [`Q${at}`], `A${at}`, { thread: 'mine' }));
    await record(...all);
    await projector.run();
    const last = all[1]!;
    expect((await state()).position).toBe(recordOf(last).order);
    await store.append([recordsOf({ ...last, end: 900_000 }, '000000002.0000.t').at(-1)!]);
    await projector.run();
    expect(await headOf((await thread(last))!)).toBe((await placement(last))!.node);
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

test('the recorders of a store share one projector', async () => {
  const { store } = world();
  const forest = createForest(store);
  expect(sharedProjector(forest)).toBe(sharedProjector({ ...forest }));
  expect(sharedProjector(createForest(memoryStore()))).not.toBe(sharedProjector(forest));
  expect(await reproject(forest)).toEqual({ exchanges: 0, landed: 0, waiting: 0, nothing: 0, moved: 0 });
});
