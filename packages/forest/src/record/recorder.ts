import type { Forest } from '../forest/forest.ts';
import type { HintPlaces } from './hints.ts';
import { createPen } from './pen.ts';
import { projectorOf } from './projector.ts';
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
  const projector = projectorOf(forest);
  const report = (error: unknown) => {
    try {
      onError(error);
    } catch {
      // Whoever listens is not part of the exchange.
    }
  };
  const pen = createPen(() => projector.run().catch(report));
  const unsaved = { total: 0 };
  return {
    begin: (request) => createRecording({ store, clock, pen, unsaved, report, hints }, request),
    stored: () => pen.stored(),
    settled: () => pen.settled(),
  };
}
