import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import type { StoreRecord } from '../../model/records.ts';
import { createChangeLog } from '../changes.ts';
import { isEntry, isRecord, recordKey, toChange } from '../records.ts';
import { type Change, type Store, StoreError } from '../store.ts';
import { diskFiles, type Files, throwReadable, withReadableErrors } from './disk.ts';
import { readLife } from './liveness.ts';
import { checkSegments, compactSegments } from './maintenance.ts';
import { projectFolders } from './project-folders.ts';
import { createQueries } from './queries.ts';
import { createRecordReader } from './record-reader.ts';
import { createRefresher } from './refresher.ts';
import { createSegmentSet, type Folders, reportTorn, type SetEvents } from './segment-set.ts';
import { createSegmentWriter } from './segment-writer.ts';
import { PageCache } from './tables/pages.ts';
import type { RecordPlace } from './tables/rows.ts';
import { loadSnapshot, saveSnapshot } from './tables/snapshot.ts';
import { addRecord, recordPlace, type Tables } from './tables/tables.ts';

/** Options of `fileStore`. */
export interface FileStoreOptions {
  /** Default `default`. */
  readonly project?: string;
  /**
   * When an append resolves: with `disk` (the default) once it survives a power loss, with `os` once it survives the
   * end of this process.
   */
  readonly durability?: 'disk' | 'os';
  /** How many bytes of the index are in memory at most; the rest is on the disk. Default 64 MB. */
  readonly indexMemory?: number;
  /**
   * How many bytes the texts may have for an index of their words, which takes about as much memory. In a larger store, a
   * search reads all texts. Default 1 GB.
   */
  readonly searchMemory?: number;
  /** Replaces the disk in tests. */
  readonly files?: Files;
}

const INDEX_MEMORY = 64 * 2 ** 20;
const SEARCH_MEMORY = 2 ** 30;
/**
 * A snapshot is written if at least this many bytes would have to be read without it, and this part of the store: writing
 * the snapshot of a large store takes long.
 */
const WORTH_SAVING = 256 * 1024;
const WORTH_SAVING_PART = 1 / 256;
/** If others have written more records than this at once, readers read everything again. */
const MOST_CHANGES = 20_000;

/** Opens the store of a forest in a folder; others call that of `open-stores.ts`, which loads this file. */
export async function fileStore(folder: string, options: FileStoreOptions = {}): Promise<Store> {
  const { project = 'default', files = diskFiles() } = options;
  const folders = projectFolders(folder, project);
  try {
    await files.tighten(join(folder, 'projects'));
    return withReadableErrors(await open(folder, folders, files, options), folder);
  } catch (error) {
    await files.close();
    return throwReadable(error, folders.segments);
  }
}

async function open(
  folder: string,
  folders: Folders,
  files: Files,
  { durability = 'disk', indexMemory = INDEX_MEMORY, searchMemory = SEARCH_MEMORY }: FileStoreOptions,
): Promise<Store> {
  const writer = `f${randomBytes(6).toString('hex')}`;
  const isFlushed = durability === 'disk';
  let log = createChangeLog();
  let isClosed = false;

  const cache = new PageCache(files, folders.index, indexMemory);
  const saved = await loadSnapshot(files, folders, cache).catch(() => undefined);
  /** How many bytes of the segments the snapshot covers. */
  let covered = 0;
  // Records that are found while opening are no changes.
  const events: SetEvents = {
    onRecord: () => undefined,
    onReset() {
      covered = 0;
    },
    onRead: () => undefined,
  };
  const set = createSegmentSet(files, folders, events, cache, saved);
  covered = totalSize(set);
  const records = createRecordReader(
    (segment, start, length) => files.read(set.pathOf(segment), start, length),
    set.damaged,
  );
  await set.refresh();
  await reportTorn(set, files, folders);

  /** What others have written, until all of it is read. */
  let found: Change[] = [];
  let isReset = false;
  let hasNews = false;
  const refresher = createRefresher(async () => {
    await set.refresh();
    const hadNews = hasNews;
    hasNews = false;
    return hadNews;
  });
  const queries = createQueries(set, records, refresher, searchMemory);
  const startOver = () => {
    isReset = true;
    found = [];
    log = createChangeLog();
    queries.reset();
  };
  events.onRecord = (record) => {
    // After a reset everybody reads everything again, whatever was found.
    if (isReset) return;
    found.push(toChange(record));
    if (found.length > MOST_CHANGES) startOver();
  };
  events.onReset = () => {
    covered = 0;
    startOver();
  };
  events.onRead = () => {
    for (const change of found) log.add(change);
    queries.onNew(found);
    hasNews ||= isReset || found.length > 0;
    found = [];
    isReset = false;
  };
  const out = createSegmentWriter(files, folders, set, { writer, isFlushed });

  const commit = async (given: readonly StoreRecord[]) => {
    await set.sound(async () => {
      if (hasUnknownParent(set.tables, given)) await refresher.now();
    });
    const reason = set.readOnlyBecause();
    if (reason) throw new StoreError('store_read_only', `${folders.segments} is read-only: ${reason}. Update Skein.`);
    if (isFlushed && hasUnsafe()) await set.sound(() => makeSafe(given));
    const fresh = await set.sound(() => newRecords(set.tables, given));
    if (fresh.length === 0) return;
    const places = await out.write(fresh);
    const added = await set.sound(() => fresh.filter((record, index) => addRecord(set.tables, record, places[index]!)));
    for (const [index, record] of fresh.entries()) {
      // A node that was just written is usually asked for next, and an exchange is placed in the tree next. The texts of an
      // exchange are handed over in another way, and are not held here.
      if ((record.k === 'node' || record.k === 'exchange') && places[index]!.length <= LONGEST_KEPT)
        records.keep(places[index]!, record);
      if (record.k !== 'body') log.add(toChange(record));
    }
    queries.onNew(added.map(toChange));
    refresher.tell();
  };
  const hasUnsafe = () => {
    for (const { safe, read } of set.current()) if (safe < read) return true;
    return false;
  };
  /**
   * Flushes what a batch depends on: records of other processes may not be on the disk yet, and the batch must not
   * survive without them.
   */
  const makeSafe = async (given: readonly StoreRecord[]) => {
    const unsafe = new Set<number>();
    for (const place of findDependencies(set.tables, given))
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
  /** Without a snapshot, the next opening takes longer. */
  const save = () => set.sound(() => set.still(() => saveSnapshot(files, folders, set, writer))).catch(() => undefined);

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
    isAlive: async (name) => name === writer || (await readLife(files, folders.writers, name)) === 'alive',
    problems: () => set.problems,
    async check() {
      await set.refresh(true);
      await refresher.now();
      await reportTorn(set, files, folders);
      return [
        ...set.problems.filter(({ code }) => code !== 'damaged-record' && code !== 'wrong-hash'),
        ...(await set.sound(() => checkSegments(files, set))),
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
      if (totalSize(set) - covered > Math.max(WORTH_SAVING, covered * WORTH_SAVING_PART)) await save();
      set.close();
      cache.close();
      await files.close();
    },
  };
}

function totalSize(set: { current(): Iterable<{ read: number }> }): number {
  let size = 0;
  for (const { read } of set.current()) size += read;
  return size;
}

/** A longer record is not held in memory after it was written. */
const LONGEST_KEPT = 2 ** 12;
const MOST_RECORDS = 20_000;

interface QueuedBatch {
  readonly records: readonly StoreRecord[];
  resolve(): void;
  reject(error: unknown): void;
}

/**
 * Group commit: batches that are appended while another one is written are written together. If that fails, they are
 * written one by one, so that only the failing batch is rejected.
 */
function createAppendQueue(commit: (records: readonly StoreRecord[]) => Promise<void>) {
  let waiting: QueuedBatch[] = [];
  let running: Promise<void> | undefined;

  const run = async () => {
    while (waiting.length > 0) {
      const group = nextGroup();
      try {
        await commit(group.flatMap(({ records }) => records));
        for (const { resolve } of group) resolve();
      } catch (error) {
        if (group.length === 1) group[0]!.reject(error);
        else for (const one of group) await commit(one.records).then(one.resolve, one.reject);
      }
    }
    running = undefined;
  };
  const nextGroup = () => {
    let count = 0;
    let length = 0;
    while (length < waiting.length && count < MOST_RECORDS) count += waiting[length++]!.records.length;
    const group = waiting.slice(0, length);
    waiting = waiting.slice(length);
    return group;
  };

  return {
    append: (records: readonly StoreRecord[]): Promise<void> =>
      new Promise<void>((resolve, reject) => {
        waiting.push({ records, resolve, reject });
        running ??= run();
      }),
    /** Resolves when nothing is being written. */
    idle: async (): Promise<void> => running,
  };
}

/** The records of a batch that are not stored yet, each once. */
function newRecords(tables: Tables, records: readonly StoreRecord[]): StoreRecord[] {
  const chosen = new Map<string, StoreRecord>();
  for (const record of records) {
    if (recordPlace(tables, record)) continue;
    // Keys of different kinds may be the same text.
    const key = `${record.k} ${recordKey(record)}`;
    const there = chosen.get(key);
    if (!there) chosen.set(key, record);
    else if ('clock' in there && 'clock' in record && there.clock < record.clock) {
      // The later record goes to the end, because it may refer to records between the two.
      chosen.delete(key);
      chosen.set(key, record);
    }
  }
  return [...chosen.values()];
}

/**
 * The places of the records that a batch depends on: those that it refers to, and those that make a part of it
 * redundant.
 */
function* findDependencies(tables: Tables, records: readonly StoreRecord[]): Generator<RecordPlace | undefined> {
  const { nodes, bodies } = tables;
  const body = (digest: unknown) => (typeof digest === 'string' ? bodies.place(bodies.rowOf(digest)) : undefined);
  const node = (id: string) => nodes.place(nodes.rowOf(id));
  for (const record of records) {
    yield recordPlace(tables, record);
    if (record.k === 'node') {
      yield node(record.parent);
      yield body(record.body);
    } else if (record.k === 'take') {
      yield node(record.node);
      yield body(record.envelope);
      yield body(record.request?.manifest);
      yield body(record.request?.sent);
    } else if (record.k === 'ref') {
      // The value of a register is often the id of a node; its writer has waited for anything else that it refers to.
      if (typeof record.value === 'string') yield node(record.value);
      yield node(record.key);
    } else if (isEntry(record)) yield node(record.of);
  }
}

/** Whether a batch has a node with an unknown parent. */
function hasUnknownParent({ nodes }: Tables, records: readonly StoreRecord[]): boolean {
  const inBatch = new Set<string>();
  for (const record of records) {
    if (record.k !== 'node') continue;
    inBatch.add(record.id);
    const parent = nodes.rowOf(record.parent);
    if (parent !== 0 && !inBatch.has(record.parent) && !nodes.has(parent)) return true;
  }
  return false;
}
