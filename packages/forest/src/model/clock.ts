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
  /** The moment to write into a node below `parent`, where its message is of the moment `at`. */
  readonly siblingTime: SiblingTime;
}

/** Children are listed by their moments: of those that say the same one, each gets a thousandth of a millisecond more than the one before. */
export type SiblingTime = (parent: string, at: number) => number;

/** `writer` tells equal moments apart; `now` is the machine's clock. */
export function createClock(writer: string, now: () => number = Date.now): Clock {
  let last = 0;
  let count = 0;
  return {
    now,
    siblingTime: createSiblingTime(),
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

/** Moments that are remembered: siblings of one moment are written close to each other. */
const REMEMBERED = 10_000;

export function createSiblingTime(): SiblingTime {
  const counts = new Map<string, number>();
  return (parent, at) => {
    const key = `${at} ${parent}`;
    const count = counts.get(key) ?? 0;
    counts.delete(key);
    counts.set(key, count + 1);
    if (counts.size > REMEMBERED) counts.delete(counts.keys().next().value!);
    return at + count / 1000;
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
