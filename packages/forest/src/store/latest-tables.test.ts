import { expect, test } from 'vitest';
import { createEntryTable, createRegisterTable, type Entry, type Register } from './latest-tables.ts';

function register(key: string, name: string, clock: string, on: Register['on'] = 'thread', isSet = true): Register {
  return { on, key, name, clock, isSet };
}

function entry(id: string, order: string, of = 'g', clock = '1', k = 'event'): Entry {
  return { k, id, of, order, clock };
}

test('of the registers of a name, the latest counts, whatever came first', () => {
  const table = createRegisterTable();
  const [first, second] = [register('t', 'title', '1'), register('t', 'title', '2')];
  expect([table.put(second), table.put(first), table.put({ ...second })]).toEqual([true, false, false]);
  expect(table.get('thread', 't', 'title')).toBe(second);
  for (const [on, key, name] of [
    ['node', 't', 'title'],
    ['thread', 'u', 'title'],
    ['thread', 't', 'head'],
  ] as const)
    expect(table.get(on, key, name)).toBeUndefined();
  expect([...table.all()]).toEqual([second]);
});

test('registers come in the order of their clocks, and with the same clock in that of their keys', () => {
  const table = createRegisterTable();
  const sorted = [register('z', 'a', '1'), register('a', 'b', '2'), register('a', 'c', '2'), register('b', 'a', '2')];
  for (const at of [2, 0, 3, 1]) table.put(sorted[at]!);
  table.put(register('n', 'a', '0', 'node'));
  table.put(register('gone', 'a', '0', 'thread', false));
  expect(table.page({ on: 'thread' })).toStrictEqual({ items: sorted });
  expect(table.page({ on: 'thread', order: 'newest' }).items).toEqual([...sorted].reverse());
  expect(table.page({ on: 'thread', keys: ['a', 'a', 'unknown'] }).items).toEqual([sorted[1], sorted[2]]);
  expect(table.page({ on: 'thread', names: ['a'] }).items).toEqual([sorted[0], sorted[3]]);
  expect(table.page({ on: 'forest' }).items).toEqual([]);
  for (const order of ['oldest', 'newest'] as const) {
    const { items, next } = table.page({ on: 'thread', order, limit: 3 });
    const rest = table.page({ on: 'thread', order, limit: 3, after: next! });
    expect([...items, ...rest.items]).toEqual(table.page({ on: 'thread', order }).items);
    expect(rest.next).toBeUndefined();
  }
});

test('of the entries of an id, the latest counts, and is only where it is now', () => {
  const table = createEntryTable();
  const [first, moved] = [entry('e1', 'b', 'g1'), entry('e1', 'a', 'g2', '2')];
  expect([table.put(first), table.put(moved), table.put(first), table.put({ ...moved })]).toEqual([
    true,
    true,
    false,
    false,
  ]);
  expect(table.get('event', 'e1')).toBe(moved);
  expect([table.get('event', 'e2'), table.get('exchange', 'e1')]).toEqual([undefined, undefined]);
  expect(table.page('event', { of: 'g1' }).items).toEqual([]);
  expect(table.page('event', { of: ['g1', 'g2', 'g2'] }).items).toEqual([moved]);
  expect([...table.all()]).toEqual([moved]);
});

test('entries come in their order, and with the same one in that of their ids', () => {
  const table = createEntryTable();
  const sorted = [entry('z', 'a'), entry('e1', 'b'), entry('e2', 'b', 'h'), entry('e3', 'b'), entry('a', 'c')];
  for (const at of [2, 4, 0, 3, 1]) table.put(sorted[at]!);
  table.put(entry('x', 'a', 'g', '1', 'exchange'));
  expect(table.page('event')).toStrictEqual({ items: sorted });
  expect(table.page('event', { order: 'newest' }).items).toEqual([...sorted].reverse());
  expect(table.page('event', { of: 'h' }).items).toEqual([sorted[2]]);
  expect(table.page('event', { afterOrder: 'a' }).items).toEqual(sorted.slice(1));
  expect(table.page('event', { afterOrder: 'b', order: 'newest' }).items).toEqual([sorted[0]]);
  for (const query of [{}, { of: 'g' }, { of: 'unknown' }]) expect(table.page('generation', query).items).toEqual([]);
  const { items, next } = table.page('event', { limit: 2 });
  expect([...items, ...table.page('event', { after: next! }).items]).toEqual(sorted);
});
