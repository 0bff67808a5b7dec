import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createTraffic, putOff } from './pauses.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const OPTIONS = { pauseMs: 20, latestMs: 500 };

function newWork() {
  const traffic = createTraffic();
  const work = vi.fn();
  const later = putOff(traffic, OPTIONS, work);
  const pass = () => {
    traffic.begin();
    traffic.end();
    later.plan();
  };
  return { traffic, work, later, pass };
}

test('what is left to do for an exchange alone is done at once', () => {
  const { work, pass } = newWork();
  pass();
  expect(work).toHaveBeenCalledTimes(1);
});

test('a client that asks again as soon as it has an answer does not wait for the rest of the last one', async () => {
  const { work, pass } = newWork();
  pass();
  for (let count = 0; count < 20; count++) {
    await vi.advanceTimersByTimeAsync(2);
    pass();
  }
  expect(work).toHaveBeenCalledTimes(1);
  await vi.advanceTimersByTimeAsync(60);
  expect(work).toHaveBeenCalledTimes(2);
});

test('without a pause it is done all the same, at the latest then', async () => {
  const { work, pass } = newWork();
  pass();
  for (let count = 0; count < 400; count++) {
    await vi.advanceTimersByTimeAsync(2);
    pass();
  }
  expect(work.mock.calls.length).toBeGreaterThanOrEqual(2);
  expect(work.mock.calls.length).toBeLessThanOrEqual(3);
});

test('work that was cancelled is not done', async () => {
  const { traffic, work, later } = newWork();
  traffic.begin();
  later.plan();
  expect(later.isPlanned).toBe(true);
  later.cancel();
  await vi.advanceTimersByTimeAsync(1000);
  expect(work).not.toHaveBeenCalled();
});
