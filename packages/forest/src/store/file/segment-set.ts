import { join } from 'node:path';
import type { StoreRecord } from '../../model/index.ts';
import type { Problem } from '../store.ts';
import type { FileStat, Files } from './files.ts';
import { SEGMENT_VERSION } from './format.ts';
import { lifeOf } from './liveness.ts';
import { readSegment } from './read-segment.ts';
import { createSegment, type Segment } from './segment.ts';
import { createTables, type Tables } from './tables.ts';

/** Segments of ended writers are looked at more seldom: only copying can change them. */
const LOOK_AT_ALL_MS = 2000;
const MOST_PROBLEMS = 1000;
const MOST_TRIES = 10;

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
  /** Forgets everything and reads it again. */
  reload(): Promise<void>;
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
  const owned = new Set<number>();

  const report = (problem: Problem) => {
    const isKnown = problems.some(({ where, code }) => where === problem.where && code === problem.code);
    if (!isKnown && problems.length < MOST_PROBLEMS) problems.push(problem);
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
  };
  const readOne = async (segment: Segment, stat: FileStat) => {
    segment.file = stat.file;
    const onRecord = (record: StoreRecord) => events.onRecord(record);
    const reading = { files, folder: folders.segments, tables, onRecord, onProblem: report };
    await readSegment(reading, segment, stat.size);
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
      const stat = await files.stat(join(folders.segments, name));
      if (!stat || (known && isReplaced(known, stat))) return false;
      const segment = known ?? add(name);
      segment.wasAlive = isAlive || !known;
      await readOne(segment, stat);
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
      if (!(await look())) reset();
      else if (tables.nodes.gaps <= gaps) return;
    }
  };

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
    reload: () =>
      alone(() => {
        reset();
        return readNew();
      }),
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
    if ((await lifeOf(files, folders.writers, segment.writer)) === 'alive') continue;
    const start = held ?? segment.read;
    segment.isDamaged = true;
    const message = `The last ${size - start} bytes are of a write that was never finished. They do not count, and are kept.`;
    set.report({ code: 'torn-line', where: `${segment.name}:${start}`, message });
  }
}
