import { expect, test } from 'vitest';
import { makeRef } from '../../testing/store-samples.ts';
import { StoreError } from '../store.ts';
import { createAppendQueue } from './append-queue.ts';
import { makeContext } from './test-database.ts';

/** An append of so many records, as the database sees it; the test says when it is written, and with what. */
interface Write {
  readonly records: number;
  readonly lane: unknown;
  readonly owner: unknown;
  answer(held: number, written?: number): void;
  fail(error: Error): void;
}

/** What waits longer than anything that is due by now. */
const settle = () => new Promise((resolve) => setImmediate(resolve));
/** More than any append needs: nothing here waits for a server. */
const MOST_TURNS = 1_000;

/** A queue of the writer `me`, on a database that gives it one lane after another. */
function makeQueue() {
  const state = { writes: [] as Write[], lanes: 0, left: [] as unknown[] };
  const context = makeContext(async ({ text, values }) => {
    if (text.includes("set owner = ''")) {
      state.left.push(values.at(-1));
      return { rows: [] };
    }
    if (text.includes('set owner = ')) {
      state.lanes += 1;
      return { rows: [{ lane: state.lanes }] };
    }
    const [, lane, owner, first] = values;
    return new Promise((resolve, reject) => {
      state.writes.push({
        records: Array.isArray(first) ? first.length : 1,
        lane,
        owner,
        answer: (held, written = 1) => resolve({ rows: [{ held: String(held), written: String(written) }] }),
        fail: reject,
      });
    });
  });
  const queue = createAppendQueue(context, 'me');
  let made = 0;
  const append = (count: number) =>
    queue.append(Array.from({ length: count }, () => makeRef(`key ${made++}`, 'name', 1, '1')));
  const sizes = () => state.writes.map(({ records }) => records);
  /** Lets everything run until so many appends have been sent to the database, which answers when it is told to. */
  const sent = async (count: number) => {
    for (let turn = 0; turn < MOST_TURNS && state.writes.length < count; turn++) await settle();
    expect(state.writes.length).toBe(count);
  };
  /** Appends that waited for two others, until they have been sent together: it is the third. */
  const appendTogether = async (counts: readonly number[]) => {
    const [first, second, ...rest] = [1, 1, ...counts].map(append);
    await sent(2);
    for (const write of state.writes) write.answer(1);
    await Promise.all([first, second]);
    await sent(3);
    return { results: Promise.allSettled(rest) };
  };
  return { state, queue, append, sizes, sent, appendTogether };
}

test('two appends run at once, each in its lane, and those that come meanwhile are written together', async () => {
  const { state, append, sizes, sent } = makeQueue();
  const all = [1, 2, 3, 4, 5].map(append);
  await sent(2);
  await settle();
  expect(sizes()).toEqual([1, 2]);
  expect(state.writes.map(({ lane, owner }) => [lane, owner])).toEqual([
    [1, 'me'],
    [2, 'me'],
  ]);
  state.writes[1]!.answer(1, 0);
  await sent(3);
  state.writes[0]!.answer(1);
  state.writes[2]!.answer(1, 7);
  expect(await Promise.all(all)).toEqual([true, false, true, true, true]);
  expect([sizes(), state.writes[2]!.lane, state.lanes]).toEqual([[1, 2, 12], 2, 2]);
});

test('appends of together more than 500 records are written apart, and one of more is written alone', async () => {
  const { state, append, sizes, sent } = makeQueue();
  const all = [1, 1, 250, 250, 1, 600, 500, 1].map(append);
  for (let at = 0; at < 6; at++) {
    await sent(at === 0 ? 2 : at + 2);
    state.writes[at]!.answer(1);
  }
  state.writes[6]!.answer(1);
  await Promise.all(all);
  expect(sizes()).toEqual([1, 1, 500, 1, 600, 500, 1]);
});

test('of appends that were written together and refused, each is tried alone; others go on', async () => {
  const { state, append, sent, appendTogether } = makeQueue();
  const { results } = await appendTogether([2, 3, 4]);
  state.writes[2]!.fail(new StoreError('store_failed', 'one of them'));
  for (const [at, records] of [2, 3, 4].entries()) {
    await sent(4 + at);
    expect(state.writes[3 + at]!.records).toBe(records);
    if (records === 3) state.writes[3 + at]!.fail(new StoreError('store_failed', 'this one'));
    else state.writes[3 + at]!.answer(1);
  }
  expect((await results).map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  const more = append(5);
  await sent(7);
  state.writes[6]!.answer(1);
  expect(await more).toBe(true);
});

test('where the database cannot be reached, appends are not tried one by one', async () => {
  const { state, appendTogether } = makeQueue();
  const { results } = await appendTogether([2, 3]);
  state.writes[2]!.fail(new StoreError('store_unreachable', 'gone'));
  expect((await results).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  await settle();
  expect(state.writes).toHaveLength(3);
});

test('an append whose lane has another owner is repeated in a new one, which is kept', async () => {
  const { state, append, sent } = makeQueue();
  const one = append(1);
  await sent(1);
  state.writes[0]!.answer(0);
  await sent(2);
  state.writes[1]!.answer(1);
  await one;
  await settle();
  const two = append(1);
  await sent(3);
  state.writes[2]!.answer(1);
  await two;
  expect(state.writes.map(({ lane }) => lane)).toEqual([1, 2, 2]);
});

test('nothing is written of no records', async () => {
  const { state, append } = makeQueue();
  expect(await append(0)).toBe(false);
  expect([state.lanes, state.writes]).toEqual([0, []]);
});

test('the end waits for all appends, also those that still wait, and leaves the lanes', async () => {
  const { state, queue, append, sent } = makeQueue();
  const all = [append(1), append(1), append(2)];
  const end = queue.end();
  await sent(2);
  state.writes[0]!.answer(1);
  state.writes[1]!.answer(1);
  await sent(3);
  await settle();
  expect(state.left).toEqual([]);
  state.writes[2]!.answer(1);
  await Promise.all([...all, end]);
  expect(state.left).toEqual(['me']);
});
