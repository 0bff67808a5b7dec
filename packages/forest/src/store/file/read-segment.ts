import { join } from 'node:path';
import type { StoreRecord } from '../../model/index.ts';
import { keyOf } from '../key-of.ts';
import { hashFault } from '../record-fault.ts';
import type { Problem } from '../store.ts';
import type { Files } from './files.ts';
import { lacksSum, readSegmentLine, SEGMENT_VERSION, subjectOf } from './format.ts';
import { type LineSink, scanLines } from './scan-lines.ts';
import { type Found, type Segment, settle, takeLine } from './segment.ts';
import { addRecord, type Tables } from './tables.ts';

const PIECE = 8 * 2 ** 20;
const LONGEST_HEADER = 4096;

export interface Reading {
  readonly files: Files;
  readonly folder: string;
  readonly tables: Tables;
  /** Whether every hash is made again: damage was met, and there may be more. */
  readonly thorough: boolean;
  /** A record that is new. Bodies are not told. */
  onRecord(record: StoreRecord): void;
  onProblem(problem: Problem): void;
}

/** Reads what was added to a segment, up to `size`. A line without its end is left for the next time. */
export async function readSegment(reading: Reading, segment: Segment, size: number): Promise<void> {
  const path = join(reading.folder, segment.name);
  if (!segment.isOpen && !(await readStart(reading, segment, path))) return;
  const sink = sinkFor(reading, segment);
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

/** The first line. One that is damaged is reported, and what follows is read as version 1. */
async function readStart(reading: Reading, segment: Segment, path: string): Promise<boolean> {
  const bytes = await reading.files.read(path, 0, LONGEST_HEADER);
  const end = bytes.indexOf(10);
  if (end < 0 && bytes.length < LONGEST_HEADER) return false;
  const header = end < 0 ? undefined : readSegmentLine(bytes.subarray(0, end));
  segment.isOpen = true;
  if (header === undefined || header === 'other') {
    report(reading, segment, 0, { code: 'damaged-record', message: 'Its first line does not say what it is.' });
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
      message: `Its format has version ${header.version}, this program knows ${SEGMENT_VERSION}. Update Skein to write here.`,
    });
  return true;
}

function sinkFor(reading: Reading, segment: Segment): LineSink {
  const { tables, thorough, onRecord } = reading;
  const { number } = segment;
  const count = (found: Found) => {
    if ('bodyRow' in found) tables.bodies.put(found.bodyRow, found.place);
    else if (addRecord(tables, found.record, found.place, found.text) && found.record.k !== 'body')
      onRecord(found.record);
  };
  const damaged = (start: number, problem: Omit<Problem, 'where'>) => {
    segment.isDamaged = true;
    report(reading, segment, start, problem);
  };
  return {
    body(digest, mark, start, length) {
      const found = { bodyRow: tables.bodies.rowForBytes(digest), place: { segment: number, start, length } };
      takeLine(segment, mark, found).forEach(count);
    },
    record(line, start, length) {
      const { record, mark, text } = line;
      const fault = thorough ? hashFault(record) : undefined;
      if (fault !== undefined) damaged(start, { code: 'wrong-hash', message: fault, subject: keyOf(record) });
      else if (segment.hasSums && lacksSum(line)) damaged(start, damagedLine(undefined));
      else takeLine(segment, mark, { record, text, place: { segment: number, start, length } }).forEach(count);
    },
    other(said) {
      if (said !== 'other') segment.hasSums = said.hasSums;
      settle(segment).forEach(count);
    },
    damaged: (bytes, start) => damaged(start, damagedLine(subjectOf(bytes))),
  };
}

/** What is said of a line that is not a record, or not the one that was written. */
export function damagedLine(subject: string | undefined): Omit<Problem, 'where'> {
  const message = 'It is not a record, or not as it was written. It is kept as it is.';
  return { code: 'damaged-record', message, ...(subject !== undefined && { subject }) };
}

function report({ onProblem }: Reading, { name }: Segment, start: number, problem: Omit<Problem, 'where'>) {
  onProblem({ ...problem, where: `${name}:${start}` });
}
