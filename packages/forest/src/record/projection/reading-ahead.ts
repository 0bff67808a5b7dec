import type { EntryRecord } from '../../model/records.ts';
import { exchangeSize } from '../exchange.ts';
import type { ExchangeContent } from '../read-exchange.ts';
import type { RecordingForest } from '../recorder.ts';
import { readContents } from './load-exchanges.ts';
import { placeExchange } from './place-exchange.ts';
import type { RecordedIndex } from './recorded-index.ts';

/** Reads exchanges in the order in which they are placed, each together with those that come next. */
interface ReadingAhead {
  /** What the last of these says; those before it come next. Undefined for one that cannot be read, or whose parts are missing. */
  readLast(queue: readonly ExchangeToRead[]): Promise<ExchangeContent | undefined>;
}

interface ExchangeToRead {
  readonly id: string;
  /** Its record, if it has just been read. */
  readonly entry?: EntryRecord;
}

/** An exchange that is read, or was. */
interface Reading {
  readonly content: Promise<ExchangeContent | undefined>;
  readonly size: number;
  /** Those that are read in one go with it, until the first of them is placed. */
  readonly together: { contents: Promise<readonly (ExchangeContent | undefined)[]> | undefined };
}

/** How many exchanges are read ahead, at least half of them at once, and how many bytes they may have: a single one may have more. */
const READ_AHEAD = 32;
const MOST_BYTES = 8 * 2 ** 20;

/** From this many on, the facts that the exchanges ask for are read in one go, too: they are placed twice for it. */
const FORESEE = 4;

/**
 * How many exchanges stay in memory after they were read, with how many bytes: those that two servers recorded in the same seconds
 * are often placed again.
 */
const READINGS_KEPT = 64;
const MOST_BYTES_KEPT = 16 * 2 ** 20;

/** `indexNow` is the index that the exchanges are placed in. */
export function createReadingAhead(forest: RecordingForest, indexNow: () => RecordedIndex): ReadingAhead {
  const readings = new Map<string, Reading>();
  let bytes = 0;

  /** The exchanges that come next, as many as may be in memory. */
  const window = (queue: readonly ExchangeToRead[]): ExchangeToRead[] => {
    const next: ExchangeToRead[] = [];
    let size = 0;
    for (let at = queue.length - 1; at >= 0 && next.length < READ_AHEAD; at--) {
      const one = queue[at]!;
      size += readings.get(one.id)?.size ?? exchangeSize(one.entry);
      if (size > MOST_BYTES && next.length > 0) break;
      next.push(one);
    }
    return next;
  };

  const read = (items: readonly ExchangeToRead[]) => {
    const contents = readContents(forest, items);
    const together: Reading['together'] = { contents };
    for (const [at, { id, entry }] of items.entries()) {
      const content = contents.then((all) => all[at]);
      // An error is reported when it is its turn.
      content.catch(() => undefined);
      const size = exchangeSize(entry);
      readings.set(id, { content, size, together });
      bytes += size;
    }
  };

  const foresee = (contents: readonly (ExchangeContent | undefined)[]): Promise<void> => {
    const index = indexNow();
    const found = contents.filter((content) => content !== undefined);
    return index.foresee(found.map((content) => () => placeExchange(index, content)));
  };

  const forgetOldest = (next: ReadonlySet<string>) => {
    for (const [id, { size }] of readings) {
      if (readings.size <= READINGS_KEPT && bytes <= MOST_BYTES_KEPT) return;
      if (next.has(id)) continue;
      readings.delete(id);
      bytes -= size;
    }
  };

  return {
    async readLast(queue) {
      const { id } = queue.at(-1)!;
      const next = window(queue);
      const missing = next.filter((one) => !readings.has(one.id));
      if (missing.length >= READ_AHEAD / 2 || !readings.has(id)) {
        forgetOldest(new Set(next.map((one) => one.id)));
        read(missing);
      }
      const { content, together } = readings.get(id)!;
      const contents = await together.contents;
      together.contents = undefined;
      if (contents && contents.length >= FORESEE) await foresee(contents);
      return content;
    },
  };
}
