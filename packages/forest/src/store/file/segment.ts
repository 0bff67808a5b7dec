import { join } from 'node:path';
import type { StoreRecord } from '../../model/records.ts';
import { hashFault, recordKey } from '../records.ts';
import type { StoreProblem } from '../store.ts';
import type { Files } from './disk.ts';
import {
  type BatchMark,
  endOfLine,
  findMark,
  findSubject,
  type Header,
  type Line,
  lacksSum,
  readLine,
  readSegmentLine,
  SEGMENT_VERSION,
} from './segment-format.ts';
import { readHexBytes } from './tables/hex.ts';
import type { RecordPlace } from './tables/rows.ts';
import { addRecord, type Tables } from './tables/tables.ts';

/** A segment and how far it has been read. */
export interface Segment extends OpenBatches<SegmentRecord> {
  readonly number: number;
  readonly name: string;
  /** The inode of the file. A new file under the same name is read from its beginning. */
  file: number;
  writer: string;
  version: number;
  /** Whether its first line has been read. */
  isOpen: boolean;
  /** Whether its writer was alive at the last look. */
  wasAlive: boolean;
  /** The offset up to which it has been read: the start of the next line. */
  read: number;
  /** The offset up to which it survives a power loss. */
  safe: number;
  /** Whether its records have checksums; a record without one is damaged then. */
  hasSums: boolean;
  /** Whether it has lines that cannot be read, or an incomplete batch. */
  isDamaged: boolean;
}

/** The batches of a segment that are incomplete so far, with what was found in them. */
export interface OpenBatches<T> {
  readonly batches: Map<number, OpenBatch<T>>;
  last: OpenBatch<T> | undefined;
  /** The offset of bytes that never reached the disk, if the batch that they belong to may be the last one. */
  gap: number | undefined;
}

/** A batch with missing lines. */
interface OpenBatch<T> {
  readonly lines: number;
  readonly seen: Set<number>;
  held: T[];
  /** The number of the line that was added last. */
  latest: number;
  /** Whether it was written to its end: what is missing was damaged later. */
  isEnded: boolean;
}

/** A record in a segment. Bodies are not parsed, so only their row is known. */
type SegmentRecord =
  | { readonly record: StoreRecord; readonly text: string; readonly place: RecordPlace }
  | { readonly bodyRow: number; readonly place: RecordPlace };

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
    ...createBatches(),
  };
}

export function createBatches<T>(): OpenBatches<T> {
  return { batches: new Map(), last: undefined, gap: undefined };
}

/**
 * Adds a line and returns the records that are valid now. A batch is valid when all its lines are there. If its last line is
 * there, or a later batch follows, it was complete once, because a writer waits for the disk before it goes on: missing lines
 * were damaged later, and the rest is valid. A last line behind a gap proves nothing: a disk may write the end before the middle.
 */
export function addLine<T>(segment: OpenBatches<T>, mark: BatchMark | undefined, ...found: readonly T[]): readonly T[] {
  if (!mark) return [...completeBatch(segment), ...found];
  let batch = segment.batches.get(mark.batch);
  const earlier = batch && batch === segment.last ? [] : takeHeld(segment);
  if (!batch) {
    batch = { lines: mark.lines, seen: new Set(), held: [], latest: -1, isEnded: false };
    segment.batches.set(mark.batch, batch);
  }
  segment.last = batch;
  if (segment.gap === undefined) batch.isEnded ||= mark.line === mark.lines - 1 || isNextLast(batch);
  batch.seen.add(mark.line);
  batch.latest = mark.line;
  batch.held.push(...found);
  const isWhole = batch.seen.size >= batch.lines;
  if (!isWhole && !batch.isEnded) return earlier;
  if (isWhole) {
    segment.batches.delete(mark.batch);
    segment.gap = undefined;
  }
  return [...earlier, ...takeHeld(segment)];
}

/** Adds a line that cannot be read, and returns the records that are valid now. */
export function addDamaged<T>(segment: OpenBatches<T>, line: Buffer, start: number): readonly T[] {
  if (line.includes(0)) {
    segment.gap ??= start;
    return [];
  }
  if (line.subarray(0, UNMARKED_START.length).equals(UNMARKED_START)) return completeBatch(segment);
  // If a line feed was changed, there are two lines in one.
  const marked = line.lastIndexOf(MARK_START);
  const mark = marked < 0 ? undefined : findMark(line.toString('latin1', marked));
  if (mark) return addLine(segment, mark);
  const { last, gap } = segment;
  return last && gap === undefined && isNextLast(last) ? takeHeld(segment) : [];
}

/** Whether the last line of a batch comes next. */
function isNextLast<T>({ latest, lines }: OpenBatch<T>): boolean {
  return latest === lines - 2;
}

/** Completes the open batch, because something later follows. */
export function completeBatch<T>(segment: OpenBatches<T>): readonly T[] {
  segment.gap = undefined;
  return takeHeld(segment);
}

function takeHeld<T>(segment: OpenBatches<T>): readonly T[] {
  const { last } = segment;
  if (!last) return [];
  const { held } = last;
  last.held = [];
  segment.last = undefined;
  return held;
}

/** The offset from which reading has to begin again to see records of incomplete batches. */
export function completeUpTo(segment: Segment): number {
  return segment.last?.held[0]?.place.start ?? segment.read;
}

const PIECE = 8 * 2 ** 20;
const LONGEST_HEADER = 4096;

interface ReadContext {
  readonly files: Files;
  readonly folder: string;
  readonly tables: Tables;
  /** Whether to check every hash, because damage was found and there may be more. */
  readonly thorough: boolean;
  /** Receives every new record except bodies. */
  onRecord(record: StoreRecord): void;
  onProblem(problem: StoreProblem): void;
}

/** Reads what was added to a segment, up to `size`. An incomplete line is left for the next time. */
export async function readSegment(reading: ReadContext, segment: Segment, size: number): Promise<void> {
  const path = join(reading.folder, segment.name);
  if (!segment.isOpen && !(await readStart(reading, segment, path))) return;
  const sink = createSink(reading, segment);
  let piece = PIECE;
  while (segment.read < size) {
    const bytes = await reading.files.read(path, segment.read, Math.min(piece, size - segment.read));
    const used = scanLines(bytes, segment.read, sink, reading.thorough);
    segment.read += used;
    if (used > 0) continue;
    if (bytes.length < piece) return;
    piece *= 2;
  }
}

/** Reads the first line. If it is damaged, that is reported and the rest is read as version 1. */
async function readStart(reading: ReadContext, segment: Segment, path: string): Promise<boolean> {
  const bytes = await reading.files.read(path, 0, LONGEST_HEADER);
  const end = bytes.indexOf(10);
  if (end < 0 && bytes.length < LONGEST_HEADER) return false;
  const header = end < 0 ? undefined : readSegmentLine(bytes.subarray(0, end));
  segment.isOpen = true;
  if (header === undefined || header === 'other') {
    report(reading, segment, 0, { code: 'damaged-record', message: 'Its first line is not a segment header.' });
    segment.version = SEGMENT_VERSION;
    segment.isDamaged = true;
    return true;
  }
  segment.version = header.version;
  segment.writer = header.writer;
  segment.hasSums = header.hasSums;
  segment.read = end + 1;
  if (header.version > SEGMENT_VERSION)
    report(reading, segment, 0, {
      code: 'newer-format',
      message: `Its format version is ${header.version}, but this program knows only version ${SEGMENT_VERSION}. Update Skein to write here.`,
    });
  return true;
}

function createSink(reading: ReadContext, segment: Segment): LineSink {
  const { tables, thorough, onRecord } = reading;
  const { number } = segment;
  const count = (found: SegmentRecord) => {
    if ('bodyRow' in found) tables.bodies.put(found.bodyRow, found.place);
    else if (addRecord(tables, found.record, found.place, found.text) && found.record.k !== 'body')
      onRecord(found.record);
  };
  const damaged = (start: number, problem: Omit<StoreProblem, 'where'>) => {
    segment.isDamaged = true;
    report(reading, segment, start, problem);
  };
  return {
    body(digest, mark, start, length) {
      const found = { bodyRow: tables.bodies.rowForBytes(digest), place: { segment: number, start, length } };
      addLine(segment, mark, found).forEach(count);
    },
    record(line, start, length) {
      const { record, mark, text } = line;
      const fault = thorough ? hashFault(record) : undefined;
      const isSound = fault === undefined && !(segment.hasSums && lacksSum(line));
      if (fault !== undefined) damaged(start, { code: 'wrong-hash', message: fault, subject: recordKey(record) });
      else if (!isSound) damaged(start, damagedLine(undefined));
      const found = { record, text, place: { segment: number, start, length } };
      addLine<SegmentRecord>(segment, mark, ...(isSound ? [found] : [])).forEach(count);
    },
    other(said) {
      if (said !== 'other') segment.hasSums = said.hasSums;
      completeBatch(segment).forEach(count);
    },
    damaged(bytes, start) {
      damaged(start, damagedLine(findSubject(bytes)));
      addDamaged(segment, bytes, start).forEach(count);
    },
    withoutFeed: (start) => damaged(start, damagedLine(undefined)),
  };
}

/** The problem of a line that is not a record, or not as it was written. */
export function damagedLine(subject: string | undefined): Omit<StoreProblem, 'where'> {
  const message = 'This line is not a valid record, or it was changed after it was written. It is kept as it is.';
  return { code: 'damaged-record', message, ...(subject !== undefined && { subject }) };
}

function report({ onProblem }: ReadContext, { name }: Segment, start: number, problem: Omit<StoreProblem, 'where'>) {
  onProblem({ ...problem, where: `${name}:${start}` });
}

const LINE_FEED = 10;
const QUOTE = 34;
const MARK_START = Buffer.from('{"~":"');
const UNMARKED_START = Buffer.from('{"k":');
const BODY = Buffer.from('"k":"body","digest":"');
const BODY_MIDDLE = Buffer.from('","text":"');
const BODY_END = Buffer.from('"}');
const DIGEST_DIGITS = 64;

/** Receives the lines of a segment. `start` and `length` are the place of a line without its line feed. */
interface LineSink {
  /** A body that was not parsed. `digest` is valid until the next call. */
  body(digest: Uint8Array, mark: BatchMark | undefined, start: number, length: number): void;
  record(line: Line, start: number, length: number): void;
  /** A line about the segment itself. */
  other(said: Header | 'other'): void;
  damaged(bytes: Buffer, start: number): void;
  /** The line feed of the line before was changed. */
  withoutFeed(start: number): void;
}

/**
 * Scans the complete lines of `bytes`, which are at offset `base` of the file, and returns how many bytes those were.
 * If `thorough`, bodies are parsed and reported as records.
 */
function scanLines(bytes: Buffer, base: number, sink: LineSink, thorough: boolean): number {
  const digest = new Uint8Array(DIGEST_DIGITS / 2);
  // Bytes that never reached the disk are zeros, and JSON has none.
  let zero = bytes.indexOf(0);
  let start = 0;
  for (let end = endOfLine(bytes, 0); end >= 0; end = endOfLine(bytes, start)) {
    if (zero >= 0 && zero < start) zero = bytes.indexOf(0, start);
    const isWhole = zero < 0 || zero > end;
    if (end > start) readOne(bytes, start, end, isWhole);
    if (bytes[end] !== LINE_FEED) sink.withoutFeed(base + start);
    start = end + 1;
  }
  return start;

  function readOne(bytes: Buffer, start: number, end: number, isWhole: boolean): void {
    const place = base + start;
    const body = isWhole && !thorough ? bodyAt(bytes, start, end) : -1;
    if (body >= 0 && readHexBytes(bytes, body, digest, digest.length)) {
      const isMarked = isAt(bytes, start, MARK_START);
      const mark = isMarked ? findMark(bytes.toString('latin1', start, body - BODY.length)) : undefined;
      if (mark || !isMarked) {
        sink.body(digest, mark, place, end - start);
        return;
      }
    }
    const own = bytes.subarray(start, end);
    const line = isWhole ? readLine(own) : undefined;
    const said = line ? undefined : readSegmentLine(own);
    if (line) sink.record(line, place, end - start);
    else if (said) sink.other(said);
    else sink.damaged(own, place);
  }
}

/** The offset of the digest in a line with a body, as our writer writes it; -1 for any other line. */
function bodyAt(bytes: Buffer, start: number, end: number): number {
  let at = start + 1;
  if (isAt(bytes, start, MARK_START)) {
    const quote = bytes.indexOf(QUOTE, start + MARK_START.length);
    at = quote + 2;
  }
  if (!isAt(bytes, at, BODY)) return -1;
  const digest = at + BODY.length;
  if (!isAt(bytes, digest + DIGEST_DIGITS, BODY_MIDDLE) || !isAt(bytes, end - BODY_END.length, BODY_END)) return -1;
  return digest + DIGEST_DIGITS + BODY_MIDDLE.length <= end - BODY_END.length ? digest : -1;
}

function isAt(bytes: Buffer, at: number, expected: Buffer): boolean {
  for (let index = 0; index < expected.length; index++) if (bytes[at + index] !== expected[index]) return false;
  return true;
}
