import { describe, expect, test, vi } from 'vitest';
import { type Recorded, recordsOf } from '../../../test/record-exchanges.ts';
import { createForest } from '../../forest/index.ts';
import type { EntryRecord, StoreRecord } from '../../model/records.ts';
import { memoryStore, overlayStore } from '../../store/index.ts';
import { readExchangeRecord } from '../exchange.ts';
import type { FoldedState } from './fact-base.ts';
import { UnplacedExchanges } from './unplaced-exchanges.ts';

const idOf = (start: number) => `x${String(start).padStart(4, '0')}`;
const chat = (start: number, more: Partial<Recorded> = {}): EntryRecord[] =>
  recordsOf({ id: idOf(start), start, dialect: 'openai-chat', request: '{}', response: '{}', ...more });
const recordOf = (start: number) => chat(start).at(-1)!;
const orderOf = (start: number) => recordOf(start).order;
const openRecord = (start: number, writer = 'test'): EntryRecord => {
  const record = recordOf(start);
  return { ...record, data: { ...record.data, outcome: 'open', writer } };
};
const ref = (key: string): StoreRecord =>
  ({ k: 'ref', on: 'forest', key, name: 'landed', value: 1, clock: '1' }) as StoreRecord;

/** A store, and what has no place in it. */
function world(limits = { steps: 2, every: 1 }) {
  const inner = memoryStore();
  let state: FoldedState | undefined;
  let begun = 0;
  let isReset = false;
  const dead = new Set<string>();
  const readAlone: string[] = [];
  const store = overlayStore(inner, {
    isAlive: async (writer) => !dead.has(writer),
    entry(kind, id) {
      readAlone.push(id);
      return inner.entry(kind, id);
    },
    async changes(after) {
      const changes = await inner.changes(after);
      const reset = isReset && after !== undefined;
      if (reset) isReset = false;
      return reset ? { ...changes, items: [], reset } : changes;
    },
  });
  const unplaced = new UnplacedExchanges(createForest(store), limits, async () => {
    begun += 1;
    return state;
  });
  /** The starts of what is new, part by part. */
  const look = async (each: (part: readonly EntryRecord[]) => Promise<void> | void = () => {}) => {
    const parts: number[][] = [];
    for await (const part of unplaced.news()) {
      parts.push(part.map(({ data }) => data.start as number));
      await each(part);
    }
    return parts;
  };
  return {
    inner,
    unplaced,
    look,
    dead,
    readAlone,
    begun: () => begun,
    /** The facts up to an exchange are stored, all but those of some exchanges. */
    async foldTo(start: number, pending: readonly number[]) {
      state = { position: orderOf(start), cursor: (await inner.changes()).next, pending: pending.map(idOf) };
    },
    /** The next time that it asks for changes, the store no longer knows them. */
    reset: () => {
      isReset = true;
    },
  };
}

describe('the first look', () => {
  test('finds all exchanges, in the order of their starts', async () => {
    const { inner, look, begun } = world();
    for (const start of [3, 1, 2]) await inner.append(chat(start));
    expect(await look()).toEqual([[1, 2, 3], []]);
    expect(begun()).toBe(1);
  });

  test('finds them two hundred at a time, and knows up to where it has read', async () => {
    const { inner, look, unplaced } = world();
    for (let start = 1; start <= 450; start++) await inner.append(chat(start));
    const read: boolean[][] = [];
    const parts = await look(() => {
      read.push([1, 200, 201, 400, 401, 450, 451].map((start) => unplaced.hasRead(orderOf(start))));
    });
    expect(parts.map(({ length }) => length)).toEqual([200, 200, 50, 0]);
    expect(parts.flat()).toEqual(Array.from({ length: 450 }, (_, at) => at + 1));
    expect(read).toEqual([
      [true, true, false, false, false, false, false],
      [true, true, true, true, false, false, false],
      [true, true, true, true, true, true, false],
      [true, true, true, true, true, true, true],
    ]);
  });

  test('finds what is stored while it reads, and what is stored before facts are opened', async () => {
    const { inner, look } = world();
    for (let start = 1; start <= 201; start++) await inner.append(chat(start));
    let late = 1000;
    const parts = await look(async () => {
      if (late < 1002) await inner.append(chat(late++));
    });
    expect(parts.flat().filter((start) => start > 201)).toEqual([1000, 1001]);
  });

  test('begins again if the store loses its changes meanwhile', async () => {
    const { inner, look, reset, begun } = world();
    for (let start = 1; start <= 450; start++) await inner.append(chat(start));
    let parts = 0;
    const found = await look(() => {
      if (++parts === 2) reset();
    });
    expect(found.map(({ length }) => length)).toEqual([200, 200, 200, 200, 50, 0]);
    expect(begun()).toBe(2);
  });
});

describe('a later look', () => {
  test('finds only exchanges that changed, each once, the earliest first', async () => {
    const { inner, look } = world();
    await inner.append(chat(1));
    await look();
    await inner.append([...chat(3), ref('a'), openRecord(2), { ...recordOf(2), clock: '000000002.0000.t' }]);
    expect(await look()).toEqual([[2, 3]]);
    expect(await look()).toEqual([[]]);
  });

  test('finds them two hundred at a time', async () => {
    const { inner, look, unplaced } = world();
    await look();
    for (let start = 1; start <= 450; start++) await inner.append(chat(start));
    const pending: number[] = [];
    const parts = await look(() => {
      pending.push(unplaced.pendingTo(orderOf(430)).length);
    });
    expect(parts.map(({ length }) => length)).toEqual([200, 200, 50]);
    expect(pending).toEqual([230, 30, 0]);
  });

  test('finds an exchange whose missing part arrives', async () => {
    const { inner, look, unplaced } = world();
    const [request, ...others] = chat(1);
    await inner.append([...others, ...chat(2)]);
    await look();
    unplaced.unread.add(idOf(1));
    await inner.append([request!, chat(2)[0]!, ref('a')]);
    expect(await look()).toEqual([[1]]);
  });

  test('begins again if the store no longer knows what changed, and forgets what it knew', async () => {
    const { inner, look, reset, begun, unplaced } = world();
    await inner.append(chat(1));
    await look();
    reset();
    expect(await look()).toEqual([[1], []]);
    expect(begun()).toBe(2);
    unplaced.open.set(idOf(2), openRecord(2));
    unplaced.unread.add('b');
    expect(unplaced.pendingTo('z')).toEqual([idOf(2), 'b']);
    unplaced.forget();
    expect(unplaced.cursor).toBeUndefined();
    expect(unplaced.pendingTo('z')).toEqual([]);
    expect(await look()).toEqual([[1], []]);
    expect(begun()).toBe(3);
  });

  test('takes the end of an exchange for what it is, though its process is dead by now', async () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    try {
      const { inner, look, unplaced, dead } = world();
      await inner.append([openRecord(1, 'gone'), openRecord(2, 'gone')]);
      await look((part) => {
        for (const entry of part) unplaced.open.set(entry.id, entry);
      });
      dead.add('gone');
      await inner.append([{ ...recordOf(1), clock: '000000002.0000.gone' }]);
      const outcomes: unknown[] = [];
      const note = (part: readonly EntryRecord[]) => {
        for (const { id, data } of part) outcomes.push([id, data.outcome]);
      };
      vi.advanceTimersByTime(29_000);
      await look(note);
      expect(outcomes).toEqual([[idOf(1), 'done']]);
      unplaced.open.delete(idOf(1));
      vi.advanceTimersByTime(1000);
      await look(note);
      expect(outcomes.slice(1)).toEqual([[idOf(2), 'cut']]);
      unplaced.open.set(idOf(2), openRecord(2, 'gone'));
      await inner.append([{ ...recordOf(2), clock: '000000002.0000.gone' }]);
      vi.advanceTimersByTime(30_000);
      await look(note);
      expect(outcomes.slice(2)).toEqual([[idOf(2), 'done']]);
    } finally {
      vi.useRealTimers();
    }
  });

  test('does not find what an earlier one had found when that is read again', async () => {
    const { inner, look, unplaced } = world();
    await look();
    for (let start = 1; start <= 201; start++) await inner.append(chat(start));
    for await (const _ of unplaced.news()) break;
    expect(unplaced.pendingTo(orderOf(201))).toEqual([idOf(201)]);
    unplaced.forget();
    expect(unplaced.pendingTo(orderOf(201))).toEqual([]);
    expect((await look()).map(({ length }) => length)).toEqual([200, 1, 0]);
  });
});

test('exchanges wait if they have not ended, are not read, or are not placed yet, up to a position', () => {
  const { unplaced } = world();
  for (const start of [1, 2]) unplaced.open.set(idOf(start), openRecord(start));
  unplaced.unread.add('unread');
  expect(unplaced.pendingTo(orderOf(1))).toEqual([idOf(1), 'unread']);
  expect(unplaced.pendingTo('')).toEqual(['unread']);
});

describe('of exchanges up to those whose facts are stored', () => {
  /** Facts are stored up to 20, when there were exchanges at 10, 20 and 30. */
  const folded = async (pending: readonly number[] = [], limits = { steps: 2, every: 1 }) => {
    const found = world(limits);
    for (const start of [10, 20, 30]) await found.inner.append(chat(start));
    await found.foldTo(20, pending);
    return found;
  };

  test('those come first that were stored since, and no other is read twice', async () => {
    const { inner, look, unplaced, readAlone } = await folded();
    for (const start of [40, 15, 5, 30, 50]) await inner.append(chat(start));
    await inner.append([chat(10)[0]!, ref('a'), { ...recordOf(20), clock: '000000002.0000.t' }]);
    const read: boolean[] = [];
    const parts = await look(() => {
      read.push(unplaced.hasRead(orderOf(30)));
    });
    expect(parts).toEqual([[15, 5, 20], [30, 40, 50], []]);
    expect(read).toEqual([false, true, true]);
    expect(readAlone).toEqual([15, 5, 20].map(idOf));
  });

  test.each([
    ['not read twice if a start places as many', { steps: 400, every: 200 }, 1],
    ['not placed early, either, if there are more', { steps: 2, every: 1 }, 101],
  ])('those come first, and those behind are %s', async (_how, limits, count) => {
    const { inner, look, readAlone } = await folded([], limits);
    for (const start of Array.from({ length: 599 }, (_, at) => 100 + at)) await inner.append(chat(start));
    await inner.append(chat(15));
    const parts = await look();
    expect(parts[0]).toEqual([15]);
    expect(parts.flat()).toHaveLength(601);
    expect(readAlone).toHaveLength(count);
  });

  test('those come first that had not ended, and are cut if their process has', async () => {
    // One of those that had not ended was removed.
    const { inner, look, dead } = await folded([10, 30, 99]);
    await inner.append([openRecord(7, 'dead'), openRecord(8, 'alive')]);
    dead.add('dead');
    const outcomes: unknown[] = [];
    const parts = await look((part) => {
      for (const entry of part) outcomes.push(readExchangeRecord(entry)!.outcome);
    });
    expect(parts.slice(0, 2)).toEqual([[10, 7, 8], [30]]);
    expect(outcomes.slice(0, 4)).toEqual(['done', 'cut', 'open', 'done']);
    // The cut one is stored as such, and found as a change.
    expect(parts.slice(2).flat()).toEqual([7]);
  });

  test('those that had not ended come first although the store no longer knows its changes', async () => {
    const { inner, look, reset } = await folded([10]);
    await inner.append(chat(15));
    reset();
    expect((await look())[0]).toEqual([10]);
  });

  test('none comes in a part of its own if there is nothing behind them', async () => {
    const found = world();
    await found.inner.append(chat(10));
    await found.foldTo(10, []);
    expect(await found.look()).toEqual([[], []]);
  });
});
