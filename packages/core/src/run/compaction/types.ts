import type { Message } from '../../message/index.ts';
import type { ModelLimits, Step } from '../types.ts';
import type { Checkpoint } from './checkpoint.ts';

/**
 * Decides before each request whether the history has become too long, and what stands for its front from now on.
 * Undefined: it goes out as it is. Throwing: it should be shorter, and cannot be.
 */
export type Compaction = (input: CompactionInput) => Promise<Compacted | undefined> | Compacted | undefined;

export interface Compacted {
  /** One of `cuts`: the first message that is still sent itself. */
  readonly upTo: number;
  /** What is sent for the messages before it, as texts in Skein's own content-block JSON. */
  readonly replacement: Checkpoint['replacement'];
}

export interface CompactionInput {
  readonly stored: readonly Message[];
  /** What would be sent now: `stored` with the checkpoint in place of what it stands for. */
  readonly sent: readonly Message[];
  /** The checkpoint in use. */
  readonly checkpoint: Checkpoint | undefined;
  /** The indexes in `stored`, ascending, before which may be cut. Each begins a turn; there is one more turn before the first. */
  readonly cuts: readonly number[];
  /** A rough estimate of `sent` and the system text. */
  readonly tokens: number;
  /** The model that is about to be asked. */
  readonly limits: ModelLimits;
  readonly signal: AbortSignal;
  /** Tells of a failure that something else makes up for. */
  readonly failed: (reason: unknown) => void;
  /** Takes the requests that were made for this: their usage and cost count in those of the run. */
  readonly spent: (steps: readonly Step[]) => void;
}

/** Tokens, or a share of the model's context (0.7: seven tenths of it). */
export type Budget = number | { readonly share: number };
