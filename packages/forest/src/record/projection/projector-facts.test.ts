import { describe, expect, test } from 'vitest';
import { recordsOf, seen } from '../../../test/record-exchanges.ts';
import { createForest } from '../../forest/index.ts';
import type { StoreRecord } from '../../model/records.ts';
import type { Store } from '../../store/index.ts';
import { EXCHANGES } from '../exchange.ts';
import { PLACEMENT_RULES } from '../placement.ts';
import { createProjector } from './projector.ts';
import { chat, conversation, inMemory, LIMITS, openRecord, recordOf, world } from './test-projector.ts';

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
        if (kind === 'exchange' && query?.of === EXCHANGES) entries.push(...page.items.map(({ id }) => id));
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
    const first = newProjector();
    let begun = 0;
    const counted: Partial<Store> = {
      entries(kind, query) {
        if (query?.of === EXCHANGES) begun += 1;
        return store.entries(kind, query);
      },
    };
    const second = newProjector(counted, { steps: 4, every: 100, rows: 3 });
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
    expect(begun).toBe(1);
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
    // Also if nothing that it has to place needs them.
    await facts.clear();
    await record(chat(900_000, ['Q'], '', { kind: 'other' }));
    await first.run();
    expect(await facts.version()).toBeDefined();
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
