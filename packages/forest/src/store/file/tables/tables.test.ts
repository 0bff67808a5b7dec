import { beforeEach, expect, test } from 'vitest';
import type { StoreRecord } from '../../../model/records.ts';
import { makeBody, makeEntry, makeNode, makeRef, makeTake } from '../../../testing/store-samples.ts';
import { IndexDamage, PageCache } from './pages.ts';
import { addRecord, createTables, recordPlace, type SavedTables, type Tables } from './tables.ts';

let tables: Tables;
const cache = () => new PageCache({ scratch: () => ({}) as never }, '/', 2 ** 20);
beforeEach(() => {
  tables = createTables(cache());
});

const place = (start: number) => ({ segment: 2, start, length: 10 });
const { node, body } = makeNode('a');
const take = makeTake(node, 5);
const ref = makeRef('t', 'title', 'x', '5');
const entry = makeEntry('e1', { clock: '5' });
const other = { k: 'later', value: 1 } as unknown as StoreRecord;

test.each([
  ['node', node],
  ['body', body],
  ['take', take],
  ['register', ref],
  ['entry', entry],
  ['record of an unknown kind', other],
] as const)('a %s is new once, and has the place where it was first', (_, record) => {
  expect(recordPlace(tables, record)).toBeUndefined();
  expect([addRecord(tables, record, place(1)), addRecord(tables, record, place(2))]).toEqual([true, false]);
  expect(recordPlace(tables, record)).toEqual(place(1));
});

test('a later register or entry, and an earlier node, are not there yet; others are', () => {
  for (const record of [node, ref, entry]) addRecord(tables, record, place(1));
  for (const record of [
    { ...node, at: node.at + 1 },
    { ...ref, clock: '4' },
    { ...entry, clock: '4' },
  ])
    expect(recordPlace(tables, record), record.k).toEqual(place(1));
  for (const record of [
    { ...node, at: node.at - 1 },
    { ...ref, clock: '6' },
    { ...entry, clock: '6' },
  ])
    expect(recordPlace(tables, record), record.k).toBeUndefined();
  // It is the same node, so it is no new one.
  expect(addRecord(tables, { ...node, at: node.at - 1 }, place(2))).toBe(false);
  expect(recordPlace(tables, { ...node, at: node.at - 1 })).toEqual(place(2));
});

test('a register without a value is in no list', () => {
  addRecord(tables, ref, place(1));
  addRecord(tables, makeRef('u', 'title', null, '1'), place(2));
  expect(tables.refs.page({ on: 'thread' }).items.map(({ key }) => key)).toEqual(['t']);
});

test('records of an unknown kind are told apart by their exact text', () => {
  const texts = ['{"k":"later","value":1}', '{"k":"later","value":1.0}'];
  for (const [at, text] of texts.entries()) expect(addRecord(tables, other, place(at), text)).toBe(true);
  expect(addRecord(tables, other, place(3), texts[1])).toBe(false);
  expect(recordPlace(tables, other)).toEqual(place(0));
});

test('the takes of a node are linked, the last one first', () => {
  const takes = [1, 2, 3].map((at) => makeTake(node, at));
  for (const [at, one] of takes.entries()) addRecord(tables, one, place(at));
  const found: unknown[] = [];
  const row = tables.nodes.rowOf(node.id);
  for (let next = tables.nodes.firstTake(row); next > 0; next = tables.takes.next(next - 1))
    found.push(tables.takes.place(next - 1)?.start);
  expect([found, tables.takes.count]).toEqual([[2, 1, 0], 3]);
  expect([tables.takes.rowOf('x'), tables.takes.rowOf(takes[2]!.id)]).toEqual([-1, 2]);
});

test('bodies that are only referred to have a row and no place, and their lengths count when they are there', () => {
  addRecord(tables, node, place(1));
  const { bodies } = tables;
  const row = bodies.rowOf(body.digest);
  expect([bodies.count, row, bodies.place(row), bodies.bytes]).toEqual([1, 0, undefined, 0]);
  expect(bodies.rowForBytes(Buffer.from(body.digest, 'hex'))).toBe(0);
  expect(bodies.rowForBytes(Buffer.from(makeBody('b').digest, 'hex'))).toBe(1);
  expect([bodies.rowOf('x'), bodies.rowFor('x'), bodies.place(-1), bodies.place(2)]).toEqual([
    -1,
    -1,
    undefined,
    undefined,
  ]);
  addRecord(tables, body, place(3));
  addRecord(tables, body, place(4));
  expect([bodies.place(row), bodies.bytes]).toEqual([place(3), 10]);
});

test('tables that were dropped are not asked any more, and those that were closed are', () => {
  let closed = 0;
  const saved = { refs: [], entries: [], others: [], close: () => void closed++ } as unknown as SavedTables;
  const { nodes: _n, bodies: _b, takes: _t, ...rest } = saved;
  tables = createTables(cache(), rest as SavedTables);
  for (const record of [node, body, take]) addRecord(tables, record, place(1));
  tables.close();
  expect([closed, recordPlace(tables, node)]).toEqual([1, place(1)]);
  tables.drop();
  expect(closed).toBe(2);
  for (const record of [node, body, take]) expect(() => recordPlace(tables, record), record.k).toThrow(IndexDamage);
  expect(() => createTables(cache()).close()).not.toThrow();
});
