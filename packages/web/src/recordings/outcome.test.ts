import { expect, test } from 'vitest';
import type { Recording } from '../api/types.ts';
import { describePlacement, elapsedMs, placedNode } from './outcome.tsx';

const recording = (facts: Partial<Recording>): Recording => ({
  id: 'x',
  start: 1000,
  method: 'POST',
  host: 'api.example.com',
  path: '/v1/messages',
  query: '',
  kind: 'generate',
  requestHeaders: {},
  outcome: 'done',
  tags: [],
  writer: 'w',
  ...facts,
});

test('a call that landed is opened at its reply, or at its question where it has none', () => {
  expect(placedNode(recording({ landing: { state: 'landed', node: 'n', parent: 'p' } }))).toBe('n');
  expect(placedNode(recording({ landing: { state: 'landed', parent: 'p' } }))).toBe('p');
  expect(placedNode(recording({ landing: { state: 'nothing', node: 'n' } }))).toBeUndefined();
});

test('why a call has no place is said in its own words', () => {
  expect(describePlacement(recording({ landing: { state: 'nothing', why: 'It was refused.' } }))).toBe(
    'It was refused.',
  );
  expect(describePlacement(recording({ landing: { state: 'landed', way: 'branches' } }))).toBe('It branches off');
  expect(describePlacement(recording({ outcome: 'open' }))).toBe('Running');
});

test('a call that is under way has not lasted any time yet', () => {
  expect(elapsedMs(recording({}))).toBeUndefined();
  expect(elapsedMs(recording({ end: 1250 }))).toBe(250);
});
