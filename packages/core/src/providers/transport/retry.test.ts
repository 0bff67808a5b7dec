import { expect, it } from 'vitest';
import { DEFAULT_RETRY, retryWait } from './retry.ts';
import { retryAfter } from './retry-after.ts';

const again = { retryable: true };

it('waits for a random part of a time that doubles, up to a limit', () => {
  const options = { ...DEFAULT_RETRY, maxRetries: 9 };
  const longest = [1, 2, 3, 4, 5, 6, 7].map((attempts) => retryWait(attempts, again, options, () => 1));
  expect(longest).toEqual([1000, 2000, 4000, 8000, 16_000, 30_000, 30_000]);
  expect(retryWait(3, again, options, () => 0)).toBe(0);
});

it('gives up after so many times, and on what will not change', () => {
  expect(retryWait(2, again, DEFAULT_RETRY, Math.random)).toBeDefined();
  expect(retryWait(3, again, DEFAULT_RETRY, Math.random)).toBeUndefined();
  expect(retryWait(1, { retryable: false, retryAfterMs: 1 }, DEFAULT_RETRY, Math.random)).toBeUndefined();
});

it.each([
  [{ 'retry-after-ms': '1500', 'retry-after': '9' }, 1500],
  [{ 'retry-after': '0.5' }, 500],
  [{ 'retry-after': 'Thu, 01 Jan 1970 00:00:10 GMT' }, 7000],
  [{ 'retry-after': 'Thu, 01 Jan 1970 00:00:01 GMT' }, 0],
  [{ 'retry-after': 'soon' }, undefined],
  [{ 'retry-after': '-5' }, undefined],
  [{}, undefined],
])('%j asks for %s ms', (headers, expected) => {
  expect(retryAfter(new Headers(headers as Record<string, string>), 3000)).toBe(expected);
});
