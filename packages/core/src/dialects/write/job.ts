import type { Message } from '../../message/index.ts';
import type { Loss } from '../loss.ts';
import type { CallLookup, RequestWriter, Target } from './writer.ts';

/** One request while it is written. */
export interface Job {
  readonly writer: RequestWriter;
  readonly target: Target;
  readonly messages: readonly Message[];
  /** The calls that a message's results answer, by its index. */
  readonly calls: Map<number, CallLookup>;
  /** Calls without a result that waited for an approval. */
  readonly unapproved: readonly string[];
  /** What was lost of messages of which nothing is left. */
  readonly lost: Loss[];
}

export const NO_CALLS: CallLookup = { find: () => undefined };
