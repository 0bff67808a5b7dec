import { expect, test } from 'vitest';
import { listsOf, threadOf, touchedNode } from './change-feed.ts';

test('every kind of record names the lists it can change', () => {
  expect(listsOf({ kind: 'node', key: 'a' })).toContain('search');
  expect(listsOf({ kind: 'take', key: 'a', of: 'b' })).toContain('usage');
  expect(listsOf({ kind: 'generation', key: 'a' })).toEqual(['generations']);
  expect(listsOf({ kind: 'ref', key: 'bookmark/a/node' })).toEqual(['bookmarks']);
  expect(listsOf({ kind: 'ref', key: 'node/a/removed' })).toContain('topology');
  expect(listsOf({ kind: 'body', key: 'a' })).toEqual([]);
});

test('a register of a thread tells which, however its id is written', () => {
  expect(threadOf({ kind: 'ref', key: 'thread/a%2Fb/head' })).toEqual(['a/b']);
  expect(threadOf({ kind: 'ref', key: 'node/a/rating' })).toEqual([]);
  expect(threadOf({ kind: 'node', key: 'thread/a' })).toEqual([]);
});

test('a take and a register touch the node they are about', () => {
  expect(touchedNode({ kind: 'take', key: 't', of: 'a' })).toEqual(['a']);
  expect(touchedNode({ kind: 'ref', key: 'node/a/rating' })).toEqual(['a']);
  expect(touchedNode({ kind: 'ref', key: 'thread/a/head' })).toEqual([]);
  expect(touchedNode({ kind: 'node', key: 'a' })).toEqual([]);
});
