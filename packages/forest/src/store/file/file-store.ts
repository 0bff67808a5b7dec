import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import type { StoreRecord } from '../../model/index.ts';
import { createChangeLog } from '../change-log.ts';
import { changeOf } from '../key-of.ts';
import type { Store } from '../store.ts';
import { StoreError } from '../store-error.ts';
import { createAppendQueue } from './append-queue.ts';
import { checkSegments } from './check.ts';
import { namesUnknown, newRecords, reliedOn } from './commit.ts';
import { compactSegments } from './compact.ts';
import { diskFiles } from './disk-files.ts';
import { inWords, tell } from './file-error.ts';
import type { Files } from './files.ts';
import { isRecord } from './format.ts';
import { lifeOf } from './liveness.ts';
import { createQueries } from './queries.ts';
import { createRecordReader } from './record-reader.ts';
import { createRefresher } from './refresher.ts';
import { createSegmentSet, type Folders, reportTorn, type SetEvents } from './segment-set.ts';
import { createSegmentWriter } from './segment-writer.ts';
import { loadSnapshot, saveSnapshot } from './snapshot.ts';
import { addRecord } from './tables.ts';

export interface FileStoreOptions {
  /** Default `default`. */
  readonly project?: string;
  /**
   * When an append is acknowledged: `disk`, the default, once it survives a loss of power; `os` once it survives the
   * end of this process.
   */
  readonly durability?: 'disk' | 'os';
  /** Takes the place of the disk in tests. */
  readonly files?: Files;
}

/** A snapshot is worth writing when at least this much would have to be read without it. */
const WORTH_SAVING = 256 * 1024;

/** Opens a forest in a folder; several processes may do so at once. It is made by the first write. */
export async function fileStore(folder: string, options: FileStoreOptions = {}): Promise<Store> {
  const { project = 'default', durability = 'disk', files = diskFiles() } = options;
  const folders = foldersOf(folder, project);
  try {
    await files.tighten(join(folder, 'projects'));
    return inWords(await open(folder, folders, files, durability), folder);
  } catch (error) {
    await files.close();
    return tell(error, folders.segments);
  }
}

async function open(
  folder: string,
  folders: Folders,
  files: Files,
  durability: FileStoreOptions['durability'],
): Promise<Store> {
  const writer = `f${randomBytes(6).toString('hex')}`;
  const isFlushed = durability === 'disk';
  let log = createChangeLog();
  let isClosed = false;

  const saved = await loadSnapshot(files, folders).catch(() => undefined);
  // Nobody is told of what is found while opening.
  const events: SetEvents = { onRecord: () => undefined, onReset: () => undefined };
  const set = createSegmentSet(files, folders, events, saved);
  const covered = sizeOf(set);
  const records = createRecordReader(
    (segment, start, length) => files.read(set.pathOf(segment), start, length),
    set.damaged,
  );
  await set.refresh();
  await reportTorn(set, files, folders);

  const found: StoreRecord[] = [];
  const refresher = createRefresher(async () => {
    await set.refresh();
    const added = found.splice(0);
    for (const record of added) log.add(changeOf(record));
    queries.onNew(added);
    return added.length > 0;
  });
  const queries = createQueries(set, records, refresher);
  events.onRecord = (record) => found.push(record);
  events.onReset = () => {
    log = createChangeLog();
    queries.reset();
  };
  const out = createSegmentWriter(files, folders, set, { writer, isFlushed });

  const commit = async (given: readonly StoreRecord[]) => {
    if (namesUnknown(set.tables, given)) await refresher.now();
    const reason = set.readOnlyBecause();
    if (reason) throw new StoreError('store_read_only', `${folders.segments} is read-only: ${reason}. Update Skein.`);
    if (isFlushed && hasUnsafe()) await makeSafe(given);
    const fresh = newRecords(set.tables, given);
    if (fresh.length === 0) return;
    const places = await out.write(fresh);
    for (const [index, record] of fresh.entries()) {
      addRecord(set.tables, record, places[index]!);
      // What is asked for next is most often the node to go on from.
      if (record.k === 'node') records.keep(places[index]!, record);
      if (record.k !== 'body') log.add(changeOf(record));
    }
    queries.onNew(fresh);
    refresher.tell();
  };
  const hasUnsafe = () => {
    for (const { safe, read } of set.current()) if (safe < read) return true;
    return false;
  };
  /** What others wrote and a batch relies on may not have reached the disk: then the batch must not before it. */
  const makeSafe = async (given: readonly StoreRecord[]) => {
    const unsafe = new Set<number>();
    for (const place of reliedOn(set.tables, given))
      if (place && place.start + place.length > set.all[place.segment]!.safe) unsafe.add(place.segment);
    for (const number of unsafe) {
      const segment = set.all[number]!;
      const { read } = segment;
      await files.sync(set.pathOf(number));
      await files.sync(folders.segments);
      segment.safe = read;
    }
  };
  const queue = createAppendQueue(commit);

  return {
    writer,
    ...queries.store,
    async append(given) {
      if (isClosed) throw new StoreError('store_closed', `The store in ${folder} was closed.`);
      const wrong = given.find((record) => !isRecord(record));
      if (wrong)
        throw new StoreError(
          'store_record',
          `Not a record: ${JSON.stringify(wrong).slice(0, 200)}. Nothing was written.`,
        );
      if (given.length > 0) await queue.append(given);
    },
    async changes(after) {
      await refresher.now();
      return log.since(after);
    },
    watch: refresher.watch,
    isAlive: async (name) => name === writer || (await lifeOf(files, folders.writers, name)) === 'alive',
    problems: () => set.problems,
    async check() {
      await set.refresh(true);
      await refresher.now();
      await reportTorn(set, files, folders);
      return [
        ...set.problems.filter(({ code }) => code !== 'damaged-record' && code !== 'wrong-hash'),
        ...(await checkSegments(files, set)),
      ];
    },
    async compact(keep) {
      await queue.idle();
      await refresher.now();
      return compactSegments({ files, folders, set, records, writer, out }, keep);
    },
    async close() {
      if (isClosed) return;
      isClosed = true;
      await refresher.stop();
      await queue.idle();
      await out.close();
      if (sizeOf(set) - covered > WORTH_SAVING) await saveSnapshot(files, folders, set, writer).catch(() => undefined);
      await files.close();
    },
  };
}

function sizeOf(set: { current(): Iterable<{ read: number }> }): number {
  let size = 0;
  for (const { read } of set.current()) size += read;
  return size;
}

function foldersOf(folder: string, project: string): Folders {
  if (!/^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/.test(project))
    throw new StoreError(
      'store_name',
      `${JSON.stringify(project)} cannot be a project. Use up to 100 letters, digits, dots, dashes and underscores, and begin with a letter or digit.`,
    );
  const own = join(folder, 'projects', project);
  return {
    segments: join(own, 'segments'),
    writers: join(own, 'writers'),
    index: join(own, 'index'),
    setAside: join(own, 'set-aside'),
  };
}
