import { expect, test } from 'vitest';
import type { Thread } from '../api/types.ts';
import { filterThreads } from './list-address.ts';

const thread = (id: string, facts: Partial<Thread>): Thread => ({
  id,
  start: '',
  head: '',
  title: id,
  tags: [],
  createdAt: 0,
  updatedAt: 0,
  deleted: false,
  recorded: false,
  part: 'main',
  ...facts,
});
const threads = [
  thread('a', { title: 'Part 10', updatedAt: 1, createdAt: 9, rating: -2, tags: ['x'] }),
  thread('b', { title: 'Part 9', updatedAt: 3, createdAt: 1, note: 'about Bees' }),
  thread('c', { title: 'other', updatedAt: 2, createdAt: 5, rating: 4, tags: ['x', 'y'] }),
];
const ids = (wanted: Parameters<typeof filterThreads>[1]) => filterThreads(threads, wanted).map(({ id }) => id);

test('each sorting has its own order, and numbers in titles count as numbers', () => {
  expect(ids({ sort: 'changed' })).toEqual(['b', 'c', 'a']);
  expect(ids({ sort: 'created' })).toEqual(['a', 'c', 'b']);
  expect(ids({ sort: 'title' })).toEqual(['c', 'b', 'a']);
  expect(ids({ sort: 'rating' })).toEqual(['c', 'b', 'a']);
});

test('filters apply together; what has no rating has not the least of them', () => {
  expect(ids({ sort: 'changed', tag: 'x', rating: 0 })).toEqual(['c']);
  expect(ids({ sort: 'changed', rating: -5 })).toEqual(['c', 'a']);
  expect(ids({ sort: 'changed', text: 'BEES part' })).toEqual(['b']);
});
