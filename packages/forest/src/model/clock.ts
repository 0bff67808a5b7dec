/**
 * A hybrid logical clock. Its stamps are texts that sort by time, never go back even when the machine's clock does, and
 * differ between writers.
 */
export interface Clock {
  /** The time of the machine in milliseconds, for people. */
  now(): number;
  /** Makes a stamp that is later than every stamp made or seen before. */
  tick(): string;
  /**
   * Follows a stamp from elsewhere, so that the next one is later. Returns false when it cannot: the stamp is too far ahead,
   * or not from such a clock.
   */
  see(stamp: string): boolean;
  /** Makes the stamp right after this one without following it; undefined when there is none. */
  after(stamp: string): string | undefined;
  /** Returns the time to store in a node below `parent` whose message is of the time `at`. */
  readonly siblingTime: SiblingTime;
}

/** Children are listed by time: siblings of the same millisecond get a thousandth of a millisecond more, each. */
export type SiblingTime = (parent: string, at: number) => number;

/** Creates a clock. `writer` distinguishes equal times; `now` is the machine's clock. */
export function createClock(writer: string, now: () => number = Date.now): Clock {
  let last = 0;
  let count = 0;
  /** What the stamps of the last time begin with. */
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
      // Nearly all stamps are of an earlier time, whatever follows the time in the stamp.
      if (stamp < lastDigits) return true;
      const seen = readStamp(stamp);
      if (!seen) return stamp < digits(Math.max(last, Math.floor(now())), TIME_DIGITS);
      if (seen.time < last || (seen.time === last && seen.count <= count)) return true;
      // A stamp from the far future comes from a broken clock and must not be followed.
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
    // Joined, not concatenated: a text made of pieces takes twice the memory, and every register keeps its stamp.
    return [time === last ? lastDigits : digits(time, TIME_DIGITS), countDigits(count), writer].join('.');
  }
}

/**
 * The stamp right after another one, by the same writer: whoever makes it makes the same.
 *
 * @example
 * stampAfter('0mjvxylk2.0001.f22bd843ef327'); // '0mjvxylk2.0002.f22bd843ef327'
 */
export function stampAfter(stamp: string): string {
  const seen = readStamp(stamp);
  if (!seen) return `${stamp}~`;
  const [time, count] = next(seen.time, seen.count);
  return `${digits(time, TIME_DIGITS)}.${digits(count, COUNT_DIGITS)}.${stamp.split('.').slice(2).join('.')}`;
}

/**
 * A stamp later than another one, and earlier than any that its writer makes behind it: for what others conclude about a
 * record. Whoever makes it makes the same, and what the writer itself says afterwards counts.
 *
 * @example
 * stampOfConclusion('0mjvxylk2.0001.f22bd843ef327'); // '0mjvxylk2.0001.f22bd843ef327~'
 */
export function stampOfConclusion(stamp: string): string {
  return `${stamp}~`;
}

/** Whether a stamp was made by `stampOfConclusion`. */
export function isConclusion(stamp: string): boolean {
  return stamp.endsWith('~');
}

/** The time of a stamp in milliseconds; undefined if it is not from such a clock. */
export function stampTime(stamp: string): number | undefined {
  return readStamp(stamp)?.time;
}

/** How many times are remembered: siblings of the same time are written close together. */
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
/** One more would have another digit, and would sort before. */
const LAST_COUNT = 36 ** COUNT_DIGITS - 1;

/** The next time and count. */
function next(time: number, count: number): [time: number, count: number] {
  return count < LAST_COUNT ? [time, count + 1] : [time + 1, 0];
}

/** Counts begin anew every millisecond, so nearly all are small. */
const SMALL_COUNTS: readonly string[] = /* @__PURE__ */ Array.from({ length: 256 }, (_, count) =>
  digits(count, COUNT_DIGITS),
);

function countDigits(count: number): string {
  return SMALL_COUNTS[count] ?? digits(count, COUNT_DIGITS);
}

function digits(number: number, length: number): string {
  return number.toString(36).padStart(length, '0');
}

function readStamp(stamp: string): { time: number; count: number } | undefined {
  const [, time, count] = /^([0-9a-z]{9})\.([0-9a-z]{4,})\./.exec(stamp) ?? [];
  return time && count ? { time: Number.parseInt(time, 36), count: Number.parseInt(count, 36) } : undefined;
}
