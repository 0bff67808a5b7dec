import { describe, expect, test } from 'vitest';
import type { Turn } from '../read-exchange.ts';
import { CLOCK_TOLERANCE_MS, findEarlyRequests, noteEarlyRequest } from './known-replies.ts';
import { createRecordedIndex } from './recorded-index.ts';

const system = { dated: '', numbered: '' };
const at = (start: number) => ({ exchange: { id: `x${start}`, start }, hints: {} }) as unknown as Turn;

describe('early requests with the same words', () => {
  test('all of the last seconds are found, in the order in which they came', () => {
    const index = createRecordedIndex();
    for (let start = 0; start < 20_000; start += 10) noteEarlyRequest(index, at(start), ['words'], { system });
    const found = findEarlyRequests(index, ['words'], at(20_000).exchange, () => true);
    const first = (20_000 - CLOCK_TOLERANCE_MS) / 10;
    expect(found).toEqual(Array.from({ length: 2000 - first }, (_, count) => `x${(first + count) * 10}`));
  });

  test('those of long ago are dropped, also where a program repeats the same words for hours', () => {
    const index = createRecordedIndex();
    for (let start = 0; start < 1_000_000; start += 100) noteEarlyRequest(index, at(start), ['words'], { system });
    expect(index.early.get('words')!.length).toBeLessThanOrEqual((4 * CLOCK_TOLERANCE_MS) / 100 + 2);
  });

  test('noting one leaves the list before as it was, so that it can be undone', () => {
    const index = createRecordedIndex();
    for (let start = 0; start < 5; start++) noteEarlyRequest(index, at(start), ['words'], { system });
    const step = index.step();
    for (let start = 5; start < 500; start++) noteEarlyRequest(index, at(start), ['words'], { system });
    step.undo();
    expect(findEarlyRequests(index, ['words'], at(5).exchange, () => true)).toEqual(['x0', 'x1', 'x2', 'x3', 'x4']);
  });
});
