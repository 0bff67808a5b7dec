import type { StoreRecord } from '../../model/index.ts';
import type { Place } from './columns.ts';
import { readLine } from './format.ts';

const GAP = 16 * 1024;
const SPAN = 4 * 2 ** 20;
const CACHE_BYTES = 8 * 2 ** 20;

/** Reads records by their places; neighbours in one go, and those read lately not again. */
export interface RecordReader {
  /** In the order of the places; undefined where there is none, or none that can be read. */
  read(places: readonly (Place | undefined)[]): Promise<(StoreRecord | undefined)[]>;
  /** A record that was just written is often asked for next. */
  keep(place: Place, record: StoreRecord): void;
}

export function createRecordReader(
  readBytes: (segment: number, start: number, length: number) => Promise<Buffer>,
  onDamaged: (place: Place) => void,
): RecordReader {
  // Two generations: when the young one is full, the old one goes as a whole. Taking single records off the front of a
  // Map costs more the longer the Map is.
  let young = new Map<number, StoreRecord>();
  let old = new Map<number, StoreRecord>();
  let held = 0;

  const keep = (place: Place, record: StoreRecord) => {
    if (place.length > CACHE_BYTES / 8) return;
    young.set(keyOf(place), record);
    held += place.length;
    if (held < CACHE_BYTES / 2) return;
    old = young;
    young = new Map();
    held = 0;
  };
  const kept = (place: Place) => young.get(keyOf(place)) ?? old.get(keyOf(place));

  return {
    keep,
    async read(places) {
      const found = places.map((place) => place && kept(place));
      const missing = places.flatMap((place, index) => (place && !found[index] ? [{ place, index }] : []));
      for (const span of spansOf(missing)) {
        const first = span[0]!.place;
        const { start, length } = span.at(-1)!.place;
        const bytes = await readBytes(first.segment, first.start, start + length - first.start);
        for (const { place, index } of span) {
          const from = place.start - first.start;
          const record = readLine(bytes.toString('utf8', from, Math.min(from + place.length, bytes.length)))?.record;
          found[index] = record;
          if (record) keep(place, record);
          else onDamaged(place);
        }
      }
      return found;
    },
  };
}

interface Wanted {
  readonly place: Place;
  readonly index: number;
}

/** Places that are read together: near each other in one segment. */
function* spansOf(wanted: readonly Wanted[]): Generator<Wanted[]> {
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
function keyOf({ segment, start }: Place): number {
  return segment * 2 ** 36 + start;
}
