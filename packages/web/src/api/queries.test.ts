import { expect, test } from 'vitest';
import { withThread } from './queries.ts';
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
  expect(ids(withThread(list, thread('c', 40), {}))).toBe('cab');
  expect(ids(withThread(list, thread('a', 5), {}))).toBe('bca');
  expect(ids(withThread(list, thread('d', 20), {}))).toBe('adbc');
});

test('it goes from lists that it does not belong to any more', () => {
  expect(ids(withThread(list, thread('b', 50, { deleted: true }), {}))).toBe('ac');
  expect(ids(withThread([], thread('b', 50, { deleted: true }), { deleted: true }))).toBe('b');
  expect(ids(withThread(list, thread('b', 50), { tag: 'x' }))).toBe('ac');
});
