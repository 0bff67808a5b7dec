import { join } from 'node:path';
import type { StoreRecord } from '../../model/index.ts';
import type { Problem } from '../store.ts';
import type { Files } from './files.ts';
import { readHeader, SEGMENT_VERSION } from './format.ts';
import { type LineSink, scanLines } from './scan-lines.ts';
import { type Found, type Segment, settle, takeLine } from './segment.ts';
import { addRecord, type Tables } from './tables.ts';

const PIECE = 8 * 2 ** 20;
const LONGEST_HEADER = 4096;

export interface Reading {
  readonly files: Files;
  readonly folder: string;
  readonly tables: Tables;
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
    const used = scanLines(bytes, segment.read, sink);
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
  const header = end < 0 ? undefined : readHeader(bytes.toString('utf8', 0, end));
  segment.isOpen = true;
  if (!header) {
    report(reading, segment, 'damaged-record', 0, 'The first line does not say that this is a segment.');
    segment.version = SEGMENT_VERSION;
    segment.isDamaged = true;
    return true;
  }
  segment.version = header.version;
  segment.writer = header.writer;
  segment.read = end + 1;
  if (header.version > SEGMENT_VERSION)
    report(
      reading,
      segment,
      'newer-format',
      0,
      `Its format has version ${header.version}, this program knows ${SEGMENT_VERSION}. Update Skein to write here.`,
    );
  return true;
}

function sinkFor(reading: Reading, segment: Segment): LineSink {
  const { tables, onRecord } = reading;
  const { number } = segment;
  const count = (found: Found) => {
    if ('bodyRow' in found) tables.bodies.put(found.bodyRow, found.place);
    else if (addRecord(tables, found.record, found.place) && found.record.k !== 'body') onRecord(found.record);
  };
  return {
    body(digest, text, start, length) {
      const found = { bodyRow: tables.bodies.rowForBytes(digest), place: { segment: number, start, length } };
      const [batch, line, lines] = text?.split('.') ?? [];
      const mark = text === undefined ? undefined : { batch: Number(batch), line: Number(line), lines: Number(lines) };
      takeLine(segment, mark, found).forEach(count);
    },
    record({ record, mark }, start, length) {
      takeLine(segment, mark, { record, place: { segment: number, start, length } }).forEach(count);
    },
    other() {
      settle(segment).forEach(count);
    },
    damaged(start, length) {
      segment.isDamaged = true;
      report(reading, segment, 'damaged-record', start, `${length} bytes are not a record. They are kept as they are.`);
    },
  };
}

function report({ onProblem }: Reading, { name }: Segment, code: Problem['code'], start: number, message: string) {
  onProblem({ code, where: `${name}:${start}`, message });
}
