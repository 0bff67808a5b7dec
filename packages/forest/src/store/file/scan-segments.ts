import { join } from 'node:path';
import type { EntryKind, EntryRecord, RefRecord, StoreRecord, TakeRecord } from '../../model/records.ts';
import { StoreError, type StoreProblem } from '../store.ts';
import { describeFailure, diskFiles, type Files, systemCode, throwReadable } from './disk.ts';
import { projectFolders } from './project-folders.ts';
import { createRecordReader } from './record-reader.ts';
import { addDamaged, addLine, completeBatch, createBatches, damagedLine } from './segment.ts';
import { endOfLine, findMark, findSubject, lacksSum, readLine, readSegmentLine } from './segment-format.ts';
import { OF_ONE_FILE } from './segment-set.ts';
import type { RecordPlace } from './tables/rows.ts';

/** Which records a scan gives. All others are passed over without being parsed. */
export interface RecordSelection {
  /** Whether to read an entry, to tell only where it is, or to leave it out. */
  entry(kind: EntryKind, id: string): 'record' | 'place' | 'skip';
  readonly ref: Pick<RefRecord, 'on' | 'name'>;
  /** Only takes with this member. */
  readonly takesWith: keyof TakeRecord;
}

/** A selected record; an entry of which only the place is wanted has no data. */
export type ScannedRecord =
  | { readonly record: TakeRecord | RefRecord | EntryRecord; readonly place: RecordPlace }
  | { readonly entry: Pick<EntryRecord, 'k' | 'id' | 'clock'>; readonly place: RecordPlace };

/** Reads the segments of a project from front to end, without the index of a store, in memory that does not depend on their size. */
export interface SegmentScan {
  /** The selected records in the order in which they are stored: neither by time, nor each only once. */
  records(selection: RecordSelection): AsyncGenerator<ScannedRecord>;
  /** Reads records by their places; undefined for those that cannot be read. */
  read(places: readonly RecordPlace[]): Promise<(StoreRecord | undefined)[]>;
  problems(): readonly StoreProblem[];
  close(): Promise<void>;
}

const PIECE = 2 ** 18;
const LINE_FEED = 10;
/** The members in front of the data of a record are shorter than this, or the line is parsed. */
const LONGEST_START = 600;
const MOST_PROBLEMS = 1000;

/** Opens a project of a folder for a scan. */
export function openSegmentScan(
  folder: string,
  { project = 'default', files = diskFiles() }: { readonly project?: string; readonly files?: Files } = {},
): SegmentScan {
  const { segments } = projectFolders(folder, project);
  const names: string[] = [];
  const problems: StoreProblem[] = [];
  const report = (segment: number, start: number, problem: Omit<StoreProblem, 'where'>) => {
    const where = `${names[segment]}:${start}`;
    // A record may be read more than once.
    const isNew = problems.length < MOST_PROBLEMS && !problems.some((known) => known.where === where);
    if (isNew) problems.push({ ...problem, where });
  };
  const reader = createRecordReader(
    (segment, start, length) => files.read(join(segments, names[segment]!), start, length),
    ({ segment, start }, problem) => report(segment, start, problem),
  );

  async function* records(selection: RecordSelection): AsyncGenerator<ScannedRecord> {
    const found = (await files.list(segments)).filter((name) => name.endsWith('.jsonl')).sort();
    for (const name of found) {
      const segment = names.push(name) - 1;
      const onDamaged = (bytes: Buffer, start: number) => report(segment, start, damagedLine(findSubject(bytes)));
      try {
        yield* scanSegment(files, join(segments, name), segment, selection, onDamaged);
      } catch (error) {
        if (systemCode(error) === 'ENOENT') throw inUse(segments);
        if (!OF_ONE_FILE.has(systemCode(error))) throw error;
        problems.push({
          code: 'unreadable-file',
          where: name,
          message: `It ${describeFailure(error)}. The other segments were read; its records are missing.`,
        });
      }
    }
  }

  return {
    records,
    read: (places) =>
      reader.read(places).catch((error: unknown) => {
        if (systemCode(error) === 'ENOENT') throw inUse(segments);
        return throwReadable(error, segments);
      }),
    problems: () => problems,
    close: () => files.close(),
  };
}

function inUse(segments: string): StoreError {
  return new StoreError(
    'store_in_use',
    `${segments} changed while it was read: another process is compacting it. Wait until that is done, then repeat.`,
  );
}

async function* scanSegment(
  files: Files,
  path: string,
  segment: number,
  selection: RecordSelection,
  onDamaged: (bytes: Buffer, start: number) => void,
): AsyncGenerator<ScannedRecord> {
  const open = createBatches<ScannedRecord | undefined>();
  let piece = PIECE;
  let hasSums = false;
  for (let base = 0; ; ) {
    const bytes = await files.read(path, base, piece);
    let start = 0;
    for (let end = endOfLine(bytes, 0); end >= 0; end = endOfLine(bytes, start)) {
      const own = bytes.subarray(start, end);
      const place = { segment, start: base + start, length: end - start };
      if (bytes[end] !== LINE_FEED) onDamaged(own, place.start);
      start = end + 1;
      const line: ReturnType<typeof scanLine> | undefined =
        own.length === 0 ? undefined : scanLine(own, place, selection, hasSums);
      if (line === 'damaged') {
        onDamaged(own, place.start);
        yield* wanted(addDamaged(open, own, place.start));
      } else if (line && 'mark' in line) yield* wanted(addLine(open, line.mark, line.found));
      else if (line) {
        hasSums = line.hasSums ?? hasSums;
        yield* wanted(completeBatch(open));
      }
    }
    base += start;
    if (bytes.length < piece) return;
    // A line that is longer than what was read is read again as a whole.
    piece = start > 0 ? PIECE : piece * 2;
  }
}

function wanted(found: readonly (ScannedRecord | undefined)[]): ScannedRecord[] {
  return found.filter((one) => one !== undefined);
}

interface ScannedLine {
  readonly mark: ReturnType<typeof findMark>;
  readonly found: ScannedRecord | undefined;
}

/** A line about the segment itself. */
interface SegmentLine {
  readonly hasSums?: boolean;
}

/** The members of a record as our writer orders them. A text with an escape sequence or beyond ASCII is left to the parser. */
const START = /^\{(?:"~":"[\d.]+",)?"k":"([\w-]+)",/;
const ENTRY = /^"id":"([^"\\\x80-\xff]*)","of":"[^"\\]*","order":"[^"\\]*","clock":"([^"\\]*)",/;
const REF = /^"on":"([^"\\]*)","key":"[^"\\]*","name":"([^"\\]*)",/;
const NEVER_WANTED: ReadonlySet<string> = new Set(['body', 'node']);

/** Looks at the beginning of a line, and parses it only if that does not tell that it is not wanted. */
function scanLine(
  bytes: Buffer,
  place: RecordPlace,
  selection: RecordSelection,
  hasSums: boolean,
): ScannedLine | SegmentLine | 'damaged' {
  const head = bytes.toString('latin1', 0, Math.min(bytes.length, LONGEST_START));
  const [start, kind] = START.exec(head) ?? [];
  // A line with zeros never reached the disk as a whole, and is not what its start says.
  if (start !== undefined && kind !== undefined && !bytes.includes(0)) {
    const known = scanStart(kind, head.slice(start.length), bytes, place, selection);
    if (known !== 'parse') return { mark: findMark(head), found: known };
  }
  const line = readLine(bytes);
  if (line && hasSums && lacksSum(line)) return 'damaged';
  if (line) return { mark: line.mark, found: select(line.record, place, selection) };
  const said = readSegmentLine(bytes);
  if (!said) return 'damaged';
  return said === 'other' ? {} : { hasSums: said.hasSums };
}

function scanStart(
  kind: string,
  head: string,
  bytes: Buffer,
  place: RecordPlace,
  selection: RecordSelection,
): ScannedRecord | undefined | 'parse' {
  if (NEVER_WANTED.has(kind)) return undefined;
  if (kind === 'take') return bytes.includes(`"${selection.takesWith}":`) ? 'parse' : undefined;
  if (kind === 'ref') {
    const [, on, name] = REF.exec(head) ?? [];
    const isOther = on !== undefined && (on !== selection.ref.on || name !== selection.ref.name);
    return isOther ? undefined : 'parse';
  }
  const [, id, clock] = ENTRY.exec(head) ?? [];
  if (id === undefined || clock === undefined) return 'parse';
  const choice = selection.entry(kind as EntryKind, id);
  if (choice === 'record') return 'parse';
  return choice === 'skip' ? undefined : { entry: { k: kind as EntryKind, id, clock }, place };
}

function select(record: StoreRecord, place: RecordPlace, selection: RecordSelection): ScannedRecord | undefined {
  switch (record.k) {
    case 'node':
    case 'body':
      return undefined;
    case 'take':
      return record[selection.takesWith] === undefined ? undefined : { record, place };
    case 'ref':
      return record.on === selection.ref.on && record.name === selection.ref.name ? { record, place } : undefined;
    default: {
      const { k, id, clock } = record;
      if (typeof id !== 'string' || typeof clock !== 'string') return undefined;
      const choice = selection.entry(k, id);
      return choice === 'skip'
        ? undefined
        : choice === 'record'
          ? { record, place }
          : { entry: { k, id, clock }, place };
    }
  }
}
