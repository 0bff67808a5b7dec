import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createChangeLog, nextChange } from './changes.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
afterEach(() => void vi.useRealTimers());

const change = (key: number) => ({ kind: 'node', key: String(key) }) as const;

test('changes since a cursor are those that were added after it', () => {
  const log = createChangeLog();
  const start = log.since(undefined);
  expect(start).toEqual({ items: [], next: expect.stringMatching(/^[0-9a-f]{8}\.0$/), reset: false });
  for (let key = 1; key <= 12; key++) log.add(change(key));
  const all = log.since(start.next);
  expect(all.items).toEqual(Array.from({ length: 12 }, (_, at) => change(at + 1)));
  expect(log.since(all.next)).toEqual({ items: [], next: all.next, reset: false });
  expect(log.since(undefined)).toEqual({ items: [], next: all.next, reset: false });
  log.add(change(13));
  expect(log.since(all.next).items).toEqual([change(13)]);
});

test('a log keeps at least the last changes, and says when those that are asked for are gone', () => {
  const log = createChangeLog(3);
  const cursors = [log.since(undefined).next];
  for (let key = 1; key <= 7; key++) {
    log.add(change(key));
    cursors.push(log.since(undefined).next);
  }
  // With the seventh change, all but the three before it are dropped.
  expect(log.since(cursors[2]).reset).toBe(true);
  expect(log.since(cursors[3])).toMatchObject({ items: [4, 5, 6, 7].map(change), reset: false });
  expect(log.since(cursors[7])).toMatchObject({ items: [], reset: false });
  const full = createChangeLog(3);
  const first = full.since(undefined).next;
  for (let key = 1; key <= 6; key++) full.add(change(key));
  expect(full.since(first).items.length).toBe(6);
});

test('a cursor of another log, or none at all, gets a reset', () => {
  const log = createChangeLog();
  log.add(change(1));
  const { next } = log.since(undefined);
  const [name] = next.split('.');
  for (const after of [`${name}.2`, `${name}.-1`, `${name}.x`, `${name}`, `x.${next}`, `${next}x`, 'other.0', ''])
    expect(log.since(after), after).toEqual({ items: [], next, reset: true });
});

/** What can be listened to, and who listens. */
function createWatched() {
  const listeners = new Set<() => void>();
  return {
    listeners,
    watch(listener: () => void) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}

/** Whether a promise is resolved already. */
async function isDone(promise: Promise<void>): Promise<boolean> {
  return Promise.race([promise.then(() => true), Promise.resolve().then(() => Promise.resolve(false))]);
}

test('whoever waits for a change is called, or looks again after a while, or stops', async () => {
  for (const way of ['change', 'time', 'abort']) {
    const watched = createWatched();
    const stop = new AbortController();
    const removed = vi.spyOn(stop.signal, 'removeEventListener');
    const { promise, cancel } = nextChange(watched, 500, way === 'time' ? undefined : stop.signal);
    vi.advanceTimersByTime(499);
    expect(await isDone(promise), way).toBe(false);
    if (way === 'change') for (const listener of watched.listeners) listener();
    if (way === 'time') vi.advanceTimersByTime(1);
    if (way === 'abort') stop.abort();
    await promise;
    cancel();
    expect(watched.listeners.size).toBe(0);
    expect(vi.getTimerCount()).toBe(0);
    expect(removed.mock.calls).toEqual(way === 'time' ? [] : [['abort', expect.any(Function)]]);
  }
});
