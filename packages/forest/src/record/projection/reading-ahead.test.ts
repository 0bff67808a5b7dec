import { expect, test } from 'vitest';
import { recordsOf } from '../../../test/record-exchanges.ts';
import { createForest } from '../../forest/index.ts';
import type { EntryRecord } from '../../model/records.ts';
import { memoryStore } from '../../store/index.ts';
import { createReadingAhead } from './reading-ahead.ts';
import { createRecordedIndex } from './recorded-index.ts';

const KB = 1024;

/** Reads exchanges with requests of a size, one by one, and returns how many of them were read together each time. */
async function readAll(count: number, requestBytes: number) {
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
  const index = createRecordedIndex();
  const ahead = createReadingAhead(createForest({ ...inner, entries }), () => index);
  const read: string[] = [];
  for (; queue.length > 0; queue.pop()) {
    const content = await ahead.readLast(queue);
    expect(content?.kind).toBe('turn');
    read.push(content!.exchange.id);
  }
  expect(read).toEqual(read.toSorted());
  return together;
}

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
