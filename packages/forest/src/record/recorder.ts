import type { Forest } from '../forest/index.ts';
import type { HintPlaces } from './hints.ts';
import { sharedProjector } from './projection/projector.ts';
import { createRecording, type Recording } from './recording.ts';

export interface RecorderOptions {
  /** Told of whatever could not be stored or placed in the tree. The exchange itself never notices. */
  readonly onError?: (error: unknown) => void;
  /** Where this project's requests name persons and sessions, beside the places that are known. */
  readonly hints?: HintPlaces;
}

/** Names in lower case, each once; such as `Headers`, or a `Map`. */
export type HeaderPairs = Iterable<readonly [name: string, value: string]>;

/** A request as it is sent. */
export interface RequestToRecord {
  readonly method: string;
  readonly url: string;
  readonly headers: HeaderPairs;
  /** Absent when there is none, or when it could not be read without changing it. Kept, not copied. */
  readonly body?: string | Uint8Array;
  /** Which provider it goes to; default: by its host, else by what is spoken there. */
  readonly provider?: string;
  /** Who can read the opaque parts of the reply; default: by its host. */
  readonly issuer?: string;
  readonly tags?: readonly string[];
  /** The name of the conversation it belongs to; default: found by its history. One that cannot be used is ignored. */
  readonly thread?: string;
  /** The body as the client sent it, where `body` is what is left of it: hints are read before anything is redacted. */
  readonly hintBody?: string | Uint8Array;
}

/** What a recorder writes to. */
export type RecordingForest = Pick<Forest, 'store' | 'clock'>;

/**
 * Writes down exchanges while they happen. None of its methods throws, waits or delays: what is stored is looked at and
 * written between the pieces that pass, within half a second, and at once where nothing else passes.
 */
export interface Recorder {
  begin(request: RequestToRecord): Recording;
  /** When everything that has ended is stored. */
  stored(): Promise<void>;
  /** When everything that has ended is stored and has its place in the tree. */
  settled(): Promise<void>;
}

export function createRecorder(
  forest: RecordingForest,
  { onError = () => undefined, hints }: RecorderOptions = {},
): Recorder {
  const { store, clock } = forest;
  const projector = sharedProjector(forest);
  const report = (error: unknown) => {
    try {
      onError(error);
    } catch {
      // Whoever listens is not part of the exchange.
    }
  };
  const pen = createRecordingWriter(() => projector.run().catch(report));
  const unsaved = { total: 0 };
  return {
    begin: (request) => createRecording({ store, clock, pen, unsaved, report, hints }, request),
    stored: () => pen.stored(),
    settled: () => pen.settled(),
  };
}

/** An exchange that has something to be stored. */
export interface PendingWrite {
  /** Stores what there is, and says whether that was its end. Never rejects. */
  store(): Promise<boolean>;
}

/** Writes for all exchanges of a recorder, behind their bytes: those come first. */
export interface RecordingWriter {
  begin(draft: PendingWrite): void;
  /** It has more to be stored; `isMuch`: more than should wait. */
  more(draft: PendingWrite, isMuch?: boolean): void;
  end(draft: PendingWrite): void;
  /** When every exchange that has ended is stored. */
  stored(): Promise<void>;
  /** And what is then to be done is done. */
  settled(): Promise<void>;
}

/** How long anything waits to be stored while other exchanges are under way: what a crash can lose. */
const WAIT_MS = 500;
/** How long what follows may wait while others are under way. */
const FOLLOW_MS = 2000;
/** So long at most before others have their turn. */
const SLICE_MS = 4;

/** `onEnds` is called each time exchanges that have ended are stored; it never rejects. */
export function createRecordingWriter(onEnds: () => Promise<void>): RecordingWriter {
  const waiting = new Set<PendingWrite>();
  const after = new Set<Promise<void>>();
  let underWay = 0;
  let endsWaiting = 0;
  let isUrgent = false;
  let timer: NodeJS.Timeout | undefined;
  let later: NodeJS.Timeout | undefined;
  let writing: Promise<void> | undefined;

  const writeAll = async () => {
    const drafts = [...waiting];
    waiting.clear();
    isUrgent = false;
    let ends = 0;
    for (let at = 0; at < drafts.length; ) {
      await turnOfOthers();
      const until = performance.now() + SLICE_MS;
      const slice: Promise<boolean>[] = [];
      while (at < drafts.length && performance.now() < until) slice.push(drafts[at++]!.store());
      ends += (await Promise.all(slice)).filter((isEnd) => isEnd).length;
    }
    endsWaiting -= ends;
    if (ends === 0) return;
    if (underWay === 0) follow();
    else later ??= setTimeout(follow, FOLLOW_MS);
  };
  const follow = () => {
    clearTimeout(later);
    later = undefined;
    const work = onEnds();
    after.add(work);
    void work.then(() => after.delete(work));
  };

  const writeNow = (): Promise<void> => {
    clearTimeout(timer);
    timer = undefined;
    writing ??= writeAll().then(() => {
      writing = undefined;
      if (waiting.size > 0) plan();
    });
    return writing;
  };
  /** Nothing waits for others when there are none. */
  const plan = () => {
    if (isUrgent || underWay === 0) void writeNow();
    else timer ??= setTimeout(writeNow, WAIT_MS);
  };
  const add = (draft: PendingWrite) => {
    waiting.add(draft);
    if (!writing) plan();
  };
  const stored = async () => {
    while (endsWaiting > 0) await writeNow();
  };

  return {
    begin(draft) {
      underWay++;
      add(draft);
    },
    more(draft, isMuch = false) {
      isUrgent ||= isMuch;
      add(draft);
    },
    end(draft) {
      underWay--;
      endsWaiting++;
      add(draft);
    },
    stored,
    async settled() {
      while (endsWaiting > 0 || later || after.size > 0) {
        await stored();
        if (later) follow();
        await Promise.all(after);
      }
    },
  };
}

function turnOfOthers(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
