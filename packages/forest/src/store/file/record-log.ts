import { join } from 'node:path';
import type { StoreRecord } from '../../model/records.ts';
import { type Appender, type Files, toStoreError } from './disk.ts';
import { addDamaged, addLine, completeBatch, createBatches } from './segment.ts';
import { encodeBatch, endOfLine, headerLine, lacksSum, readLine, readSegmentLine } from './segment-format.ts';

/** A file of records outside of a store, in the format of a segment: records that wait for their store. */
export interface RecordLog {
  readonly path: string;
  /** Resolves when the records survive a power loss. Appends that wait for each other are written together. */
  append(records: readonly StoreRecord[]): Promise<void>;
  /** Waits for what is being written. */
  close(): Promise<void>;
}

interface WaitingAppend {
  readonly records: readonly StoreRecord[];
  readonly done: () => void;
  readonly fail: (error: unknown) => void;
}

/** Creates a log under a name that no file has yet. */
export async function createRecordLog(
  files: Files,
  folder: string,
  { name, writer }: { readonly name: string; readonly writer: string },
): Promise<RecordLog> {
  const path = join(folder, name);
  let waiting: WaitingAppend[] = [];
  let working: Promise<void> | undefined;
  let size = 0;
  let batch = 0;
  let broken: unknown;

  await files.makeFolder(folder);
  const appender = await files.create(path);

  const write = async (appends: readonly WaitingAppend[]) => {
    // The state of the file is unknown after a failure that could not be undone, so nothing is ever appended to it.
    if (broken) throw broken;
    // One batch for one flush: whoever reads takes a batch for complete when another one follows.
    batch += 1;
    const records = appends.flatMap((one) => one.records);
    const { bytes } = encodeBatch(records, batch, size === 0 ? headerLine(writer) : '');
    try {
      await appender.append(bytes);
      await appender.sync();
      if (size === 0) await files.sync(folder);
      size += bytes.length;
    } catch (error) {
      await undo(appender, size).catch(() => {
        broken = error;
      });
      throw error;
    }
  };
  const work = async () => {
    for (let appends = waiting; appends.length > 0; appends = waiting) {
      waiting = [];
      try {
        await write(appends);
        for (const { done } of appends) done();
      } catch (error) {
        const readable = toStoreError(error, path, 'The batch was not written.');
        for (const { fail } of appends) fail(readable);
      }
    }
    working = undefined;
  };

  return {
    path,
    append: (records) =>
      new Promise((done, fail) => {
        waiting.push({ records, done, fail });
        working ??= work();
      }),
    async close() {
      await working;
      await appender.close().catch(() => undefined);
    },
  };
}

async function undo(appender: Appender, size: number): Promise<void> {
  await appender.truncate(size);
  await appender.sync();
}

const PIECE = 2 ** 20;
const LINE_FEED = 10;

/**
 * Reads the batches of a log whose lines are all there, some at a time; an incomplete one at its end was not acknowledged. Memory
 * does not depend on its size. Returns how many lines are damaged.
 */
export async function* readRecordLog(files: Files, path: string): AsyncGenerator<readonly StoreRecord[], number> {
  const open = createBatches<StoreRecord>();
  let damaged = 0;
  let hasSums = false;
  const read = (bytes: Buffer, start: number): readonly StoreRecord[] => {
    const about = readSegmentLine(bytes);
    if (about) {
      hasSums ||= about !== 'other' && about.hasSums;
      return completeBatch(open);
    }
    const line = readLine(bytes);
    if (line && !(hasSums && lacksSum(line))) return addLine(open, line.mark, line.record);
    damaged += 1;
    return addDamaged(open, bytes, start);
  };
  let piece = PIECE;
  for (let base = 0; ; ) {
    const bytes = await files.read(path, base, piece);
    const found: StoreRecord[] = [];
    let start = 0;
    for (let end = endOfLine(bytes, 0); end >= 0; end = endOfLine(bytes, start)) {
      if (end > start) found.push(...read(bytes.subarray(start, end), base + start));
      if (bytes[end] !== LINE_FEED) damaged += 1;
      start = end + 1;
    }
    if (found.length > 0) yield found;
    base += start;
    if (bytes.length < piece) return damaged;
    // A line that is longer than what was read is read again as a whole.
    piece = start > 0 ? PIECE : piece * 2;
  }
}
