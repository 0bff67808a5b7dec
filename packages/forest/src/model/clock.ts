/**
 * A hybrid logical clock: texts that sort by time, never go back even when the machine's clock does, and differ
 * between writers.
 */
export interface Clock {
  /** Milliseconds, for people. */
  now(): number;
  /** A stamp later than every one made or seen before. */
  tick(): string;
  /** Takes note of a stamp from elsewhere, so that the next one is later. */
  see(stamp: string): void;
}

/** `writer` tells equal moments apart; `now` is the machine's clock. */
export function createClock(writer: string, now: () => number = Date.now): Clock {
  let last = 0;
  let count = 0;
  return {
    now,
    tick() {
      const time = Math.floor(now());
      if (time > last) {
        last = time;
        count = 0;
      } else count += 1;
      return `${digits(last, 9)}.${digits(count, 4)}.${writer}`;
    },
    see(stamp) {
      const seen = readStamp(stamp);
      if (!seen || seen.time < last || (seen.time === last && seen.count <= count)) return;
      // A stamp from the far future must not take ours along: it is a broken clock, not a later moment.
      if (seen.time > now() + MAX_AHEAD_MS) return;
      last = seen.time;
      count = seen.count;
    },
  };
}

const MAX_AHEAD_MS = 24 * 60 * 60 * 1000;

function digits(number: number, length: number): string {
  return number.toString(36).padStart(length, '0');
}

function readStamp(stamp: string): { time: number; count: number } | undefined {
  const [, time, count] = /^([0-9a-z]{9})\.([0-9a-z]{4,})\./.exec(stamp) ?? [];
  return time && count ? { time: Number.parseInt(time, 36), count: Number.parseInt(count, 36) } : undefined;
}
