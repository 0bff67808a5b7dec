import { describe, expect, test } from 'vitest';
import { memoryFacts } from '../../../test/memory-facts.ts';
import type { FactStore } from '../../store/index.ts';
import { type Exchange, startOrder } from '../exchange.ts';
import { PLACEMENT_RULES } from '../placement.ts';
import { FactBase, FactsReplaced, LIMITS, latePosition } from './fact-base.ts';
import type { IndexStep, RecordedIndex } from './recorded-index.ts';

const item = (order: string, step?: IndexStep) => ({ id: `x${order}`, clock: `c${order}`, order, step });
const stateOf = (position: string) => ({ position, cursor: `cursor ${position}`, pending: [`open ${position}`] });

/** One step that gives a session another name. */
function join(index: RecordedIndex, session: string, to: string): IndexStep {
  const step = index.step();
  index.set(index.sessions, session, to);
  return step;
}

const read = (index: RecordedIndex, ...sessions: readonly string[]) =>
  index.read(() => sessions.map((session) => index.sessions.get(session)));

async function opened(facts = memoryFacts(), rows?: number) {
  const base = new FactBase(facts, rows);
  return { facts, base, ...(await base.open()) };
}

/** The same facts, and how often rows of them were read. */
function countReads(facts: FactStore) {
  let count = 0;
  const counted: FactStore = {
    ...facts,
    read(keys) {
      count += 1;
      return facts.read(keys);
    },
  };
  return { facts: counted, reads: () => count };
}

describe('the facts of the first exchanges', () => {
  test('are out of memory once they are stored, and come back when they are asked for', async () => {
    const { facts, base, index, state } = await opened();
    expect(state).toBeUndefined();
    join(index, 'a', 'one');
    await base.fold(index, [item('1')], [], stateOf('1'));
    expect([...index.sessions.values()]).toEqual([]);
    expect(await read(index, 'a', 'b')).toEqual(['one', undefined]);
    const other = await opened(facts);
    expect(other.state).toEqual(stateOf('1'));
    expect(other.index.sessions.get('a')).toBeUndefined();
    expect(other.index.isWaiting).toBe(true);
    expect(await read(other.index, 'a', 'b')).toEqual(['one', undefined]);
    expect(other.index.isWaiting).toBe(false);
  });

  test('are stored as they were before the later steps, which can still be undone', async () => {
    const { facts, base, index } = await opened();
    join(index, 'a', 'one');
    join(index, 'b', 'two');
    const first = join(index, 'a', 'three');
    const second = join(index, 'a', 'four');
    const third = join(index, 'c', 'five');
    await base.fold(index, [item('1'), item('2')], [first, second, third], stateOf('2'));
    expect(await read((await opened(facts)).index, 'a', 'b', 'c')).toEqual(['one', 'two', undefined]);
    expect(await read(index, 'a', 'b', 'c')).toEqual(['four', 'two', 'five']);
    for (const step of [third, second, first]) step.undo();
    expect(await read(index, 'a', 'b', 'c')).toEqual(['one', 'two', undefined]);
  });

  test('of two folds are those of both', async () => {
    const { facts, base, index } = await opened();
    join(index, 'a', 'one');
    join(index, 'b', 'two');
    await base.fold(index, [item('1')], [], stateOf('1'));
    join(index, 'b', 'three');
    join(index, 'c', 'four');
    await base.fold(index, [item('2')], [], stateOf('2'));
    const other = await opened(facts);
    expect(other.state).toEqual(stateOf('2'));
    expect(await read(other.index, 'a', 'b', 'c')).toEqual(['one', 'three', 'four']);
  });

  test('in one row with others leave those as they are', async () => {
    const { facts, base, index } = await opened();
    join(index, 'a one', '1');
    join(index, 'a two', '2');
    await base.fold(index, [item('1')], [], stateOf('1'));
    const other = await opened(facts);
    join(other.index, 'a two', '3');
    await other.base.fold(other.index, [item('2')], [], stateOf('2'));
    expect(await read((await opened(facts)).index, 'a one', 'a two')).toEqual(['1', '3']);
  });

  test('that nobody has used for a while are not in memory', async () => {
    const { facts, base, index } = await opened();
    for (const name of ['a', 'b', 'c', 'd', 'e', 'f']) join(index, name, name);
    await base.fold(index, [item('1')], [], stateOf('1'));
    const other = await opened(facts, 2);
    const sizes: number[] = [];
    const { facts: counted, reads } = countReads(facts);
    const again = await opened(counted, 2);
    for (const name of ['a', 'b', 'a', 'c', 'a']) {
      await read(again.index, name);
      again.base.trim();
    }
    // What is still in one of the two generations is not read again.
    expect(reads()).toBe(3);
    for (const name of ['a', 'b', 'a', 'c', 'd', 'e', 'f', 'a']) {
      expect(await read(other.index, name)).toEqual([name]);
      other.base.trim();
      sizes.push(other.base.size);
    }
    expect(sizes).toEqual([1, 2, 3, 2, 3, 2, 3, 2]);
  });

  test.each([
    ['other rules', JSON.stringify({ rules: PLACEMENT_RULES - 1, ...stateOf('1') })],
    ['newer rules', JSON.stringify({ rules: PLACEMENT_RULES + 1, ...stateOf('1') })],
    ['no JSON', 'v1'],
  ])('by %s are derived again', async (_what, state) => {
    const facts = memoryFacts();
    await facts.write(undefined, { version: 'v', state }, new Map([['a', '{}']]));
    const { state: found, base, index } = await opened(facts);
    expect(found).toBeUndefined();
    expect(await facts.version()).toBeUndefined();
    join(index, 'a', 'one');
    await base.fold(index, [item('1')], [], stateOf('1'));
    expect(await read((await opened(facts)).index, 'a')).toEqual(['one']);
  });
});

test('where no facts are stored, none are read', async () => {
  const { facts, reads } = countReads(memoryFacts());
  const { base, index } = await opened(facts);
  expect(await read(index, 'a')).toEqual([undefined]);
  join(index, 'a', 'one');
  await base.fold(index, [item('1')], [], stateOf('1'));
  expect(await read(index, 'a')).toEqual(['one']);
  expect(reads()).toBe(0);
});

test('a row without facts is removed; keys of rows are short', async () => {
  const written: (readonly [string, string | undefined])[][] = [];
  const facts = memoryFacts();
  const write: typeof facts.write = (from, to, values) => {
    written.push([...values]);
    return facts.write(from, to, values);
  };
  const { base, index } = await opened({ ...facts, write });
  join(index, 'a', 'one');
  await base.fold(index, [item('1')], [], stateOf('1'));
  index.step();
  index.set(index.sessions, 'a', undefined as never);
  await base.fold(index, [item('2')], [], stateOf('2'));
  const [[[key, value]], [[other, nothing]]] = written as unknown as [[[string, string]], [[string, undefined]]];
  expect(key).toMatch(/^[\w-]{22}$/);
  expect(JSON.parse(value)).toEqual({ 'joined ': 'one' });
  expect([other, nothing]).toEqual([key, undefined]);
});

describe('two recorders of one store', () => {
  test('have the same version after the same exchanges, and another one after others', async () => {
    const versionOf = async (...items: ReturnType<typeof item>[]) => {
      const { facts, base, index } = await opened();
      await base.fold(index, items, [], stateOf('9'));
      return (await facts.version())!.version;
    };
    const version = await versionOf(item('1'), item('2'));
    expect(await versionOf(item('1'), item('2'))).toBe(version);
    const others = [
      await versionOf(item('1')),
      await versionOf(item('2'), item('1')),
      await versionOf(item('1'), { ...item('2'), clock: 'later' }),
      await versionOf(item('1'), { ...item('2'), id: 'y' }),
      await versionOf(item('1'), item('3')),
    ];
    expect(new Set([version, ...others]).size).toBe(6);
    expect(version).toMatch(/^[0-9a-f]{32}$/);
    const { facts, base, index } = await opened();
    await base.fold(index, [item('1')], [], stateOf('1'));
    await base.fold(index, [item('2')], [], stateOf('2'));
    expect((await facts.version())!.version).not.toBe(await versionOf(item('2')));
  });

  test('take over what the other has stored of the same exchanges, and keep the later ones', async () => {
    const one = await opened();
    const other = await opened(one.facts);
    const last = (index: RecordedIndex) => {
      const step = join(index, 'b', 'three');
      index.set(index.sessions, 'd', 'new');
      return step;
    };
    const steps = [one, other].map(({ index }) => [
      item('1', join(index, 'a', 'one')),
      item('2', join(index, 'b', 'two')),
      item('3', last(index)),
    ]);
    expect(await other.base.follow(other.index, steps[1]!)).toBe('same');
    await one.base.fold(one.index, steps[0]!.slice(0, 2), [steps[0]![2]!.step!], stateOf('2'));
    expect(await other.base.follow(other.index, steps[1]!)).toEqual(stateOf('2'));
    expect([...other.index.sessions.values()].sort()).toEqual(['new', 'three']);
    expect(await read(other.index, 'a', 'b')).toEqual(['one', 'three']);
    steps[1]![2]!.step!.undo();
    expect(await read(other.index, 'a', 'b', 'd')).toEqual(['one', 'two', undefined]);
    expect(await other.base.follow(other.index, [])).toBe('same');
    // From there on either of them may store the next ones.
    join(other.index, 'c', 'four');
    await other.base.fold(other.index, [item('3')], [], stateOf('3'));
    expect(await read((await opened(one.facts)).index, 'a', 'b', 'c')).toEqual(['one', 'two', 'four']);
  });

  test('take over changed rows that they have in memory', async () => {
    const { facts, base, index } = await opened();
    join(index, 'a', 'one');
    join(index, 'b one', 'two');
    join(index, 'b two', 'two');
    await base.fold(index, [item('1')], [], stateOf('1'));
    const other = await opened(facts);
    expect(await read(other.index, 'a')).toEqual(['one']);
    join(index, 'a', 'three');
    join(index, 'b two', 'four');
    await base.fold(index, [item('2')], [], stateOf('2'));
    // Both facts were changed by a step whose rows it has not read.
    const step = other.index.step();
    other.index.sessions.put('a', 'three');
    other.index.sessions.put('b two', 'four');
    expect(await other.base.follow(other.index, [item('2', step)])).toEqual(stateOf('2'));
    expect([...other.index.sessions.values()]).toEqual([]);
    expect(await read(other.index, 'a', 'b one', 'b two')).toEqual(['three', 'two', 'four']);
  });

  test('begin again where the other has placed other exchanges', async () => {
    const { facts, base, index } = await opened();
    const other = await opened(facts);
    await base.fold(index, [item('1')], [], stateOf('1'));
    expect(await other.base.follow(other.index, [item('0'), item('1')])).toBeUndefined();
    await facts.clear();
    expect(await base.follow(index, [])).toBeUndefined();
    await facts.write(undefined, { version: 'v', state: 'by other rules' }, new Map());
    expect(await base.follow(index, [item('1')])).toBeUndefined();
  });

  test('never mix facts of two versions', async () => {
    const { facts, base, index } = await opened();
    join(index, 'a', 'one');
    await base.fold(index, [item('1')], [], stateOf('1'));
    const other = await opened(facts);
    await base.fold(index, [item('2')], [], stateOf('2'));
    await expect(read(other.index, 'a')).rejects.toThrow(FactsReplaced);
    const third = await opened(facts);
    await base.fold(index, [item('3')], [], stateOf('3'));
    await expect(third.base.fold(third.index, [item('4')], [], stateOf('4'))).rejects.toThrow(FactsReplaced);
    expect((await opened(facts)).state).toEqual(stateOf('3'));
  });

  test('forget everything together', async () => {
    const { facts, base, index } = await opened();
    join(index, 'a', 'one');
    await base.fold(index, [item('1')], [], stateOf('1'));
    await base.clear();
    expect(await facts.version()).toBeUndefined();
    expect((await opened(facts)).state).toBeUndefined();
  });
});

test('an exchange that comes after the facts of its time were stored has its place at its end, but behind them', () => {
  const order = (start: number, end?: number) =>
    latePosition({ id: 'x', start, ...(end !== undefined && { end }) } as Exchange, `${startOrder(100)}.y`);
  expect(order(5)).toBe(`${startOrder(100)}.y~${startOrder(5)}.x`);
  expect(order(5, 99)).toBe(order(5));
  expect(order(5, 101)).toBe(`${startOrder(101)}.x`);
  expect(order(6) > order(5)).toBe(true);
  expect(order(5, 101) > order(99)).toBe(true);
});

test('two thousand steps can be undone, and facts are stored after two thousand more', () => {
  expect(LIMITS).toEqual({ steps: 2000, every: 2000 });
});
