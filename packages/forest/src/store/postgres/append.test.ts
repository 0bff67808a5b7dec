import { expect, test } from 'vitest';
import { makeBody, makeRef } from '../../testing/store-samples.ts';
import { append } from './append.ts';
import { makeDatabase } from './test-database.ts';

const MOST_RECORDS = 5000;
const LARGEST = 16 * 2 ** 20;
const LANE = { lane: 1, owner: 'me' };

/** A database that gives these answers, and each append in it: how many records each of its statements has, and where a transaction begins and ends. */
function makeAppends(answers: readonly { held?: number; written?: number; code?: string }[] = []) {
  const sent: (string | number)[] = [];
  const left = [...answers];
  const db = makeDatabase(async ({ text, values }) => {
    if (!text.startsWith('with drawn')) {
      sent.push(text);
      return { rows: [] };
    }
    const [, , , ...columns] = values;
    // Every table has a column for the project.
    const counts = columns.flatMap((column) => (Array.isArray(column) && column[0] === 'p' ? [column.length] : []));
    const ones = columns.filter((column) => column === 'p').length;
    sent.push(counts.reduce((sum, count) => sum + count, ones));
    const { held = 1, written = 1, code } = left.shift() ?? {};
    if (code !== undefined) throw Object.assign(new Error('refused'), { code });
    return { rows: [{ held: String(held), written: String(written) }] };
  });
  return { sent, append: (records: Parameters<typeof append>[3]) => append(db, 'p', LANE, records) };
}

const refs = (count: number) => Array.from({ length: count }, (_, at) => makeRef(`k${at}`, 'name', at, '1'));
const text = (length: number, of = 'x') => makeBody(of.repeat(length));

test('a batch of many records, or of long texts, is several statements of one transaction', async () => {
  const { sent, append } = makeAppends();
  const sentFor = async (records: Parameters<typeof append>[0]) => {
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
