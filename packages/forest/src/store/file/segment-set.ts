import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { StoreRecord } from '../../model/records.ts';
import { StoreError, type StoreProblem } from '../store.ts';
import { describeFailure, type FileStat, type Files, systemCode } from './disk.ts';
import { readLife } from './liveness.ts';
import { createSegment, readSegment, type Segment } from './segment.ts';
import { SEGMENT_VERSION } from './segment-format.ts';
import { IndexDamage, type PageCache } from './tables/pages.ts';
import type { RecordPlace } from './tables/rows.ts';
import { createTables, type Tables } from './tables/tables.ts';

/** Segments of ended writers are checked less often, because only copying can change them. */
const LOOK_AT_ALL_MS = 2000;
const MOST_PROBLEMS = 1000;
const MOST_TRIES = 20;
const WAIT_MS = 5;
/** Error codes that concern one file. Any other failure concerns all of them. */
export const OF_ONE_FILE = new Set([
  'ENOENT',
  'EISDIR',
  'ELOOP',
  'EACCES',
  'EPERM',
  'EIO',
  'ENOTDIR',
  'ENXIO',
  'EINVAL',
]);

export interface Folders {
  readonly segments: string;
  readonly writers: string;
  readonly index: string;
  readonly setAside: string;
}

/** All segments of a project and the tables of their records. */
export interface SegmentSet {
  readonly tables: Tables;
  readonly problems: readonly StoreProblem[];
  /** Every segment that was ever read, by number. */
  readonly all: readonly Segment[];
  /** The segments that exist now. */
  current(): Iterable<Segment>;
  pathOf(segment: number): string;
  /** The reason why the store is read-only; undefined if it is not. */
  readOnlyBecause(): string | undefined;
  /** Adds the segment that this process writes; it is not read. */
  own(name: string): Segment;
  /** From now on the segment is read like any other. */
  disown(segment: Segment): void;
  isOwn(segment: number): boolean;
  /** Reads what others have added. With `all`, segments of ended writers are checked, too. */
  refresh(all?: boolean): Promise<void>;
  /** Reads everything again. If `thorough`, every hash is checked. */
  reload(thorough?: boolean): Promise<void>;
  /** Reports a record that turned out to be damaged. */
  damaged(place: RecordPlace, problem: Omit<StoreProblem, 'where'>): void;
  /**
   * Reads everything again if new damage was found, because another segment may have the same records. Returns whether
   * it did.
   */
  mend(): Promise<boolean>;
  /** Does work that looks at the tables. If the index turns out to be damaged, it is made again, and the work is repeated. */
  sound<T>(work: () => T | Promise<T>): Promise<T>;
  /** Does work while the tables do not change, unless this process appends. */
  still<T>(work: () => Promise<T>): Promise<T>;
  /** Closes the file that the tables were loaded from. */
  close(): void;
  report(problem: StoreProblem): void;
}

/** The state that a snapshot restores. */
export interface SavedSet {
  readonly tables: Tables;
  /** By number; those that the snapshot does not have are not open. */
  readonly segments: readonly Segment[];
  readonly problems: readonly StoreProblem[];
}

export interface SetEvents {
  onRecord: (record: StoreRecord) => void;
  /** Everything that was read before is invalid. */
  onReset: () => void;
  /** All records that there are have been read. */
  onRead: () => void;
}

export function createSegmentSet(
  files: Files,
  folders: Folders,
  events: SetEvents,
  cache: PageCache,
  saved?: SavedSet,
): SegmentSet {
  const all: Segment[] = [...(saved?.segments ?? [])];
  let current = new Map(all.filter(({ isOpen }) => isOpen).map((segment) => [segment.name, segment]));
  let tables = saved?.tables ?? createTables(cache);
  let isClosed = false;
  let problems: StoreProblem[] = [...(saved?.problems ?? [])];
  let lookedAtAll = -Infinity;
  let isThorough = false;
  let hasNewDamage = false;
  const owned = new Set<number>();

  /** Reports a problem. Returns whether it is new. */
  const report = (problem: StoreProblem): boolean => {
    const isKnown = problems.some(({ where, code }) => where === problem.where && code === problem.code);
    if (isKnown || problems.length >= MOST_PROBLEMS) return false;
    problems.push(problem);
    return true;
  };
  const add = (name: string) => {
    const segment = createSegment(all.length, name);
    all.push(segment);
    current.set(name, segment);
    return segment;
  };
  const reset = () => {
    const own = [...current.values()].filter(({ number }) => owned.has(number));
    current = new Map(own.map((segment) => [segment.name, fromStart(segment)]));
    tables.drop();
    tables = createTables(cache);
    problems = [];
    events.onReset();
    // A replaced file has another inode under the same name.
    return files.close();
  };
  const readOne = async (segment: Segment, stat: FileStat) => {
    segment.file = stat.file;
    const onRecord = (record: StoreRecord) => events.onRecord(record);
    const reading = {
      files,
      folder: folders.segments,
      tables,
      thorough: isThorough,
      onRecord,
      onProblem: report,
    };
    await readSegment(reading, segment, stat.size);
  };

  /** Reads what is new in a file; false if it was removed or replaced. */
  const visit = async (name: string, isAlive: boolean): Promise<boolean> => {
    const known = current.get(name);
    try {
      const stat = await files.stat(join(folders.segments, name));
      if (!stat) return await leaveOut(name, 'is a broken link');
      if (!stat.isFile) return await leaveOut(name, 'is not a file');
      if (known && isReplaced(known, stat)) return false;
      const segment = known ?? add(name);
      segment.wasAlive = isAlive || !known;
      await readOne(segment, stat);
      // Only of a file that could not be read, the place is its name alone.
      problems = problems.filter(({ where }) => where !== name);
      return true;
    } catch (error) {
      if (!OF_ONE_FILE.has(systemCode(error))) throw error;
      if (!current.get(name)?.isOpen) current.delete(name);
      return leaveOut(name, describeFailure(error));
    }
  };
  /** Reports a file that cannot be read; false if it was removed meanwhile, so that all files are checked again. */
  const leaveOut = async (name: string, why: string): Promise<boolean> => {
    if (!(await files.list(folders.segments)).includes(name)) return false;
    const message = `It ${why}. The other segments were read; its records are missing until it can be read.`;
    report({ code: 'unreadable-file', where: name, message });
    return true;
  };
  /** Checks all segments; false if everything has to be read again. */
  const look = async (): Promise<boolean> => {
    const alive = new Set(await files.list(folders.writers));
    const names = (await files.list(folders.segments)).filter((name) => name.endsWith('.jsonl')).sort();
    const lookAtAll = performance.now() - lookedAtAll > LOOK_AT_ALL_MS;
    const there = new Set(names);
    const gone = [...current.values()].filter(({ name }) => !there.has(name));
    for (const { number } of gone) owned.delete(number);
    if (gone.length > 0) return false;
    for (const name of names) {
      const known = current.get(name);
      if (known && owned.has(known.number) && known.isOpen) continue;
      const isAlive = alive.has(`${known?.writer}.json`);
      // A writer removes its sign after its last line, so its segment is read once more after that.
      if (known?.isOpen && !lookAtAll && !isAlive && !known.wasAlive) continue;
      if (!(await visit(name, isAlive))) return false;
    }
    if (lookAtAll) lookedAtAll = performance.now();
    return true;
  };

  // One at a time: two would interfere with each other's positions.
  let last: Promise<unknown> = Promise.resolve();
  const alone = <T>(work: () => Promise<T>): Promise<T> => {
    const run = last.then(work);
    last = run.catch(() => undefined);
    return run;
  };
  const readNew = async () => {
    for (let tries = 0; tries < MOST_TRIES; tries++) {
      // A node may be read before its parent, which is then in a segment that was read earlier.
      const { gaps } = tables.nodes;
      const isSteady = await look().catch((error: unknown) => {
        if (error instanceof IndexDamage) return false;
        throw error;
      });
      if (isSteady && (tables.nodes.gaps <= gaps || tries === MOST_TRIES - 1)) return events.onRead();
      if (isSteady) continue;
      await reset();
      // A compaction is running, which removes one file after the other.
      await sleep(tries * WAIT_MS);
    }
    throw new StoreError(
      'store_in_use',
      `${folders.segments} changed each time it was read: another process is compacting it. Wait until that is done, then repeat.`,
    );
  };

  const reload = (thorough = isThorough) =>
    alone(async () => {
      isThorough = thorough;
      await reset();
      await readNew();
    });

  return {
    all,
    report,
    current: () => current.values(),
    pathOf: (number) => join(folders.segments, all[number]?.name ?? ''),
    readOnlyBecause() {
      const newer = [...current.values()].find(({ version }) => version > SEGMENT_VERSION);
      return (
        newer &&
        `${newer.name} has format version ${newer.version}, but this program knows only version ${SEGMENT_VERSION}`
      );
    },
    own(name) {
      const segment = add(name);
      segment.isOpen = true;
      segment.version = SEGMENT_VERSION;
      segment.hasSums = true;
      owned.add(segment.number);
      return segment;
    },
    disown(segment) {
      owned.delete(segment.number);
    },
    isOwn: (number) => owned.has(number),
    refresh: (all = false) =>
      alone(() => {
        if (all) lookedAtAll = -Infinity;
        return readNew();
      }),
    reload,
    damaged({ segment: number, start }, problem) {
      const segment = all[number]!;
      segment.isDamaged = true;
      if (!report({ ...problem, where: `${segment.name}:${start}` })) return;
      isThorough = true;
      hasNewDamage = true;
    },
    async mend() {
      if (!hasNewDamage) return false;
      hasNewDamage = false;
      await reload();
      return true;
    },
    async sound(work) {
      for (let tries = 1; ; tries++) {
        const used = tables;
        try {
          return await work();
        } catch (error) {
          if (!(error instanceof IndexDamage) || isClosed || tries === MOST_TRIES) throw error;
          // If the tables were replaced meanwhile, the new ones are right.
          if (used === tables) await reload();
        }
      }
    },
    still: alone,
    close() {
      isClosed = true;
      tables.close();
    },
    get tables() {
      return tables;
    },
    get problems() {
      return problems;
    },
  };
}

/** When everything is read again, the own segment has to be read, too. */
function fromStart(segment: Segment): Segment {
  return Object.assign(segment, createSegment(segment.number, segment.name));
}

function isReplaced(segment: Segment, stat: FileStat): boolean {
  return stat.size < segment.read || (segment.file !== 0 && stat.file !== segment.file);
}

/** Reports the incomplete writes of dead writers. A living one may still complete its write. */
export async function reportTorn(set: SegmentSet, files: Files, folders: Folders): Promise<void> {
  for (const segment of set.current()) {
    const size = set.isOwn(segment.number) ? segment.read : ((await files.stat(set.pathOf(segment.number)))?.size ?? 0);
    const held = segment.last?.held[0]?.place.start;
    if (segment.read >= size && held === undefined) continue;
    if ((await readLife(files, folders.writers, segment.writer)) === 'alive') continue;
    const start = held ?? segment.read;
    segment.isDamaged = true;
    const message = `The last ${size - start} bytes belong to a write that was never completed. They are ignored and kept.`;
    set.report({ code: 'torn-line', where: `${segment.name}:${start}`, message });
  }
}
