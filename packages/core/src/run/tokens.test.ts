import { expect, it } from 'vitest';
import type { Usage } from '../dialects/index.ts';
import { assistant } from '../message/index.ts';
import { findReachedLimit } from './loop.ts';
import { clampMaxTokens, estimateUsage, sumUsage, totalTokens } from './result.ts';

const usage = (more: Partial<Usage>): Usage => ({
  ...{ input: 0, cacheRead: 0, cacheWrite5m: 0, cacheWrite1h: 0, output: 0, reasoning: 0, native: '{}' },
  ...more,
});

it('buckets are summed one by one, and what providers said is kept', () => {
  const sum = sumUsage([usage({ input: 1, output: 2, native: '{"a":1}' }), usage({ input: 3, cacheRead: 4 })]);
  expect(sum).toEqual(usage({ input: 4, output: 2, cacheRead: 4, native: '[{"a":1},{}]' }));
  expect(totalTokens(sum)).toBe(10);
  expect(sumUsage([])).toBeUndefined();
});

it('a reply that was cut counts by its length, at least', () => {
  const message = assistant('x'.repeat(40));
  expect(estimateUsage(message, undefined, () => 7)).toEqual(usage({ input: 7, output: 10, native: 'null' }));
  const told = usage({ input: 100, cacheRead: 5, output: 1 });
  expect(estimateUsage(message, told, () => 7)).toEqual({ ...told, output: 10 });
  const more = usage({ input: 100, output: 30, reasoning: 5 });
  expect(estimateUsage(message, more, () => 7)).toEqual(more);
});

it('the most tokens to write: an estimate is made only where it can matter', () => {
  const never = () => {
    throw new Error('not needed');
  };
  expect(clampMaxTokens(undefined, { maxOutputTokens: 5 }, 0, never)).toBeUndefined();
  expect(clampMaxTokens(100, {}, 1e9, never)).toBe(100);
  expect(clampMaxTokens(100, { contextTokens: 1000 }, 900, never)).toBe(100);
  expect(clampMaxTokens(100, { contextTokens: 1000 }, 4000, () => 950)).toBe(50);
  expect(clampMaxTokens(100, { contextTokens: 1000 }, 9000, () => 2000)).toBe(1);
  expect(clampMaxTokens(0, {}, 0, never)).toBe(1);
});

it('the first limit that is reached is named', () => {
  const spent = { steps: 2, usage: usage({ input: 50, output: 50 }), cost: 0.5, ms: 3000 };
  expect(findReachedLimit({}, spent)).toBeUndefined();
  expect(findReachedLimit({}, { ...spent, steps: 10 })).toBe('steps');
  expect(findReachedLimit({ steps: 2 }, spent)).toBe('steps');
  expect(findReachedLimit({ tokens: 100 }, spent)).toBe('tokens');
  expect(findReachedLimit({ cost: 0.5 }, spent)).toBe('cost');
  expect(findReachedLimit({ seconds: 3 }, spent)).toBe('time');
  expect(findReachedLimit({ steps: 3, tokens: 101, cost: 0.6, seconds: 4 }, spent)).toBeUndefined();
});
