import type { EntryRecord } from '../../model/records.ts';
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

/** Exchanges that are read together, by id. */
type Readings = Promise<ReadonlyMap<string, ExchangeContent | undefined>>;

/** How many exchanges are read ahead, at least half of them at once. */
const READ_AHEAD = 32;

/** From this many on, the facts that the exchanges ask for are read in one go, too: they are placed twice for it. */
const FORESEE = 4;

/**
 * How many exchanges stay in memory after they were read: those that two servers recorded in the same seconds are often
 * placed again.
 */
const READINGS_KEPT = 64;

/** `indexNow` is the index that the exchanges are placed in. */
export function createReadingAhead(forest: RecordingForest, indexNow: () => RecordedIndex): ReadingAhead {
  const readings = new Map<string, Readings>();
  const foreseen = new Set<Readings>();

  const readTogether = (items: readonly ExchangeToRead[]): Readings => {
    const reading = readContents(forest, items).then(
      (contents) => new Map(items.map(({ id }, at) => [id, contents[at]])),
    );
    // An error is reported when it is the turn of one of them.
    reading.catch(() => undefined);
    return reading;
  };

  const foresee = (contents: Awaited<Readings>): Promise<void> => {
    const index = indexNow();
    const read = [...contents.values()].filter((content) => content !== undefined);
    return index.foresee(read.map((content) => () => placeExchange(index, content)));
  };

  return {
    async readLast(queue) {
      const { id } = queue.at(-1)!;
      const ahead = queue.slice(-READ_AHEAD).filter((one) => !readings.has(one.id));
      if (ahead.length >= READ_AHEAD / 2 || !readings.has(id)) {
        const next = ahead.toReversed();
        const together = readTogether(next);
        for (const one of next) readings.set(one.id, together);
      }
      const together = readings.get(id)!;
      const contents = await together;
      if (contents.size >= FORESEE && !foreseen.has(together)) {
        foreseen.add(together);
        await foresee(contents);
      }
      for (const oldest of readings.keys()) {
        if (readings.size <= READINGS_KEPT) break;
        readings.delete(oldest);
      }
      return contents.get(id);
    },
  };
}
