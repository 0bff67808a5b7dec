import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { holdLease, type LeaseTable } from './lease.ts';

const TIMES = { beatMs: 100, leaseMs: 1000 };

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance', 'setInterval', 'clearInterval'] });
  vi.advanceTimersByTime(60_000);
});
afterEach(() => {
  vi.useRealTimers();
});

/** Heartbeats by the clock of the test; `seconds` is what was asked for last. */
function makeTable() {
  const state = { beats: 0, seconds: 0, removed: '', fails: false, waits: undefined as Promise<void> | undefined };
  const table: LeaseTable = {
    async beat() {
      state.beats += 1;
      await state.waits;
      if (state.fails) throw new Error('away');
    },
    async hasBeat(_, seconds) {
      state.seconds = seconds;
      return true;
    },
    async remove(writer) {
      state.removed = writer;
    },
  };
  return { state, table };
}

const pass = async (ms: number) => {
  await vi.advanceTimersByTimeAsync(ms);
};

test('a writer beats at once, every few seconds, and no more when it has ended', async () => {
  const { state, table } = makeTable();
  const lease = await holdLease(table, 'one', TIMES);
  expect(state.beats).toBe(1);
  await pass(350);
  expect(state.beats).toBe(4);
  expect(await lease.isAlive('one')).toBe(true);
  await lease.end();
  await pass(350);
  expect([state.beats, state.removed, await lease.isAlive('one')]).toEqual([4, 'one', false]);
});

test('the usual times are five and thirty seconds', async () => {
  const { state, table } = makeTable();
  const lease = await holdLease(table, 'one');
  await pass(10_000);
  expect(state.beats).toBe(3);
  await lease.isAlive('other');
  expect(state.seconds).toBe(30);
  await lease.end();
});

test('a heartbeat that waits is not followed by others, and is waited for at the end', async () => {
  const { state, table } = makeTable();
  const lease = await holdLease(table, 'one', TIMES);
  let release: (() => void) | undefined;
  state.waits = new Promise((resolve) => {
    release = resolve;
  });
  await pass(500);
  expect(state.beats).toBe(2);
  const end = lease.end();
  await pass(10);
  expect(state.removed).toBe('');
  release?.();
  await end;
  expect(state.removed).toBe('one');
});

test('a heartbeat that fails ends nothing, and the next one makes up for it', async () => {
  const { state, table } = makeTable();
  const lease = await holdLease(table, 'one', TIMES);
  state.fails = true;
  await pass(250);
  expect(state.beats).toBe(3);
  state.fails = false;
  await pass(50);
  await lease.isAlive('other');
  // Two were missing, which is an outage.
  expect([state.beats, state.seconds]).toEqual([4, 1.3]);
  await lease.end();
});

test('a heartbeat that comes in the place of one that failed is late, and no outage', async () => {
  const { state, table } = makeTable();
  const lease = await holdLease(table, 'one', TIMES);
  state.fails = true;
  await pass(150);
  state.fails = false;
  await pass(50);
  await lease.isAlive('other');
  expect([state.beats, state.seconds]).toEqual([3, 1]);
  await lease.end();
});

test('while nobody can renew a lease, and as long as one afterwards, that time counts against nobody', async () => {
  const { state, table } = makeTable();
  const lease = await holdLease(table, 'one', TIMES);
  const seconds = async () => {
    await lease.isAlive('other');
    return state.seconds;
  };
  expect(await seconds()).toBe(1);
  state.fails = true;
  await pass(200);
  expect(await seconds()).toBe(1);
  await pass(50);
  expect(await seconds()).toBe(1.25);
  await pass(1750);
  expect(await seconds()).toBe(3);
  state.fails = false;
  await pass(100);
  expect(await seconds()).toBe(3.1);
  await pass(999);
  expect(await seconds()).toBe(3.1);
  await pass(1);
  expect(await seconds()).toBe(1);
  await lease.end();
});
