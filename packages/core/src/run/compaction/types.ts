import type { Message } from '../../message/index.ts';

/** A stretch of the history and what is sent in its place. Stored, and used unchanged until the next one. */
export interface Checkpoint {
  /** How many messages at the front it stands for, and the digest of the last of them. */
  readonly upTo: number;
  readonly digest: string;
  /** What is sent instead, as content-block messages. */
  readonly replacement: readonly string[];
}

export interface CompactionInput {
  readonly messages: readonly Message[];
  /** Indexes at which the history may be cut: turn boundaries, never between a call and its result. */
  readonly cuts: readonly number[];
  readonly estimateTokens: (messages: readonly Message[]) => number;
  readonly contextTokens: number | undefined;
  readonly signal: AbortSignal;
}

/** Decides whether and where to compact; undefined leaves the history as it is. */
export type Compaction = (
  input: CompactionInput,
) => Promise<{ readonly upTo: number; readonly replacement: readonly Message[] } | undefined>;
