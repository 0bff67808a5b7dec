import type { StoreRecord } from '../model/records.ts';
import type { Files } from '../store/file/disk.ts';
import type { Store } from '../store/index.ts';
import { EXCHANGES } from './exchange.ts';
import { PLACEMENT_REF } from './projection/placement-refs.ts';
import { sharedProjector } from './projection/projector.ts';
import { LOOK_AGAIN_MS } from './projection/repeat-later.ts';
import type { RecordingForest } from './recorder.ts';
import type { WaitingFiles } from './waiting-files.ts';
import { exchangesIn, isOutage, messageOf, RecordingError, sizeOf, storeWaiting } from './waiting-records.ts';

/** Options of `createBacklog`. */
export interface BacklogOptions {
  /**
   * Folder of the files in which recordings wait; each project of each store needs one of its own. What an earlier process
   * left there is stored, too. Without a folder, or where it cannot be written, recordings wait in memory.
   */
  readonly folder?: string;
  /** How many bytes wait in memory at most; default 256 MB. */
  readonly memory?: number;
  /** Receives what is lost for good, as a `RecordingError` that names the exchanges. */
  readonly onError?: (error: unknown) => void;
  /** Called when recordings begin to wait, when none wait any more, and with those that wait when it is closed. */
  readonly onChange?: (state: BacklogState) => void;
  /** Replaces the disk in tests. */
  readonly files?: Files;
}

/** What waits for the store. */
export interface BacklogState {
  /** The ids of the exchanges that are known to wait. */
  readonly exchanges: readonly string[];
  /** How many bytes of it are in memory. */
  readonly bytes: number;
  /** The folder with the rest; undefined if nothing is there. */
  readonly folder: string | undefined;
  /** Whether something is stored that could not be placed in the tree yet. */
  readonly isUnplaced: boolean;
  /** Why the store did not take it. */
  readonly reason: string;
}

/**
 * Stores recordings, and keeps those that the store does not take, in a file or in memory, until it takes them: an outage of
 * the store loses nothing that passed, however long it lasts.
 */
export interface RecordingBacklog {
  /** Resolves when the records are stored or kept. Rejects when there is no room for them: then they are lost. */
  append(records: readonly StoreRecord[]): Promise<void>;
  /** Places in the tree what was stored; in an outage, that waits for its end. Never rejects. */
  place(): Promise<void>;
  /** Tries once more without waiting for the next time, and tells whether everything is stored. */
  flush(): Promise<boolean>;
  /** The same, and tells whether everything is placed in the tree, too. */
  settle(): Promise<boolean>;
  state(): BacklogState;
  /** Tries once more, for some seconds, and moves what is in memory to the folder. What is lost is reported. */
  close(): Promise<void>;
}

/** What the store has neither taken nor refused by then is kept, too: a crash would lose it. */
const STALL_MS = 5_000;
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 30_000;
const CLOSE_MS = 5_000;
const MOST_HELD = 256 * 2 ** 20;
/** How many bytes are written to the store in one go. */
const AT_ONCE = 2 ** 20;

/** An append that the store has not answered. */
interface Flight {
  readonly records: readonly StoreRecord[];
  readonly since: number;
  readonly done: () => void;
  readonly fail: (error: unknown) => void;
  /** Resolves when the records are stored, kept or lost. */
  landed: Promise<unknown> | undefined;
}

interface HeldRecords {
  readonly records: readonly StoreRecord[];
  readonly bytes: number;
}

/**
 * Creates the backlog of a forest, which its recorders share.
 *
 * @example
 * const backlog = createBacklog(forest, { folder: './waiting', onError: console.error });
 * const recorder = createRecorder(forest, { backlog });
 */
export function createBacklog(forest: RecordingForest, options: BacklogOptions = {}): RecordingBacklog {
  const { folder, memory = MOST_HELD, onError = () => undefined, onChange = () => undefined } = options;
  const { store } = forest;
  const projector = sharedProjector(forest);
  const flights = new Set<Flight>();
  let held: HeldRecords[] = [];
  let heldBytes = 0;
  let files: Promise<WaitingFiles> | undefined;
  let loaded: WaitingFiles | undefined;
  /** Whether the store does not take records at the moment: new ones are kept behind those that wait. */
  let isBehind = false;
  /** How often something was stored that has to be placed, and up to which of these times everything is placed. */
  let stored = 0;
  let placed = 0;
  /** Whether there may be files of other processes. */
  let hasOthers = folder !== undefined;
  /** Whether an earlier process may have stored something that it did not place. */
  let mayBeUnplaced = folder !== undefined;
  let isTold = false;
  let isClosed = false;
  let reason = '';
  let stallTimer: NodeJS.Timeout | undefined;
  let attempting: Promise<boolean> | undefined;
  let placing: Promise<void> | undefined;
  let isLooping = false;

  const report = (error: unknown) => safely(() => onError(error));
  const openFiles = (where: string): Promise<WaitingFiles> => {
    // Loaded lazily: most processes need nothing of it.
    files ??= import('./waiting-files.ts').then(({ createWaitingFiles }) => {
      const onDamaged = (message: string) => report(new Error(message));
      loaded = createWaitingFiles(where, store.writer, { files: options.files, onDamaged });
      return loaded;
    });
    return files;
  };
  const isWaiting = () => isBehind || held.length > 0 || loaded?.isEmpty === false;
  const isUnplaced = () => placed < stored;
  const hasWork = () => isWaiting() || isUnplaced() || hasOthers || mayBeUnplaced;
  const state = (): BacklogState => {
    const inFiles = loaded?.exchanges() ?? new Set();
    return {
      exchanges: [...new Set([...held.flatMap(({ records }) => exchangesIn(records)), ...inFiles])],
      bytes: heldBytes,
      folder: inFiles.size > 0 ? folder : undefined,
      isUnplaced: isUnplaced(),
      reason,
    };
  };

  const fallBehind = (error: unknown) => {
    isBehind = true;
    reason = messageOf(error);
    start();
  };
  const keep = async (records: readonly StoreRecord[]): Promise<void> => {
    if (!(await isInFile(records))) {
      const bytes = sizeOf(records);
      if (isClosed || heldBytes + bytes > memory)
        throw new RecordingError('recording_lost', exchangesIn(records), reason);
      held.push({ records, bytes });
      heldBytes += bytes;
    }
    start();
    if (isTold) return;
    isTold = true;
    safely(() => onChange(state()));
  };
  const isInFile = async (records: readonly StoreRecord[]): Promise<boolean> => {
    if (folder === undefined) return false;
    try {
      await (await openFiles(folder)).append(records);
      return true;
    } catch {
      // The disk may be full as well.
      return false;
    }
  };

  const storeHeld = async (): Promise<void> => {
    while (held.length > 0) {
      const some = firstOf(held, AT_ONCE);
      await storeWaiting(
        forest,
        some.flatMap(({ records }) => records),
        report,
      );
      held = held.slice(some.length);
      for (const { bytes } of some) heldBytes -= bytes;
    }
  };
  const placeAll = async (): Promise<void> => {
    // What is stored from here on may not be seen.
    const upTo = stored;
    try {
      await projector.run();
      placed = Math.max(placed, upTo);
      if (!isWaiting()) reason = '';
    } catch (error) {
      reason = messageOf(error);
      if (isOutage(error)) return start();
      placed = Math.max(placed, upTo);
      report(error);
    }
  };
  const startPlacing = (): Promise<void> => {
    const work = placeAll().finally(() => {
      if (placing === work) placing = undefined;
    });
    placing = work;
    return work;
  };
  const drain = async (): Promise<void> => {
    if (folder !== undefined && hasOthers)
      hasOthers = await (await openFiles(folder)).adopt((writer) => store.isAlive(writer));
    while (isWaiting()) {
      try {
        await storeHeld();
        await loaded?.drain((records) => storeWaiting(forest, records, report));
      } finally {
        stored += 1;
      }
      // The store works again, so new records need not wait.
      isBehind = false;
    }
    if (mayBeUnplaced) {
      if (await hasUnplaced(store)) stored += 1;
      mayBeUnplaced = false;
    }
    // Placing takes as long as all servers record, and what waits in the next outage must not wait for it.
    if (isUnplaced()) startPlacing();
    if (!isTold) return;
    isTold = false;
    safely(() => onChange(state()));
  };
  const attempt = (): Promise<boolean> => {
    attempting ??= drain()
      .then(
        () => true,
        (error: unknown) => {
          reason = messageOf(error);
          return false;
        },
      )
      .finally(() => {
        attempting = undefined;
      });
    return attempting;
  };
  const flush = async (): Promise<boolean> => {
    if (!isWaiting()) return true;
    await attempting;
    return (await attempt()) && !isWaiting();
  };
  const loop = async (): Promise<void> => {
    // What an earlier process left is stored at once.
    let pause = isBehind ? FIRST_PAUSE_MS : 0;
    while (hasWork() && !isClosed) {
      await new Promise((resolve) => setTimeout(resolve, pause).unref());
      const wasBehind = isBehind;
      pause = Math.min(Math.max(2 * pause, FIRST_PAUSE_MS), LONGEST_PAUSE_MS);
      // The next outage begins anew.
      if (!isClosed && (await attempt()) && wasBehind) pause = FIRST_PAUSE_MS;
    }
  };
  const start = () => {
    if (isLooping || isClosed) return;
    isLooping = true;
    void loop().finally(() => {
      isLooping = false;
      if (hasWork()) start();
    });
  };

  const watchFlights = () => {
    if (flights.size > 0) stallTimer ??= setTimeout(keepStalled, STALL_MS).unref();
  };
  const keepStalled = () => {
    stallTimer = undefined;
    const latest = performance.now() - STALL_MS;
    for (const flight of flights) if (flight.since <= latest) keepFlight(flight, STALLED);
    watchFlights();
  };
  const keepFlight = (flight: Flight, error: unknown) => {
    if (!flights.delete(flight)) return;
    fallBehind(error);
    keep(flight.records).then(flight.done, flight.fail);
  };

  const finish = async (): Promise<void> => {
    const flying = () => Promise.allSettled([...flights].map(({ landed }) => landed));
    if (flights.size > 0 || hasWork()) await within(CLOSE_MS, Promise.all([flying(), attempt().then(() => placing)]));
    isClosed = true;
    clearInterval(looking);
    clearTimeout(stallTimer);
    const last = flying();
    for (const flight of flights) keepFlight(flight, STALLED);
    await last;
    const left = held;
    held = [];
    heldBytes = 0;
    const lost: string[] = [];
    for (const { records } of left) if (!(await isInFile(records))) lost.push(...exchangesIn(records));
    if (lost.length > 0) report(new RecordingError('recording_lost', lost, reason));
    await loaded?.close().catch(report);
    if (isTold) safely(() => onChange(state()));
  };
  let closing: Promise<void> | undefined;

  if (hasOthers) start();
  // A sync may bring exchanges while nothing is recorded here.
  const look = () => {
    mayBeUnplaced = true;
    start();
  };
  const looking = folder === undefined ? undefined : setInterval(look, LOOK_AGAIN_MS).unref();

  return {
    append(records) {
      if (isBehind || isClosed) return keep(records);
      let flight: Flight | undefined;
      const landed = new Promise<void>((done, fail) => {
        flight = { records, since: performance.now(), done, fail, landed: undefined };
      });
      const own = flight!;
      own.landed = landed;
      flights.add(own);
      watchFlights();
      store.append(records).then(
        () => {
          flights.delete(own);
          own.done();
        },
        (error: unknown) => keepFlight(own, error),
      );
      return landed;
    },
    async place() {
      stored += 1;
      // In an outage, that comes at its end.
      if (!isBehind) await placeAll();
    },
    flush,
    async settle() {
      if (!(await flush())) return false;
      if (isUnplaced()) await startPlacing();
      return !isUnplaced();
    },
    state,
    close() {
      closing ??= finish();
      return closing;
    },
  };
}

/** How many of the newest exchanges are looked at. Whoever places one places those before it. */
const NEWEST = 20;

async function hasUnplaced(store: Store): Promise<boolean> {
  const newest = await store.entries('exchange', { of: EXCHANGES, order: 'newest', limit: NEWEST });
  const keys: string[] = [];
  for (const { id, data } of newest.items)
    if (data.outcome !== 'open' || !(await store.isAlive(String(data.writer)))) keys.push(id);
  if (keys.length === 0) return false;
  const placed = await store.refs({ on: 'forest', keys, names: [PLACEMENT_REF], limit: NEWEST });
  return placed.items.length < keys.length;
}

const STALLED = new Error(`The store has not answered for ${STALL_MS / 1000} seconds.`);

/** The first of them that have so many bytes together, and at least one. */
function firstOf(held: readonly HeldRecords[], most: number): HeldRecords[] {
  let bytes = 0;
  const end = held.findIndex((one, at) => {
    bytes += one.bytes;
    return at > 0 && bytes > most;
  });
  return held.slice(0, end < 0 ? held.length : end);
}

/** A listener that fails must not affect recordings. */
function safely(tell: () => void): void {
  try {
    tell();
  } catch {
    // It is the listener's own fault.
  }
}

/** Waits for the work, but no longer. */
async function within(ms: number, work: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  await Promise.race([
    work,
    new Promise((done) => {
      timer = setTimeout(done, ms);
    }),
  ]);
  clearTimeout(timer);
}
