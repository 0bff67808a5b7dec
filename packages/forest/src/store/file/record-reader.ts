import type { StoreRecord } from '../../model/records.ts';
import { hashFault, recordKey } from '../records.ts';
import type { StoreProblem } from '../store.ts';
import { damagedLine } from './segment.ts';
import { findSubject, type Line, readLine } from './segment-format.ts';
import type { RecordPlace } from './tables/rows.ts';

const GAP = 16 * 1024;
const SPAN = 4 * 2 ** 20;
const CACHE_BYTES = 8 * 2 ** 20;

/**
 * Reads records by their places, with a cache, and neighbours in one read. Every record from the disk is checked
 * against its checksum, every body against its hash.
 */
export interface RecordReader {
  /** In the order of the places; undefined if there is no record, or it cannot be read. */
  read(places: readonly (RecordPlace | undefined)[]): Promise<(StoreRecord | undefined)[]>;
  /** The exact lines, without damaged ones. */
  lines(places: readonly RecordPlace[]): Promise<Line[]>;
  /** Caches a record that was just written, because it is often read next. */
  keep(place: RecordPlace, record: StoreRecord): void;
}

export function createRecordReader(
  readBytes: (segment: number, start: number, length: number) => Promise<Buffer>,
  onDamaged: (place: RecordPlace, problem: Omit<StoreProblem, 'where'>) => void,
): RecordReader {
  // A cache of two generations: when the young one is full, the old one is dropped as a whole. Removing single records
  // from the front of a Map gets slower the longer the Map is.
  let young = new Map<number, StoreRecord>();
  let old = new Map<number, StoreRecord>();
  let held = 0;

  const keep = (place: RecordPlace, record: StoreRecord) => {
    if (place.length > CACHE_BYTES / 8) return;
    young.set(cacheKey(place), record);
    held += place.length;
    if (held < CACHE_BYTES / 2) return;
    old = young;
    young = new Map();
    held = 0;
  };
  const kept = (place: RecordPlace) => young.get(cacheKey(place)) ?? old.get(cacheKey(place));

  const eachLine = async (wanted: readonly Wanted[], use: (line: Line, wanted: Wanted) => void): Promise<void> => {
    for (const span of groupSpans(wanted)) {
      const first = span[0]!.place;
      const { start, length } = span.at(-1)!.place;
      const bytes = await readBytes(first.segment, first.start, start + length - first.start);
      for (const one of span) {
        const { place } = one;
        const from = place.start - first.start;
        const own = bytes.subarray(from, from + place.length);
        const line = readLine(own);
        const fault = line && textFault(line.record);
        if (line && !fault) use(line, one);
        else onDamaged(place, fault ?? damagedLine(findSubject(own)));
      }
    }
  };

  return {
    keep,
    async read(places) {
      const found = places.map((place) => place && kept(place));
      const missing = places.flatMap((place, index) => (place && !found[index] ? [{ place, index }] : []));
      await eachLine(missing, ({ record }, { place, index }) => {
        found[index] = record;
        keep(place, record);
      });
      return found;
    },
    async lines(places) {
      const found: Line[] = [];
      const wanted = places.map((place, index) => ({ place, index }));
      await eachLine(wanted, (line, { index }) => {
        found[index] = line;
      });
      return found.filter((line) => line !== undefined);
    },
  };
}

/** Only bodies are checked by their hash. Nodes and takes have checksums; `check` computes their ids. */
function textFault(record: StoreRecord): Omit<StoreProblem, 'where'> | undefined {
  const fault = record.k === 'body' ? hashFault(record) : undefined;
  return fault === undefined ? undefined : { code: 'wrong-hash', message: fault, subject: recordKey(record) };
}

interface Wanted {
  readonly place: RecordPlace;
  readonly index: number;
}

/** Groups places that are near each other in one segment, to be read together. */
function* groupSpans(wanted: readonly Wanted[]): Generator<Wanted[]> {
  const sorted = [...wanted].sort((a, b) => a.place.segment - b.place.segment || a.place.start - b.place.start);
  let span: Wanted[] = [];
  for (const one of sorted) {
    const [first, last] = [span[0]?.place, span.at(-1)?.place];
    const isNear =
      first &&
      last &&
      first.segment === one.place.segment &&
      one.place.start - (last.start + last.length) <= GAP &&
      one.place.start + one.place.length - first.start <= SPAN;
    if (!isNear && span.length > 0) {
      yield span;
      span = [];
    }
    span.push(one);
  }
  if (span.length > 0) yield span;
}

/** Exact for segments of up to 64 GB. */
function cacheKey({ segment, start }: RecordPlace): number {
  return segment * 2 ** 36 + start;
}
