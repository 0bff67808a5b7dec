import { expect, test } from 'vitest';
import type { Outcome } from './exchange.ts';
import { finalOutcome, type Placement, placedNodes, readPlacement } from './placement.ts';

test.each<[Outcome, string | undefined, Outcome]>([
  ['done', undefined, 'done'],
  ['cut', undefined, 'cut'],
  ['done', 'end', 'done'],
  ['cut', 'end', 'done'],
  ['done', 'cut', 'cut'],
  ['cut', 'cut', 'cut'],
  ['done', 'error', 'failed'],
  ['cut', 'error', 'failed'],
  ['refused', 'end', 'refused'],
  ['failed', 'end', 'failed'],
  ['open', 'error', 'open'],
])('an exchange that was %s, with a response that ends with %s, is %s', (outcome, reason, is) => {
  const placement = { state: 'landed', ...(reason && { stop: { reason } }) } as Placement;
  expect(finalOutcome({ outcome }, placement)).toBe(is);
  if (reason === undefined) expect(finalOutcome({ outcome }, undefined)).toBe(is);
});

test('the nodes of an exchange are those of its history, its reply, and the alternatives', () => {
  expect(placedNodes({ state: 'landed', added: ['a', 'b'], node: 'c', alternatives: ['d'] })).toEqual([
    'a',
    'b',
    'c',
    'd',
  ]);
  expect(placedNodes({ state: 'nothing' })).toEqual([]);
});

test.each(['landed', 'waiting', 'nothing'])('a stored placement is read: %s', (state) => {
  const placement = { state, more: 1 };
  expect(readPlacement(placement)).toBe(placement);
});

test.each([[{ state: 'unheard of' }], [{}], [null], [undefined], ['landed']])(
  'a stored placement of a kind that is not known is left alone: %j',
  (value) => {
    expect(readPlacement(value)).toBeUndefined();
  },
);
