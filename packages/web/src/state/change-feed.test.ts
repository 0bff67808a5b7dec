import { expect, test } from 'vitest';
import { changedNodes, changedThreads, listsToRefresh } from './change-feed.ts';

test('every kind of record names the lists it can change', () => {
  expect(listsToRefresh({ kind: 'node', key: 'a' })).toContain('search');
  expect(listsToRefresh({ kind: 'take', key: 'a', of: 'b' })).toContain('usage');
  expect(listsToRefresh({ kind: 'generation', key: 'a' })).toEqual(['generations']);
  expect(listsToRefresh({ kind: 'ref', key: 'bookmark/a/node' })).toEqual(['bookmarks']);
  expect(listsToRefresh({ kind: 'ref', key: 'node/a/removed' })).toContain('topology');
  expect(listsToRefresh({ kind: 'body', key: 'a' })).toEqual([]);
});

test('a register of a thread tells which, however its id is written', () => {
  expect(changedThreads({ kind: 'ref', key: 'thread/a%2Fb/head' })).toEqual(['a/b']);
  expect(changedThreads({ kind: 'ref', key: 'node/a/rating' })).toEqual([]);
  expect(changedThreads({ kind: 'node', key: 'thread/a' })).toEqual([]);
});

test('a take and a register touch the node they are about', () => {
  expect(changedNodes({ kind: 'take', key: 't', of: 'a' })).toEqual(['a']);
  expect(changedNodes({ kind: 'ref', key: 'node/a/rating' })).toEqual(['a']);
  expect(changedNodes({ kind: 'ref', key: 'thread/a/head' })).toEqual([]);
  expect(changedNodes({ kind: 'node', key: 'a' })).toEqual([]);
});
