import { expect, test } from 'vitest';
import { createRecordIndex, LONGEST_PREFIX, type RecordItem } from './record-index.ts';

const itemOf = (id: string): RecordItem => ({ id, rank: 0, key: `body/${id}` });
/** Ids that begin alike, as among millions. */
const ids = (count: number) =>
  Array.from({ length: count }, (_, at) => `abcd${(at * 7919).toString(16).padStart(8, '0')}`.padEnd(32, '5'));

test('a leaf with many records is split further, down to the one that differs', () => {
  const [one, two] = [createRecordIndex(), createRecordIndex()];
  const all = ids(5000);
  for (const id of all) one.put(itemOf(id));
  for (const id of all.slice(1)) two.put(itemOf(id));
  let prefix = '';
  let compared = 0;
  while (one.items(prefix).length > 1 && prefix.length < LONGEST_PREFIX) {
    const [mine, theirs] = [one.summaries(prefix), two.summaries(prefix)];
    compared += mine.length;
    const different = mine.flatMap(({ count, sum }, digit) =>
      count === theirs[digit]!.count && sum === theirs[digit]!.sum ? [] : [digit.toString(16)],
    );
    expect(different.length).toBe(1);
    prefix += different[0];
  }
  expect(one.items(prefix).map(({ id }) => id)).toEqual([all[0]]);
  expect(compared).toBeLessThan(200);
});

test('the summaries of sixteen longer prefixes add up to the one above them, kept or computed', () => {
  const index = createRecordIndex();
  for (const id of ids(500)) index.put(itemOf(id));
  for (const prefix of ['', 'a', 'ab', 'abc', 'abcd', 'abcd0', 'abcd00']) {
    const total = index.summaries(prefix).reduce((sum, { count }) => sum + count, 0);
    expect(total).toBe(index.items(prefix).length);
  }
});
