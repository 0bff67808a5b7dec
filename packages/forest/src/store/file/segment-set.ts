import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { StoreRecord } from '../../model/index.ts';
import { type Problem, StoreError } from '../store.ts';
import type { RecordPlace } from './columns.ts';
import { describeFailure, type FileStat, type Files, systemCode } from './disk.ts';
import { readLife } from './liveness.ts';
import { createSegment, readSegment, type Segment } from './segment.ts';
import { SEGMENT_VERSION } from './segment-format.ts';
import { createTables, type Tables } from './tables.ts';

/** Segments of ended writers are looked at more seldom: only copying can change them. */
const LOOK_AT_ALL_MS = 2000;
const MOST_PROBLEMS = 1000;
const MOST_TRIES = 20;
const WAIT_MS = 5;
/** What is wrong with one file. Any other failure concerns them all. */
const OF_ONE_FILE = new Set(['ENOENT', 'EISDIR', 'ELOOP', 'EACCES', 'EPERM', 'EIO', 'ENOTDIR', 'ENXIO', 'EINVAL']);

export interface Folders {
  readonly segments: string;
  readonly writers: string;
  readonly index: string;
  readonly setAside: string;
}

/** All segments of a project and what is in them. */
export interface SegmentSet {
  readonly tables: Tables;
  readonly problems: readonly Problem[];
  /** Every segment that was ever read, by number. */
  readonly all: readonly Segment[];
  /** Those that make up the forest now. */
  current(): Iterable<Segment>;
  pathOf(segment: number): string;
  /** Why nothing may be written. */
  readOnlyBecause(): string | undefined;
  /** Takes a segment that this process writes: it is not read. */
  own(name: string): Segment;
  /** Hands it back, to be read like any other. */
  disown(segment: Segment): void;
  isOwn(segment: number): boolean;
  /** Reads what others have added; to `all` segments, also of writers that have ended. */
  refresh(all?: boolean): Promise<void>;
  /** Forgets everything and reads it again, every hash included when damage was met. */
  reload(thorough?: boolean): Promise<void>;
  /** Takes note of a record that turned out to be damaged. */
  damaged(place: RecordPlace, problem: Omit<Problem, 'where'>): void;
  /** Reads everything again if damage was met since the last time: another segment may have the same. Whether it did. */
  mend(): Promise<boolean>;
  report(problem: Problem): void;
}

/** What a snapshot gives back. */
export interface SavedSet {
  readonly tables: Tables;
  readonly segments: readonly Segment[];
  readonly problems: readonly Problem[];
}

export interface SetEvents {
  onRecord: (record: StoreRecord) => void;
  /** What was read before no longer holds. */
  onReset: () => void;
}

export function createSegmentSet(files: Files, folders: Folders, events: SetEvents, saved?: SavedSet): SegmentSet {
  const all: Segment[] = [...(saved?.segments ?? [])];
  let current = new Map(all.map((segment) => [segment.name, segment]));
  let tables = saved?.tables ?? createTables();
  let problems: Problem[] = [...(saved?.problems ?? [])];
  let lookedAtAll = -Infinity;
  let isThorough = false;
  let hasNewDamage = false;
  const owned = new Set<number>();

  /** Whether it is news. */
  const report = (problem: Problem): boolean => {
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
    tables = createTables();
    problems = [];
    lookedAtAll = -Infinity;
    events.onReset();
    // A file that was replaced has another one behind the same name.
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

  /** Reads what is new in a file; false when it is no longer there, or another one is. */
  const visit = async (name: string, isAlive: boolean): Promise<boolean> => {
    const known = current.get(name);
    try {
      const stat = await files.stat(join(folders.segments, name));
      if (!stat) return await leaveOut(name, 'is a link to nothing');
      if (!stat.isFile) return await leaveOut(name, 'is not a file');
      if (known && isReplaced(known, stat)) return false;
      const segment = known ?? add(name);
      segment.wasAlive = isAlive || !known;
      await readOne(segment, stat);
      const now = problems.filter(({ code, where }) => code !== 'unreadable-file' || where !== name);
      if (now.length < problems.length) problems = now;
      return true;
    } catch (error) {
      if (!OF_ONE_FILE.has(systemCode(error))) throw error;
      if (!current.get(name)?.isOpen) current.delete(name);
      return leaveOut(name, describeFailure(error));
    }
  };
  /** Reports a file that cannot be read; false when it is not there any more: then all is looked at again. */
  const leaveOut = async (name: string, why: string): Promise<boolean> => {
    if (!(await files.list(folders.segments)).includes(name)) return false;
    const message = `It ${why}. The other segments are read; what it has is missing until it can be read.`;
    report({ code: 'unreadable-file', where: name, message });
    return true;
  };
  /** False when what was read before no longer holds. */
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
      // The last words of a writer come before its sign goes: it is looked at once more after that.
      if (known?.isOpen && !lookAtAll && !isAlive && !known.wasAlive) continue;
      if (!(await visit(name, isAlive))) return false;
    }
    if (lookAtAll) lookedAtAll = performance.now();
    return true;
  };

  // Two at once would each move on what the other reads.
  let last: Promise<unknown> = Promise.resolve();
  const alone = (work: () => Promise<void>): Promise<void> => {
    const run = last.then(work);
    last = run.catch(() => undefined);
    return run;
  };
  const readNew = async () => {
    for (let tries = 0; tries < MOST_TRIES; tries++) {
      // A node may have come before its parent, which then is in a segment that was looked at earlier.
      const { gaps } = tables.nodes;
      const isSteady = await look();
      if (isSteady && (tables.nodes.gaps <= gaps || tries === MOST_TRIES - 1)) return;
      if (isSteady) continue;
      await reset();
      // Somebody packs: it takes away one file after the other.
      await sleep(tries * WAIT_MS);
    }
    throw new StoreError(
      'store_in_use',
      `${folders.segments} changed each time it was read: another process compacts it. Wait for it, then repeat.`,
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
      return newer && `${newer.name} has format version ${newer.version}, this program knows ${SEGMENT_VERSION}`;
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
    get tables() {
      return tables;
    },
    get problems() {
      return problems;
    },
  };
}

/** Its own segment, too, has to be read when all is read again; after that it is known what it writes. */
function fromStart(segment: Segment): Segment {
  segment.isOpen = false;
  segment.read = 0;
  segment.batches.clear();
  segment.last = undefined;
  return segment;
}

function isReplaced(segment: Segment, stat: FileStat): boolean {
  return stat.size < segment.read || (segment.file !== 0 && stat.file !== segment.file);
}

/** Reports what dead writers left unfinished. A living one may still finish it. */
export async function reportTorn(set: SegmentSet, files: Files, folders: Folders): Promise<void> {
  for (const segment of set.current()) {
    const size = set.isOwn(segment.number) ? segment.read : ((await files.stat(set.pathOf(segment.number)))?.size ?? 0);
    const held = segment.last?.held[0]?.place.start;
    if (segment.read >= size && held === undefined) continue;
    if ((await readLife(files, folders.writers, segment.writer)) === 'alive') continue;
    const start = held ?? segment.read;
    segment.isDamaged = true;
    const message = `The last ${size - start} bytes are of a write that was never finished. They do not count, and are kept.`;
    set.report({ code: 'torn-line', where: `${segment.name}:${start}`, message });
  }
}
