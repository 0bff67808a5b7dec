import type { Forest } from '../forest/index.ts';
import { createBacklog, type RecordingBacklog } from './backlog.ts';
import type { GatewayUse } from './exchange.ts';
import type { HintPlaces } from './hints.ts';
import { createTraffic, putOff } from './pauses.ts';
import { recentTexts } from './recent-texts.ts';
import { createRecording, type Recording } from './recording.ts';
import { requestHashes } from './request-hashes.ts';
import { sliceWork, turnOfOthers } from './turns.ts';
import { RecordingError } from './waiting-records.ts';

/** Options of `createRecorder`. */
export interface RecorderOptions {
  /** Receives whatever could not be stored or placed in the tree. The exchange itself is not affected. */
  readonly onError?: (error: unknown) => void;
  /** Where requests of this project name persons and sessions, in addition to the known places. */
  readonly hints?: HintPlaces;
  /**
   * Where recordings wait while the store cannot be written. Whoever gives one closes it; without one, the recorder keeps them
   * in memory.
   */
  readonly backlog?: RecordingBacklog;
}

/** Header names in lower case, each once: `Headers`, a `Map` or a list of pairs. */
export type HeaderPairs = Iterable<readonly [name: string, value: string]>;

/** A request to be recorded, as it is sent. */
export interface RequestToRecord {
  readonly method: string;
  readonly url: string;
  readonly headers: HeaderPairs;
  /** Absent if there is no body, or if reading it would consume it. The bytes are kept, not copied. */
  readonly body?: string | Uint8Array;
  /** The id of the provider; by default it follows from the host, else from the dialect. */
  readonly provider?: string;
  /** Who can read the opaque parts of the reply; by default it follows from the host. */
  readonly issuer?: string;
  readonly tags?: readonly string[];
  /** What a reader of the recording should know of the request. */
  readonly notes?: readonly string[];
  /** Set if it comes through a gateway. */
  readonly gateway?: GatewayUse;
  /** The name of its conversation; by default it is found by its history. An invalid name is ignored. */
  readonly thread?: string;
  /** The body as the client sent it, if `body` is redacted: hints are read before anything is removed. */
  readonly hintBody?: string | Uint8Array;
}

/** The part of a forest that recording needs. */
export type RecordingForest = Pick<Forest, 'store' | 'clock'>;

/**
 * Records exchanges while they happen. Its methods never throw or block: records are written between the pieces that
 * pass: at once if nothing else passes, otherwise in the next pause, and at the latest within half a second.
 */
export interface Recorder {
  begin(request: RequestToRecord): Recording;
  /**
   * Resolves when all exchanges that have ended are stored. Those that the store does not take now, after one more try, wait in
   * the backlog; without one, `onError` receives a `RecordingError` that names them.
   */
  stored(): Promise<void>;
  /** Resolves when they are placed in the tree, too, or wait in the backlog that was given. */
  settled(): Promise<void>;
}

/**
 * Creates a recorder that stores exchanges in a forest and places them in its tree.
 *
 * @example
 * const recorder = createRecorder(forest, { onError: console.error });
 * const recording = recorder.begin({ method: 'POST', url, headers, body });
 */
export function createRecorder(
  forest: RecordingForest,
  { onError = () => undefined, hints, backlog: given }: RecorderOptions = {},
): Recorder {
  const { clock } = forest;
  const report = (error: unknown) => {
    try {
      onError(error);
    } catch {
      // A failing listener must not affect the exchange.
    }
  };
  const backlog = given ?? createBacklog(forest, { onError: report });
  const store = { writer: forest.store.writer, append: backlog.append };
  const writer = createRecordingWriter(backlog.place);
  const texts = recentTexts(forest.store);
  const hashes = requestHashes(forest.store);
  const unsaved = { total: 0 };
  const tellWaiting = (isDone: boolean) => {
    // Whoever gave the backlog is told by it.
    if (isDone || given) return;
    const { reason, exchanges } = backlog.state();
    report(new RecordingError('recording_waits', exchanges, reason));
  };
  return {
    begin: (request) => createRecording({ store, clock, writer, texts, unsaved, report, hints, hashes }, request),
    stored: () => writer.stored().then(backlog.flush).then(tellWaiting),
    settled: () => writer.settled().then(given ? undefined : () => backlog.settle().then(tellWaiting)),
  };
}

/** An exchange with something to write. */
export interface PendingWrite {
  /** How many bytes request and response have so far. */
  readonly size: number;
  /** Writes what there is, and tells whether the exchange has ended. Never rejects. */
  store(): Promise<boolean>;
}

/** Writes the records of all exchanges of a recorder. The bytes of responses always pass first. */
export interface RecordingWriter {
  begin(pending: PendingWrite): void;
  /** The exchange has more to write; `isMuch` writes it without delay. */
  more(pending: PendingWrite, isMuch?: boolean): void;
  end(pending: PendingWrite): void;
  /** It has ended, and all of it is written already: nothing of it is kept until the next pause. */
  endWritten(pending: PendingWrite): void;
  /** Resolves when every exchange that has ended is written. */
  stored(): Promise<void>;
  /** Resolves when `onEnds` is done for them, too. */
  settled(): Promise<void>;
}

/** Records are written in a pause of the traffic, and at the latest then: that is the most that a crash can lose. */
const WRITING = { pauseMs: 20, latestMs: 500 };
/** When `onEnds` is called, which may take long. */
const FOLLOWING = { pauseMs: 50, latestMs: 2000 };
/** With this many bytes or exchanges `onEnds` does not wait: a store keeps only some of what was just written in memory. */
const FOLLOW_BYTES = 2 * 1024 * 1024;
const FOLLOW_COUNT = 200;
/** How many exchanges are handed to the store before it has written them; it writes those that wait in one go. */
const AT_ONCE = 32;

/** `onEnds` is called when exchanges that have ended are written; it must never reject. */
export function createRecordingWriter(onEnds: () => Promise<void>): RecordingWriter {
  const waiting = new Set<PendingWrite>();
  /** Those that are being written now, or are next. */
  let next = new Set<PendingWrite>();
  const after = new Set<Promise<void>>();
  const traffic = createTraffic();
  let endsWaiting = 0;
  /** The exchanges that had been written when they ended, since records were written the last time. */
  let written = { count: 0, bytes: 0 };
  /** The exchanges that have ended since `onEnds` was called, and their bytes. */
  let ended = { count: 0, bytes: 0 };
  let isUrgent = false;
  let writing: Promise<void> | undefined;

  const writeAll = async () => {
    next = new Set(waiting);
    waiting.clear();
    isUrgent = false;
    let ends = written.count;
    ended.count += written.count;
    ended.bytes += written.bytes;
    written = { count: 0, bytes: 0 };
    let stores: Promise<void>[] = [];
    const store = async (pending: PendingWrite) => {
      // What was added since the list was made is stored now, too: an end must not be counted twice.
      waiting.delete(pending);
      if (!(await pending.store())) return;
      ends += 1;
      ended.count += 1;
      ended.bytes += pending.size;
    };
    const allStored = async () => {
      await Promise.all(stores);
      stores = [];
      if (ended.bytes >= FOLLOW_BYTES || ended.count >= FOLLOW_COUNT) follow();
    };
    await turnOfOthers();
    const turn = sliceWork();
    for (const pending of next) {
      stores.push(store(pending));
      if (stores.length === AT_ONCE) await allStored();
      await turn();
    }
    await allStored();
    endsWaiting -= ends;
    if (ended.count > 0) following.plan();
  };
  const follow = () => {
    following.cancel();
    ended = { count: 0, bytes: 0 };
    const work = onEnds();
    after.add(work);
    void work.then(() => after.delete(work));
  };
  const following = putOff(traffic, FOLLOWING, follow);

  const writeNow = (): Promise<void> => {
    planned.cancel();
    writing ??= writeAll().then(() => {
      writing = undefined;
      if (waiting.size > 0 || written.count > 0) plan();
    });
    return writing;
  };
  const planned = putOff(traffic, WRITING, () => void writeNow());
  const plan = () => {
    if (isUrgent) void writeNow();
    else planned.plan();
  };
  const add = (pending: PendingWrite) => {
    waiting.add(pending);
    if (!writing) plan();
  };
  const stored = async () => {
    while (endsWaiting > 0) await writeNow();
  };

  return {
    begin(pending) {
      traffic.begin();
      add(pending);
    },
    more(pending, isMuch = false) {
      isUrgent ||= isMuch;
      add(pending);
    },
    end(pending) {
      traffic.end();
      endsWaiting++;
      add(pending);
    },
    endWritten(pending) {
      traffic.end();
      endsWaiting++;
      waiting.delete(pending);
      next.delete(pending);
      written.count += 1;
      written.bytes += pending.size;
      if (!writing) plan();
    },
    stored,
    async settled() {
      while (endsWaiting > 0 || following.isPlanned || after.size > 0) {
        await stored();
        if (following.isPlanned) follow();
        await Promise.all(after);
      }
    },
  };
}
