import { describe, expect, test } from 'vitest';
import { recordsOf } from '../../../test/record-exchanges.ts';
import { createForest } from '../../forest/index.ts';
import type { EntryRecord } from '../../model/records.ts';
import { memoryStore } from '../../store/index.ts';
import { OlderFacts } from './fact-map.ts';
import { createReadingAhead } from './reading-ahead.ts';
import { createRecordedIndex } from './recorded-index.ts';

const KB = 1024;

/** A store with exchanges that have requests of a size, and how many of them were read together each time. */
async function openReading(count: number, requestBytes: number, index = createRecordedIndex()) {
  const inner = memoryStore();
  const queue: { id: string; entry: EntryRecord }[] = [];
  for (let at = 0; at < count; at++) {
    const id = `x${String(at).padStart(3, '0')}`;
    const request = JSON.stringify({ messages: [{ role: 'user', content: 'x'.repeat(requestBytes) }] });
    const response = JSON.stringify({ choices: [{ message: { role: 'assistant', content: `Answer ${at}` } }] });
    const records = recordsOf({ id, start: at + 1, dialect: 'openai-chat', request, response });
    await inner.append(records);
    const record = records.at(-1)!;
    queue.unshift({ id, entry: { ...record, data: { ...record.data, requestBytes, responseBytes: response.length } } });
  }
  const together: number[] = [];
  const entries: typeof inner.entries = (kind, query) => {
    if (Array.isArray(query?.of) && query.after === undefined) together.push(query.of.length);
    return inner.entries(kind, query);
  };
  const ahead = createReadingAhead(createForest({ ...inner, entries }), () => index);
  /** Reads those from one to another, one by one, and returns how many were read together since the last time. */
  const read = async (from = 0, to = count) => {
    together.length = 0;
    const left = queue.slice(count - to, count - from);
    const ids: string[] = [];
    for (; left.length > 0; left.pop()) {
      const content = await ahead.readLast(left);
      expect(content?.kind).toBe('turn');
      ids.push(content!.exchange.id);
    }
    expect(ids).toHaveLength(to - from);
    expect(ids).toEqual(ids.toSorted());
    return [...together];
  };
  return { read, ahead, queue };
}

const readAll = async (count: number, requestBytes: number) => (await openReading(count, requestBytes)).read();

test('small exchanges are read together, none of them twice', async () => {
  const together = await readAll(100, KB);
  expect(Math.max(...together)).toBe(32);
  expect(together.reduce((sum, one) => sum + one, 0)).toBe(100);
});

test('exchanges of a megabyte are not read 32 at a time: together they have at most 8 MB', async () => {
  const together = await readAll(20, KB * KB);
  expect(Math.max(...together)).toBe(7);
  expect(together.reduce((sum, one) => sum + one, 0)).toBe(20);
});

test('an exchange that has more bytes than may be read ahead is read alone', async () => {
  expect(await readAll(3, 9 * KB * KB)).toEqual([1, 1, 1]);
});

test('they are read when half of those that may be in memory are missing', async () => {
  expect(await readAll(100, KB)).toEqual([32, 16, 16, 16, 16, 4]);
  expect(await readAll(33, KB)).toEqual([32, 1]);
});

test('the last ones that were read are not read again', async () => {
  const { read } = await openReading(200, KB);
  await read();
  expect(await read(150)).toEqual([]);
  expect(await read(0, 32)).toEqual([32]);
  expect(await read(120, 136)).toEqual([16]);
});

test('one that comes next is not forgotten, although no other was read longer ago', async () => {
  const { read, ahead, queue } = await openReading(200, KB);
  await read();
  // Of the last 72 that are in memory 64 may stay, while 20 others are read.
  const oldest = queue.find(({ id }) => id === 'x128')!;
  const content = await ahead.readLast([...queue.slice(-20), oldest]);
  expect(content?.exchange.id).toBe('x128');
  expect(await read(137)).toEqual([]);
});

test('of large ones fewer are kept', async () => {
  const { read } = await openReading(40, KB * KB);
  await read();
  expect(await read(33)).toEqual([]);
  expect((await read(10, 20)).reduce((sum, one) => sum + one, 0)).toBe(10);
});

describe('facts that exchanges ask for', () => {
  const stored = () => {
    const older = new OlderFacts();
    older.isEmpty = false;
    const reads: number[] = [];
    const index = createRecordedIndex(older, async (keys) => {
      reads.push(keys.length);
      return keys.map(() => undefined);
    });
    index.step();
    return { index, reads };
  };

  test.each([
    [3, 0],
    [4, 1],
    [20, 1],
  ])('are read in one go for at least four exchanges: %i', async (count, times) => {
    const { index, reads } = stored();
    const { ahead, queue } = await openReading(count, KB, index);
    await ahead.readLast(queue);
    expect(reads).toHaveLength(times);
    expect(reads[0] ?? 0).toBeGreaterThanOrEqual(times * count);
    queue.pop();
    await ahead.readLast(queue);
    expect(reads).toHaveLength(times);
    expect([...index.placements.values()]).toEqual([]);
  });
});
