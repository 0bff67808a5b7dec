import { describe, expect, test } from 'vitest';
import { useDatabase } from '../../../test/postgres/use-database.ts';
import type { StoreRecord } from '../../model/records.ts';
import { makeBody, makeEntry, makeNode, makePath, makeRef, makeTake } from '../../testing/store-samples.ts';
import { append } from './append.ts';
import { makeDatabase } from './test-database.ts';

const MOST_RECORDS = 5000;
const LARGEST = 16 * 2 ** 20;
const LANE = { lane: 1, owner: 'me' };

/**
 * A database that gives these answers, and each append in it: how many records each of its statements has, and what else is sent.
 * `columns` are the columns of the last statement that have several rows.
 */
function makeAppends(answers: readonly { held?: number; written?: number; code?: string }[] = []) {
  const sent: (string | number)[] = [];
  const left = [...answers];
  let columns: readonly unknown[][] = [];
  const db = makeDatabase(async ({ text, values }) => {
    if (!text.startsWith('with drawn')) {
      sent.push(text.slice(0, 6));
      return { rows: [] };
    }
    const given = values.slice(3);
    columns = given.filter((column): column is unknown[] => Array.isArray(column));
    // Every table has a column for the project.
    const rows = columns.filter((column) => column[0] === 'p').reduce((sum, column) => sum + column.length, 0);
    sent.push(rows + given.filter((value) => value === 'p').length);
    const { held = 1, written = 1, code } = left.shift() ?? {};
    if (code !== undefined) throw Object.assign(new Error('refused'), { code });
    return { rows: [{ held: String(held), written: String(written) }] };
  });
  return {
    sent,
    columns: () => columns,
    append: (records: readonly StoreRecord[]) => append(db, 'p', LANE, records),
  };
}

const refs = (count: number) => Array.from({ length: count }, (_, at) => makeRef(`k${at}`, 'name', at, '1'));
const text = (length: number, of = 'x') => makeBody(of.repeat(length));

test('a batch of many records, or of long texts, is several statements of one transaction', async () => {
  const { sent, append } = makeAppends();
  const sentFor = async (records: readonly StoreRecord[]) => {
    sent.length = 0;
    expect(await append(records)).toBe(true);
    return sent;
  };
  expect(await sentFor(refs(MOST_RECORDS))).toEqual([MOST_RECORDS]);
  expect(await sentFor(refs(2 * MOST_RECORDS + 1))).toEqual(['begin', MOST_RECORDS, MOST_RECORDS, 1, 'commit']);
  // A text counts by its length, and any other record as 500 characters.
  const half = text(LARGEST / 2);
  expect(await sentFor([half, text(LARGEST / 2, 'y')])).toEqual([2]);
  expect(await sentFor([half, text(LARGEST / 2 + 1, 'y')])).toEqual(['begin', 1, 1, 'commit']);
  expect(await sentFor([text(LARGEST - 500), ...refs(2)])).toEqual(['begin', 2, 1, 'commit']);
  expect(await sentFor([text(LARGEST + 1)])).toEqual([1]);
  expect(await sentFor([...refs(1), text(LARGEST + 1), ...refs(1)])).toEqual(['begin', 1, 1, 1, 'commit']);
});

test('something is new if any of the statements of a batch has written a row', async () => {
  const many = refs(MOST_RECORDS + 1);
  const written = (...counts: number[]) => makeAppends(counts.map((written) => ({ written }))).append(many);
  expect(await written(1, 0)).toBe(true);
  expect(await written(0, 1)).toBe(true);
  expect(await written(0, 0)).toBe(false);
});

test('a batch whose lane has another owner is not written in part', async () => {
  const { sent, append } = makeAppends([{ held: 0, written: 0 }]);
  expect(await append(refs(MOST_RECORDS + 1))).toBe(undefined);
  expect(sent).toEqual(['begin', MOST_RECORDS, 'commit']);
});

test('an append that collided with another is repeated four times, and one that was refused is not', async () => {
  const conflict = { code: '40P01' };
  const four = makeAppends(Array.from({ length: 4 }, () => conflict));
  expect(await four.append(refs(1))).toBe(true);
  expect(four.sent).toEqual([1, 1, 1, 1, 1]);
  const five = makeAppends(Array.from({ length: 5 }, () => conflict));
  await expect(five.append(refs(1))).rejects.toMatchObject({ code: 'store_conflict' });
  expect(five.sent).toHaveLength(5);
  const refused = makeAppends([{ code: '23514' }]);
  await expect(refused.append(refs(1))).rejects.toMatchObject({ code: 'store_failed' });
  expect(refused.sent).toEqual([1]);
});

test('nothing is sent of no records', async () => {
  const { sent, append } = makeAppends();
  expect(await append([])).toBe(false);
  expect(sent).toEqual([]);
});

test('writers lock rows in the same order, whatever order their records have, and parents are written before children', async () => {
  const { sent, columns, append } = makeAppends();
  const [a, b, c] = makePath(['a', 'b', 'c']);
  const other = makeNode('other');
  const made = [a!, b!, c!, other];
  const odd = (name: string) => ({ k: 'odd', name }) as unknown as StoreRecord;
  const records: StoreRecord[] = [
    ...made.flatMap(({ node, body }, at) => [body, node, makeTake(node, at)]),
    ...['x', 'z', 'y'].flatMap((name, at) => [makeRef(name, 'n', 1, '1'), makeEntry(name), odd(`${at}`)]),
  ];
  await append(records);
  const written = columns();
  await append(records.toReversed());
  expect(columns()).toEqual(written);
  // With the words of the nodes.
  expect(sent).toEqual([4 * made.length + 9, 4 * made.length + 9]);
  const ids = made.map(({ node }) => Buffer.from(node.id, 'hex'));
  const [first, second] = [ids[0]!, ids[3]!].sort(Buffer.compare);
  expect(written).toContainEqual([first, second, ids[1], ids[2]]);
  const digests = made.map(({ body }) => Buffer.from(body.digest, 'hex')).sort(Buffer.compare);
  expect(written).toContainEqual(digests);
  expect(written.filter((column) => column.join() === 'x,y,z')).toHaveLength(3);
});

test('of a record that is in a batch twice, the earliest node and the latest value are written', async () => {
  const { sent, columns, append } = makeAppends();
  const { node, body } = makeNode('a');
  const nodes = [5, 3, 4].map((at) => ({ ...node, at }));
  const values = ['2', '3', '1'].flatMap((clock) => [makeRef('k', 'n', clock, clock), makeEntry('e', { clock })]);
  const twice = [body, makeTake(node, 1), { k: 'odd' } as unknown as StoreRecord];
  await append([
    ...nodes,
    ...values,
    ...twice,
    ...twice,
    makeNode('b').body,
    makeNode('b').node,
    makeRef('l', 'n', 1, '1'),
    makeEntry('f'),
  ]);
  // Of nodes and their texts there are two, so that the words are two rows as well.
  expect(sent).toEqual([2 + 2 + 2 + 1 + 2 + 2 + 1]);
  const hasBoth = (one: unknown, other: unknown) =>
    columns().some((column) => column.length === 2 && column.includes(one) && column.includes(other));
  expect([hasBoth(3, makeNode('b').node.at), hasBoth('3', '1')]).toEqual([true, true]);
});

describe('the words of a node', () => {
  const used = useDatabase();

  test('are found when its text was written before, and its text is read only then', async () => {
    const store = await used.open();
    const [early, late] = [makeNode('the early text'), makeNode('the late text')];
    await store.append([early.body]);
    await store.append([early.node, late.body, late.node]);
    const hits = async (word: string) => (await store.search({ words: [word] })).items.map(({ id }) => id);
    expect(await hits('early')).toEqual([early.node.id]);
    expect(await hits('late')).toEqual([late.node.id]);
    const { sent, append } = makeAppends();
    await append([late.body, late.node]);
    expect(sent).toEqual([3]);
    await append([early.node, late.body, late.node]);
    expect(sent).toEqual([3, 'select', 5]);
  });
});
