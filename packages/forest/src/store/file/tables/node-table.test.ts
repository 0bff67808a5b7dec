import { beforeEach, expect, test } from 'vitest';
import { ROOT } from '../../../model/ids.ts';
import type { NodeRecord } from '../../../model/records.ts';
import { makeNode, makePath } from '../../../testing/store-samples.ts';
import { createNodeTable, type NodeTable } from './node-table.ts';
import { IndexDamage, PAGE_BYTES, PageCache } from './pages.ts';
import type { ListToSave, SavedList } from './rows.ts';

const UNKNOWN = 'f'.repeat(40);

const cache = () => new PageCache({ scratch: () => ({}) as never }, '/', 2 ** 20);
let table: NodeTable;
beforeEach(() => {
  table = createNodeTable(cache());
});

const put = (...records: readonly NodeRecord[]) =>
  records.map((record, at) => table.put(record, 7, { segment: 1, start: at, length: 9 }));
const idsOf = (rows: Iterable<number>) => Array.from(rows, (row) => table.idOf(row));

test('what is no id, and an id that nobody knows, have no row, no children and no takes', () => {
  for (const id of ['', 'x', UNKNOWN.toUpperCase(), `${UNKNOWN}0`]) {
    expect([table.rowOf(id), table.rowFor(id)], id).toEqual([-1, -1]);
    expect([table.children(-1), table.childCount(-1), table.firstTake(-1)]).toEqual([[], 0, 0]);
  }
  expect([table.rowOf(UNKNOWN), table.count, table.gaps, table.has(0), table.rowOf(ROOT)]).toEqual([
    -1,
    1,
    0,
    false,
    0,
  ]);
});

test('a node that is only referred to is a gap until it is there', () => {
  const [parent, child] = makePath(['a', 'b']).map(({ node }) => node);
  expect(put(child!)).toEqual(['new']);
  const row = table.rowOf(parent!.id);
  expect([table.gaps, table.has(row), table.place(row), table.count]).toEqual([1, false, undefined, 3]);
  expect(put({ ...parent!, facts: { ...parent!.facts, role: 'assistant' } })).toEqual(['new']);
  expect([table.gaps, table.has(row), table.count]).toEqual([0, true, 3]);
  expect(table.place(row)).toEqual({ segment: 1, start: 0, length: 9 });
  expect([table.role(row), table.at(row), table.depth(row), table.body(row), table.parent(row)]).toEqual([
    ...['assistant', parent!.at, 1, 7, 0],
  ]);
  expect(table.role(table.rowOf(child!.id))).toBe('user');
  expect(idsOf(table.children(row))).toEqual([child!.id]);
  expect([table.childCount(row), table.childCount(0), table.firstTake(row)]).toEqual([1, 1, 0]);
  const other = makeNode('other').node;
  put(other);
  table.setFirstTake(row, 5);
  expect([table.firstTake(row), table.childCount(0)]).toEqual([5, 2]);
  expect(idsOf(table.children(0)).sort()).toEqual([parent!.id, other.id].sort());
});

test('of a node that comes twice, the earlier one counts, and is no other child', () => {
  const { node } = makeNode('a');
  expect(put(node, node, { ...node, at: node.at - 1 }, { ...node, at: node.at - 1 })).toEqual([
    ...['new', undefined, 'earlier', undefined],
  ]);
  const row = table.rowOf(node.id);
  expect([table.at(row), table.place(row)?.start, table.childCount(0)]).toEqual([node.at - 1, 2, 1]);
});

test('rows are sorted by depth only if a parent came behind its child, and anew when there are more', () => {
  const path = makePath(['a', 'b', 'c', 'd', 'e', 'f']).map(({ node }) => node);
  const [a, b, c, d, e, f] = path as [NodeRecord, NodeRecord, NodeRecord, NodeRecord, NodeRecord, NodeRecord];
  put(a, b);
  expect(table.rowsByDepth()).toBeUndefined();
  put(d);
  expect(table.rowsByDepth()).toBeUndefined();
  put(c);
  // The row of the missing parent was the later one only if it is referred to first.
  put(f, e);
  const { node: other } = makeNode('other');
  const { node: below } = makeNode('below', { parent: other });
  expect(table.rowsByDepth()).toBeUndefined();
  table.rowFor(below.id);
  put(below, other);
  const sorted = table.rowsByDepth()!;
  expect(idsOf(sorted).length).toBe(8);
  expect([...sorted].map(table.depth)).toEqual([1, 1, 2, 2, 3, 4, 5, 6]);
  expect(table.rowsByDepth()).toBe(sorted);
  const late = makeNode('late').node;
  table.rowFor(late.id);
  expect(table.rowsByDepth()!.length).toBe(9);
  const known = table.rowsByDepth();
  put(late);
  expect(table.rowsByDepth()).not.toBe(known);
});

test('ids are found by their first digits, without gaps, in order', () => {
  const nodes = Array.from({ length: 100 }, (_, at) => makeNode(`n${at}`).node);
  put(...nodes);
  table.rowFor(UNKNOWN);
  const ids = nodes.map(({ id }) => id).sort();
  for (const prefix of [
    '',
    ids[5]!.slice(0, 1),
    ids[5]!.slice(0, 2),
    ids[5]!.slice(0, 3),
    ids[5]!,
    'x',
    'FF',
    `${ids[5]}0`,
  ])
    expect(table.idsLike(prefix), prefix).toEqual(ids.filter((id) => id.startsWith(prefix)));
});

test('the best node with an echo is one of the wanted lead, then the deepest, the newest and the last by its id', () => {
  const echo = `1:${'ab'.repeat(16)}`;
  const [top, deep] = makePath(['top', 'deep']).map(({ node }) => node) as [NodeRecord, NodeRecord];
  const lead = top.id;
  const make = (text: string, more: Partial<NodeRecord> = {}): NodeRecord => ({
    ...makeNode(text, { parent: top, echo, lead: ROOT }).node,
    ...more,
  });
  const find = (wanted = -1, text = echo) => {
    const row = table.findEcho(text, wanted);
    return row < 0 ? undefined : table.idOf(row);
  };
  put(top, deep);
  expect([find(), find(0)]).toEqual([undefined, undefined]);
  const [old, young] = [make('old', { at: 5 }), make('young', { at: 6 })];
  put(old);
  expect(find()).toBe(old.id);
  put(young);
  expect([find(), find(0)]).toEqual([young.id, young.id]);
  for (const digits of ['cd', 'ef'] as const) {
    const equal = `1:${digits.repeat(16)}`;
    const both = [make(`one ${digits}`, { at: 6, echo: equal }), make(`two ${digits}`, { at: 6, echo: equal })];
    const sorted = both.sort((a, b) => (a.id < b.id ? -1 : 1));
    put(...(digits === 'cd' ? sorted : sorted.toReversed()));
    expect(find(-1, equal)).toBe(sorted[1]!.id);
  }
  const deeper = make('deeper', { at: 1, depth: 3, parent: deep.id });
  put(deeper);
  expect([find(), find(table.rowOf(lead))]).toEqual([deeper.id, deeper.id]);
  const led = make('led', { lead, at: 0 });
  put(led);
  expect([find(table.rowOf(lead)), find(0), find()]).toEqual([led.id, deeper.id, deeper.id]);
  // When a node turns out to be older, another one is the newest.
  const [later, latest] = [make('later', { at: 50, depth: 9 }), make('latest', { at: 60, depth: 9 })];
  put(later, latest);
  expect(find()).toBe(latest.id);
  put({ ...latest, at: 40 });
  expect(find()).toBe(later.id);
  expect([find(-1, `1:${'ba'.repeat(16)}`), find(-1, echo.slice(1))]).toEqual([undefined, undefined]);
  // A node that is only referred to has no echo, not even one of zeros.
  table.rowFor(UNKNOWN);
  put({ ...latest, at: 30 });
  expect(find(-1, `1:${'00'.repeat(16)}`)).toBeUndefined();
  const deepest = make('deepest', { lead, depth: 99 });
  put(deepest);
  expect([find(0), find()]).toEqual([later.id, deepest.id]);
});

test('echoes of other rules are told apart', () => {
  const digits = 'ab'.repeat(16);
  const echoes = [`1:${digits}`, `2:${digits}`, digits, `1:${digits}0`, ''];
  const nodes = echoes.map((echo, at) => makeNode(`n${at}`, { echo }).node);
  put(...nodes);
  expect(echoes.map((echo) => table.idOf(table.findEcho(echo, -1)))).toEqual(nodes.map(({ id }) => id));
});

test('a table that was saved and loaded is the same', () => {
  const [parent, child] = makePath(['a', 'b']).map(({ node }) => node);
  put({ ...child!, facts: { ...child!.facts, role: 'assistant' } }, makeNode('c').node);
  const late = makeNode('late').node;
  table.rowFor(late.id);
  put(makeNode('below', { parent: late }).node);
  const { lists, facts } = table.save();
  const load = ({ pages, pageCount, count }: ListToSave): SavedList => {
    const bytes = Buffer.from(new ArrayBuffer(pageCount * PAGE_BYTES));
    for (let index = 0; index < pageCount; index++)
      pages.copy(index, bytes.subarray(index * PAGE_BYTES, (index + 1) * PAGE_BYTES));
    return { pages: bytes, count };
  };
  const { rows, map, byEcho, byLead } = lists;
  const loaded = createNodeTable(cache(), {
    facts,
    lists: { rows: load(rows), map: load(map), byEcho: load(byEcho), byLead: load(byLead) },
  });
  const row = loaded.rowOf(child!.id);
  expect([loaded.count, loaded.gaps, row]).toEqual([table.count, 2, table.rowOf(child!.id)]);
  expect([loaded.role(row), loaded.findEcho(child!.echo, -1), loaded.findEcho(child!.echo, 0)]).toEqual([
    ...['assistant', row, row],
  ]);
  expect([loaded.rowOf(parent!.id), loaded.place(row)]).toEqual([table.rowOf(parent!.id), table.place(row)]);
  loaded.drop();
  expect(() => loaded.has(row)).toThrow(IndexDamage);
});
