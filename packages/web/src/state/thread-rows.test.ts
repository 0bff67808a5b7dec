import { expect, test } from 'vitest';
import type { Thread } from '../api/types.ts';
import { foldThreads, type ListRow } from './thread-rows.ts';

const thread = (id: string, group?: string, part: Thread['part'] = 'main', createdAt = 0) =>
  ({ id, part, createdAt, ...(group && { group }) }) as Thread;
const all = () => true;
const none = () => false;
const shown = (rows: readonly ListRow[]) =>
  rows.map(
    (row) => `${'-'.repeat(row.depth)}${row.kind === 'group' ? `[${row.what} ${row.members.length}]` : row.thread.id}`,
  );

test('equal openings are one row, where the last changed of them is, and a lone one is itself', () => {
  const threads = [thread('a', 'opening:1'), thread('b', 'opening:2'), thread('c', 'opening:1'), thread('d')];
  expect(shown(foldThreads(threads, none))).toEqual(['[opening 2]', 'b', 'd']);
  expect(shown(foldThreads(threads, all))).toEqual(['[opening 2]', '-a', '-c', 'b', 'd']);
});

test('a session is named after the conversation that it began with', () => {
  const threads = [thread('later', 'session:1', 'main', 2), thread('first', 'session:1', 'main', 1)];
  expect(foldThreads(threads, none)).toMatchObject([{ thread: { id: 'first' } }]);
});

test('a session is named after its main conversation and folds its side calls once more', () => {
  const threads = [
    thread('title', 'session:1', 'side'),
    thread('search', 'session:1', 'subagent'),
    thread('main', 'session:1'),
  ];
  const [row] = foldThreads(threads, none);
  expect(row).toMatchObject({ kind: 'group', what: 'session', thread: { id: 'main' } });
  expect(shown(foldThreads(threads, (group) => group === 'session:1'))).toEqual([
    '[session 3]',
    '-search',
    '-main',
    '-[side 1]',
  ]);
  expect(shown(foldThreads(threads, all)).at(-1)).toBe('--title');
});

test('side calls of no session, or of one that has nothing else, are folded away at the end', () => {
  const threads = [thread('s', 'side', 'side'), thread('t', 'session:9', 'side'), thread('a', 'opening:1')];
  expect(shown(foldThreads(threads, none))).toEqual(['a', '[side 2]']);
});
