import { SkeinError } from '@skein/core';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { LOOK_AGAIN_MS, repeatLater } from './repeat-later.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A run that fails as long as there are failures left, and how often it was called. */
function failing(failures: number, error: Error = new Error('The store is away.')) {
  const run = vi.fn(async () => {
    if (run.mock.calls.length <= failures) throw error;
  });
  return { run, later: repeatLater(run) };
}

test('a run is repeated every thirty seconds, however often it was asked for', async () => {
  const { run, later } = failing(0);
  for (let count = 0; count < 3; count++) later();
  await vi.advanceTimersByTimeAsync(LOOK_AGAIN_MS - 1);
  expect(run).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(1);
  expect(run).toHaveBeenCalledTimes(1);
  later();
  await vi.advanceTimersByTimeAsync(3 * LOOK_AGAIN_MS);
  expect(run).toHaveBeenCalledTimes(4);
});

test('an outage does not end it: that is when processes die', async () => {
  const { run, later } = failing(99);
  later();
  await vi.advanceTimersByTimeAsync(150 * LOOK_AGAIN_MS);
  expect(run).toHaveBeenCalledTimes(150);
});

test('it ends with the store, or if that does not come back, until it is asked for again', async () => {
  class StoreClosed extends SkeinError {
    readonly code = 'store_closed';
  }
  for (const [failures, error, calls] of [
    [1, new StoreClosed('This store was closed.'), 1],
    [100, undefined, 100],
  ] as const) {
    const { run, later } = failing(failures, error);
    later();
    await vi.advanceTimersByTimeAsync(200 * LOOK_AGAIN_MS);
    expect(run).toHaveBeenCalledTimes(calls);
    expect(vi.getTimerCount()).toBe(0);
    later();
    await vi.advanceTimersByTimeAsync(LOOK_AGAIN_MS);
    expect(run).toHaveBeenCalledTimes(calls + 1);
    vi.clearAllTimers();
  }
});
