import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createRefresher } from './refresher.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] }));
afterEach(() => void vi.useRealTimers());

/** A refresher whose looks end when they are told to; `ends` has one function for each look. */
function createLooks() {
  const ends: ((found: boolean | Error) => void)[] = [];
  const refresher = createRefresher(
    () =>
      new Promise((resolve, reject) => {
        ends.push((found) => (found instanceof Error ? reject(found) : resolve(found)));
      }),
  );
  return { ...refresher, ends };
}

/** Whether a promise is settled after all that can happen now. */
async function isDone(promise: Promise<unknown>): Promise<boolean> {
  let done = false;
  const end = () => {
    done = true;
  };
  promise.then(end, end);
  for (let turn = 0; turn < 20; turn++) await Promise.resolve();
  return done;
}

test('a look that is asked for during another one begins after it, and is the same for all who asked', async () => {
  const { now, ends } = createLooks();
  const first = now();
  const [second, third] = [now(), now()];
  expect([second === third, ends.length]).toEqual([true, 1]);
  ends[0]!(false);
  await first;
  expect(await isDone(second)).toBe(false);
  expect(ends.length).toBe(2);
  const fourth = now();
  expect(fourth).not.toBe(second);
  ends[1]!(false);
  await second;
  expect(await isDone(fourth)).toBe(false);
  expect(ends.length).toBe(3);
  ends[2]!(false);
  await fourth;
});

test('a look that fails fails for whoever asked for it, and the next one is made all the same', async () => {
  const { now, ends } = createLooks();
  const [first, second] = [now(), now()];
  ends[0]!(new Error('broken'));
  await expect(first).rejects.toThrow('broken');
  expect(await isDone(second)).toBe(false);
  ends[1]!(false);
  await second;
});

test('what is older than a tenth of a second is looked at again', async () => {
  const { now, fresh, ends } = createLooks();
  expect(await isDone(fresh())).toBe(true);
  vi.advanceTimersByTime(100);
  expect(await isDone(fresh())).toBe(true);
  expect(ends.length).toBe(0);
  vi.advanceTimersByTime(1);
  const late = fresh();
  expect(ends.length).toBe(1);
  // Whoever asks during a look waits for that one.
  const during = fresh();
  vi.advanceTimersByTime(50);
  expect([await isDone(late), await isDone(during), ends.length]).toEqual([false, false, 1]);
  ends[0]!(false);
  await Promise.all([late, during]);
  // It shows what was there when it began.
  vi.advanceTimersByTime(50);
  expect(await isDone(fresh())).toBe(true);
  vi.advanceTimersByTime(1);
  void fresh();
  expect(ends.length).toBe(2);
  const next = now();
  void fresh();
  ends[1]!(false);
  expect(await isDone(next)).toBe(false);
  ends[2]!(false);
  await next;
});

test('a look that fails leaves what is known as old as it was', async () => {
  const { fresh, ends } = createLooks();
  vi.advanceTimersByTime(101);
  const failed = fresh();
  ends[0]!(new Error('broken'));
  await expect(failed).rejects.toThrow('broken');
  void fresh();
  expect(ends.length).toBe(2);
});

test('while somebody listens, there is a look ten times a second, and what it finds is told', async () => {
  const { watch, ends, tell } = createLooks();
  const told: string[] = [];
  const stopFirst = watch(() => told.push('first'));
  const stopSecond = watch(() => told.push('second'));
  expect(vi.getTimerCount()).toBe(1);
  vi.advanceTimersByTime(99);
  expect(ends.length).toBe(0);
  vi.advanceTimersByTime(1);
  expect(ends.length).toBe(1);
  // A slow one is not overtaken.
  vi.advanceTimersByTime(500);
  expect(ends.length).toBe(1);
  ends[0]!(true);
  await isDone(Promise.resolve());
  expect(told).toEqual(['first', 'second']);
  vi.advanceTimersByTime(100);
  ends[1]!(false);
  await isDone(Promise.resolve());
  expect(told.length).toBe(2);
  vi.advanceTimersByTime(100);
  ends[2]!(new Error('broken'));
  await isDone(Promise.resolve());
  stopFirst();
  expect(vi.getTimerCount()).toBe(1);
  tell();
  expect(told).toEqual(['first', 'second', 'second']);
  stopSecond();
  expect(vi.getTimerCount()).toBe(0);
  watch(() => undefined);
  vi.advanceTimersByTime(100);
  expect(ends.length).toBe(4);
});

test('a listener may stop listening while it is told', () => {
  const { watch, tell } = createLooks();
  const told: string[] = [];
  const stop = watch(() => {
    stop();
    told.push('first');
  });
  watch(() => told.push('second'));
  tell();
  tell();
  expect(told).toEqual(['first', 'second', 'second']);
});

test('stopping waits for the look that is under way, and for the one behind it', async () => {
  const { now, watch, stop, ends } = createLooks();
  await stop();
  watch(() => undefined);
  const first = now();
  const second = now();
  const stopped = stop();
  expect(vi.getTimerCount()).toBe(0);
  ends[0]!(false);
  await first;
  expect(await isDone(stopped)).toBe(false);
  ends[1]!(new Error('broken'));
  await stopped;
  await expect(second).rejects.toThrow('broken');
  const last = now();
  const again = stop();
  expect(await isDone(again)).toBe(false);
  ends[2]!(new Error('broken'));
  await again;
  await expect(last).rejects.toThrow('broken');
});

test('its timer does not keep the process', () => {
  const timer = { unref: vi.fn() };
  vi.spyOn(globalThis, 'setInterval').mockReturnValue(timer as never);
  createLooks().watch(() => undefined);
  expect(timer.unref).toHaveBeenCalledTimes(1);
  vi.restoreAllMocks();
});
