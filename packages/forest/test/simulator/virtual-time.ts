/** Time, timers and random numbers of a simulated run: all of them follow from one seed. */
import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import timersPromises from 'node:timers/promises';

interface Timer {
  readonly at: number;
  readonly number: number;
  readonly run: () => void;
  readonly everyMs?: number;
}

/** A run in which nothing waits for real time. */
export interface VirtualTime {
  /** Milliseconds since the run began. */
  elapsedMs(): number;
  /** The next random number from 0 up to 1. */
  random(): number;
  /** A random whole number from 0 up to, but not including, `end`. */
  below(end: number): number;
  /** The longest time that one turn of the event loop, and so one call of the disk, takes from now on. */
  setTurnMs(ms: number): void;
  /** Runs everything that is due until the task is done. Throws when nothing is left that could finish it. */
  finish<T>(task: Promise<T>): Promise<T>;
  sleep(ms: number): Promise<void>;
  /** Lets time pass in which no process runs, as on a machine that sleeps: what is due runs once, afterwards. */
  suspend(ms: number): void;
  /** Gives the platform its own clock and timers back. */
  restore(): void;
}

/** The longest time that one turn of the event loop takes where nothing is slow. */
export const USUAL_TURN_MS = 0.5;

/** The time at which each run begins. */
const START = Date.parse('2026-01-01T00:00:00Z');

/** Replaces clock, timers and random numbers of the platform until `restore` is called. */
export function startVirtualTime(seed: number): VirtualTime {
  const random = createRandom(seed);
  let now = START;
  let turnMs = USUAL_TURN_MS;
  let made = 0;
  const timers = new Map<number, Timer>();
  const real = {
    Date: globalThis.Date,
    setTimeout: globalThis.setTimeout,
    clearTimeout: globalThis.clearTimeout,
    setInterval: globalThis.setInterval,
    clearInterval: globalThis.clearInterval,
    setImmediate: globalThis.setImmediate,
    clearImmediate: globalThis.clearImmediate,
    WeakRef: globalThis.WeakRef,
  };
  const realRandom = {
    randomBytes: crypto.randomBytes,
    randomUUID: crypto.randomUUID,
    sleep: timersPromises.setTimeout,
  };
  const dateNow = Date.now;
  const mathRandom = Math.random;

  const add = (run: () => void, ms: number, everyMs?: number) => {
    made += 1;
    const number = made;
    timers.set(number, { at: now + Math.max(0, ms), number, run, ...(everyMs !== undefined && { everyMs }) });
    const handle = {
      ref: () => handle,
      unref: () => handle,
      hasRef: () => true,
      refresh: () => handle,
      [Symbol.toPrimitive]: () => number,
    };
    return handle;
  };
  const remove = (handle: unknown) => {
    if (handle !== undefined && handle !== null) timers.delete(Number(handle));
  };
  const sleep = (ms: number) => new Promise<void>((done) => void add(done, ms));

  // biome-ignore lint/suspicious/noExplicitAny: handles of timers are numbers for us, and objects for the platform
  const platform = globalThis as any;
  platform.setTimeout = (run: (...given: unknown[]) => void, ms = 0, ...given: unknown[]) =>
    add(() => run(...given), ms);
  platform.setInterval = (run: (...given: unknown[]) => void, ms = 1, ...given: unknown[]) =>
    add(() => run(...given), ms, Math.max(1, ms));
  platform.setImmediate = (run: (...given: unknown[]) => void, ...given: unknown[]) =>
    add(() => run(...given), random() * turnMs);
  platform.clearTimeout = remove;
  platform.clearInterval = remove;
  platform.clearImmediate = remove;
  // When memory is freed does not follow from the seed.
  platform.WeakRef = StrongRef;
  Date.now = () => Math.floor(now);
  Math.random = random;
  performance.now = () => now - START;
  const bytes = (size: number) => Buffer.from(Array.from({ length: size }, () => Math.floor(random() * 256)));
  const builtin = crypto as { randomBytes: unknown; randomUUID: unknown };
  builtin.randomBytes = bytes;
  builtin.randomUUID = () =>
    bytes(16)
      .toString('hex')
      .replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
  (timersPromises as { setTimeout: unknown }).setTimeout = sleep;
  syncBuiltinESMExports();

  /** Lets everything go on that waits for nothing, or for a module that is loaded on first use. */
  const settle = async () => {
    do await new Promise((done) => real.setImmediate(done));
    while (process.getActiveResourcesInfo().some((name) => /^FSReq|CloseReq/.test(name)));
  };
  const runNext = (): boolean => {
    let next: Timer | undefined;
    for (const timer of timers.values())
      if (!next || timer.at < next.at || (timer.at === next.at && timer.number < next.number)) next = timer;
    if (!next) return false;
    now = Math.max(now, next.at);
    if (next.everyMs === undefined) timers.delete(next.number);
    else timers.set(next.number, { ...next, at: now + next.everyMs });
    next.run();
    return true;
  };

  return {
    elapsedMs: () => now - START,
    random,
    below: (end) => Math.floor(random() * end),
    setTurnMs(ms) {
      turnMs = ms;
    },
    async finish(task) {
      let isDone = false;
      const done = task.finally(() => {
        isDone = true;
      });
      done.catch(() => undefined);
      const limit = now + LONGEST_MS;
      for (;;) {
        await settle();
        if (isDone) return done;
        if (now > limit || !runNext()) throw new Error('A step of the simulation never ends.');
      }
    },
    sleep,
    suspend(ms) {
      now += ms;
    },
    restore() {
      Object.assign(globalThis, real);
      Date.now = dateNow;
      Math.random = mathRandom;
      // Its own property hid the one of the platform.
      delete (performance as { now?: unknown }).now;
      Object.assign(crypto, { randomBytes: realRandom.randomBytes, randomUUID: realRandom.randomUUID });
      (timersPromises as { setTimeout: unknown }).setTimeout = realRandom.sleep;
      syncBuiltinESMExports();
    },
  };
}

class StrongRef {
  readonly deref: () => unknown;
  constructor(target: unknown) {
    this.deref = () => target;
  }
}

/** A step that takes longer than a simulated day hangs. */
const LONGEST_MS = 24 * 3_600_000;

/** Mulberry32: small, and the same on every machine. */
function createRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
