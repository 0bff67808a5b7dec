/**
 * A hybrid logical clock: texts that sort by time, never go back even when the machine's clock does, and differ
 * between writers.
 */
export interface Clock {
  /** Milliseconds, for people. */
  now(): number;
  /** A stamp later than every one made or seen before. */
  tick(): string;
  /**
   * Takes note of a stamp from elsewhere, so that the next one is later. False when it will not be: the stamp is too far
   * ahead to be followed, or is none of a clock like this.
   */
  see(stamp: string): boolean;
  /** A stamp that is later than this one, which the clock does not follow; undefined when there is none. */
  after(stamp: string): string | undefined;
  /** The moment to write into a node below `parent`, where its message is of the moment `at`. */
  readonly siblingTime: SiblingTime;
}

/** Children are listed by their moments: of those that say the same one, each gets a thousandth of a millisecond more than the one before. */
export type SiblingTime = (parent: string, at: number) => number;

/** `writer` tells equal moments apart; `now` is the machine's clock. */
export function createClock(writer: string, now: () => number = Date.now): Clock {
  let last = 0;
  let count = 0;
  /** What the stamps of the last moment begin with. */
  let lastDigits = digits(last, TIME_DIGITS);
  const goTo = (time: number, place: number) => {
    if (time !== last) lastDigits = digits(time, TIME_DIGITS);
    last = time;
    count = place;
  };
  return {
    now,
    siblingTime: createSiblingTime(),
    tick() {
      const time = Math.floor(now());
      if (time > last) goTo(time, 0);
      else goTo(...next(last, count));
      return write(last, count);
    },
    see(stamp) {
      // Nearly all that are met: of an earlier moment, whatever follows it in the stamp.
      if (stamp < lastDigits) return true;
      const seen = readStamp(stamp);
      if (!seen) return stamp < digits(Math.max(last, Math.floor(now())), TIME_DIGITS);
      if (seen.time < last || (seen.time === last && seen.count <= count)) return true;
      // A stamp from the far future must not take ours along: it is a broken clock, not a later moment.
      if (seen.time > now() + MAX_AHEAD_MS) return false;
      goTo(seen.time, seen.count);
      return true;
    },
    after(stamp) {
      const seen = readStamp(stamp);
      const later = seen && write(...next(seen.time, seen.count));
      return later !== undefined && later > stamp ? later : undefined;
    },
  };

  function write(time: number, count: number): string {
    return `${digits(time, TIME_DIGITS)}.${digits(count, COUNT_DIGITS)}.${writer}`;
  }
}

/** Moments that are remembered: siblings of one moment are written close to each other. */
const REMEMBERED = 10_000;

function createSiblingTime(): SiblingTime {
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
const TIME_DIGITS = 9;
const COUNT_DIGITS = 4;
/** One more would have another digit, and sort as less. */
const LAST_COUNT = 36 ** COUNT_DIGITS - 1;

/** The moment behind another. */
function next(time: number, count: number): [time: number, count: number] {
  return count < LAST_COUNT ? [time, count + 1] : [time + 1, 0];
}

function digits(number: number, length: number): string {
  return number.toString(36).padStart(length, '0');
}

function readStamp(stamp: string): { time: number; count: number } | undefined {
  const [, time, count] = /^([0-9a-z]{9})\.([0-9a-z]{4,})\./.exec(stamp) ?? [];
  return time && count ? { time: Number.parseInt(time, 36), count: Number.parseInt(count, 36) } : undefined;
}
