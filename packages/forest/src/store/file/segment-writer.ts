import { join } from 'node:path';
import type { StoreRecord } from '../../model/records.ts';
import { StoreError } from '../store.ts';
import { type Appender, type Files, toStoreError } from './disk.ts';
import { readLife, showLife } from './liveness.ts';
import type { Segment } from './segment.ts';
import { END_LINE, encodeBatch, headerLine, LineEncoder } from './segment-format.ts';
import type { Folders, SegmentSet } from './segment-set.ts';
import type { RecordPlace } from './tables/rows.ts';

/** Writes the segment of this process. The first write creates it. */
export interface SegmentWriter {
  /** Writes one batch, waits for the disk, and returns the place of each record. */
  write(records: readonly StoreRecord[]): Promise<RecordPlace[]>;
  /** Closes the segment; the next write begins another one. */
  leave(): Promise<void>;
  close(): Promise<void>;
}

interface Open {
  readonly segment: Segment;
  readonly appender: Appender;
  size: number;
  isNamed: boolean;
}

export function createSegmentWriter(
  files: Files,
  folders: Folders,
  set: SegmentSet,
  { writer, isFlushed }: { readonly writer: string; readonly isFlushed: boolean },
): SegmentWriter {
  let open: Open | undefined;
  let hideLife: (() => Promise<void>) | undefined;
  let segments = 0;
  let batch = 0;
  const encoder = new LineEncoder();

  const start = async (): Promise<Open> => {
    hideLife ??= await showLife(files, folders.writers, writer);
    await refuseDuringCompaction(files, folders);
    await files.makeFolder(folders.segments);
    segments += 1;
    const name = `${writer}${segments === 1 ? '' : `-${segments}`}.jsonl`;
    const appender = await files.create(join(folders.segments, name));
    const segment = set.own(name);
    segment.writer = writer;
    return { segment, appender, size: 0, isNamed: false };
  };
  /** After a failed write the state of the file is unknown, so nothing is ever appended to it. */
  const abandon = async ({ segment, appender, size }: Open) => {
    open = undefined;
    segment.read = size;
    set.disown(segment);
    await appender.close().catch(() => undefined);
  };
  const current = async () => {
    if (open && !set.isOwn(open.segment.number)) await abandon(open);
    open ??= await start();
    return open;
  };

  const leave = async () => {
    if (!open) return;
    const { appender, segment } = open;
    open = undefined;
    set.disown(segment);
    // The end line is only a hint for readers, so it need not reach the disk.
    await appender.append(Buffer.from(END_LINE)).then(
      () => {
        segment.read += END_LINE.length;
      },
      () => undefined,
    );
    await appender.close().catch(() => undefined);
  };

  return {
    async write(records) {
      const to = await current().catch((error: unknown) => {
        throw toStoreError(error, folders.segments, 'Nothing was written.');
      });
      batch += 1;
      const header = to.size === 0 ? headerLine(writer) : '';
      const { bytes, lengths } = encodeBatch(records, batch, header, encoder);
      const path = set.pathOf(to.segment.number);
      try {
        await to.appender.append(bytes);
      } catch (error) {
        // A part of a batch is never valid; truncating it only saves work for readers.
        const isClean = await to.appender.truncate(to.size).then(
          () => true,
          () => false,
        );
        if (!isClean || to.size === 0) await abandon(to);
        throw toStoreError(error, path, 'The batch was not written.');
      }
      try {
        if (isFlushed) await to.appender.sync();
        if (isFlushed && !to.isNamed) await files.sync(folders.segments);
      } catch (error) {
        await abandon(to);
        throw toStoreError(error, path, 'The batch may or may not have been written. Writing it again is safe.');
      }
      to.isNamed = true;
      let start = to.size + header.length;
      to.size += bytes.length;
      to.segment.read = to.size;
      to.segment.safe = to.size;
      return lengths.map((length) => {
        start += length;
        return { segment: to.segment.number, start: start - length, length: length - 1 };
      });
    },
    leave,
    async close() {
      await leave();
      await hideLife?.().catch(() => undefined);
    },
  };
}

/** The name under which a compaction shows that it is running. */
export const COMPACTION = 'compacting';

async function refuseDuringCompaction(files: Files, folders: Folders): Promise<void> {
  const life = await readLife(files, folders.writers, COMPACTION);
  if (life === 'alive' || life === 'silent')
    throw new StoreError(
      'store_in_use',
      `${folders.segments} is being compacted. Wait until that is done; if no process is compacting it, remove ${COMPACTION}.json in ${folders.writers}.`,
    );
}
