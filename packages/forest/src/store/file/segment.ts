import type { StoreRecord } from '../../model/index.ts';
import type { Place } from './columns.ts';
import type { BatchMark } from './format.ts';

/** A segment as far as it has been read. */
export interface Segment {
  readonly number: number;
  readonly name: string;
  /** Which file it was; another one under the same name is read from its beginning. */
  file: number;
  writer: string;
  version: number;
  /** Whether its first line has been looked at. */
  isOpen: boolean;
  /** Whether its writer lived when it was last looked at. */
  wasAlive: boolean;
  /** How far it has been read: the start of the next line. */
  read: number;
  /** How far it is known to survive a loss of power. */
  safe: number;
  /** Whether its records have checksums: those that have none are damaged. */
  hasSums: boolean;
  /** Bytes or lines that could not be read, or that stand in no whole batch. */
  isDamaged: boolean;
  readonly batches: Map<number, OpenBatch>;
  last: OpenBatch | undefined;
}

/** A batch of which not all lines have come. */
interface OpenBatch {
  readonly lines: number;
  readonly seen: Set<number>;
  held: Found[];
}

/** A record in a line. Of a body only the row is known: its text was not parsed. */
export type Found =
  | { readonly record: StoreRecord; readonly text: string; readonly place: Place }
  | { readonly bodyRow: number; readonly place: Place };

export function createSegment(number: number, name: string): Segment {
  return {
    number,
    name,
    file: 0,
    writer: '',
    version: 0,
    isOpen: false,
    wasAlive: true,
    read: 0,
    safe: 0,
    hasSums: false,
    isDamaged: false,
    batches: new Map(),
    last: undefined,
  };
}

/**
 * Takes a line of a batch, and gives what counts now. A batch counts when all its lines are there. When lines of a
 * later batch follow, it was complete once, since a writer waits for the disk before it goes on: what is missing was
 * damaged later, and the rest counts.
 */
export function takeLine(segment: Segment, mark: BatchMark | undefined, found: Found): readonly Found[] {
  if (!mark) return [...settle(segment), found];
  let batch = segment.batches.get(mark.batch);
  const earlier = batch && batch === segment.last ? [] : settle(segment);
  if (!batch) {
    batch = { lines: mark.lines, seen: new Set(), held: [] };
    segment.batches.set(mark.batch, batch);
  }
  segment.last = batch;
  batch.seen.add(mark.line);
  batch.held.push(found);
  if (batch.seen.size < batch.lines) return earlier;
  const { held } = batch;
  segment.batches.delete(mark.batch);
  segment.last = undefined;
  return earlier.length === 0 ? held : [...earlier, ...held];
}

/** Something later follows: what was held counts. */
export function settle(segment: Segment): readonly Found[] {
  const { last } = segment;
  if (!last) return [];
  const { held } = last;
  last.held = [];
  segment.last = undefined;
  return held;
}

/** Where reading has to begin again to see all that does not count yet. */
export function settledUpTo(segment: Segment): number {
  return segment.last?.held[0]?.place.start ?? segment.read;
}
