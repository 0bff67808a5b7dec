import { expect, test } from 'vitest';
import { insertThread } from './queries.ts';
import type { Thread } from './types.ts';

const thread = (id: string, updatedAt: number, facts: Partial<Thread> = {}): Thread => ({
  id,
  updatedAt,
  start: '',
  head: '',
  title: '',
  tags: [],
  createdAt: 0,
  deleted: false,
  recorded: false,
  part: 'main',
  ...facts,
});
const list = [thread('a', 30), thread('b', 20), thread('c', 10)];
const ids = (of: readonly Thread[]) => of.map(({ id }) => id).join('');

test('a thread that changed moves to its place, and a new one comes in', () => {
  expect(ids(insertThread(list, thread('c', 40), {}))).toBe('cab');
  expect(ids(insertThread(list, thread('a', 5), {}))).toBe('bca');
  expect(ids(insertThread(list, thread('d', 20), {}))).toBe('adbc');
});

test('it goes from lists that it does not belong to any more', () => {
  expect(ids(insertThread(list, thread('b', 50, { deleted: true }), {}))).toBe('ac');
  expect(ids(insertThread([], thread('b', 50, { deleted: true }), { deleted: true }))).toBe('b');
  expect(ids(insertThread(list, thread('b', 50), { tag: 'x' }))).toBe('ac');
});
