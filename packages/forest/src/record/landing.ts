import type { Stop } from '@skein/core';
import type { Exchange, Outcome } from './exchange.ts';

/** Where an exchange has its place in the tree. */
export interface Landing {
  /** `landed`: it has one; `waiting`: something it goes on from is not known yet; `nothing`: it has none. */
  readonly state: 'landed' | 'waiting' | 'nothing';
  /** For `waiting`: what it waits for; for `nothing`: the reason. */
  readonly why?: string;
  readonly thread?: string;
  /** The last message of its history. */
  readonly parent?: string;
  /** The reply; absent when it broke off before its first word. */
  readonly node?: string;
  readonly alternatives?: readonly string[];
  /** Nodes of the history that were not known before. */
  readonly added?: readonly string[];
  /** How the history was recognised, and how many of its messages were. */
  readonly by?: 'exact' | 'echo';
  readonly matched?: number;
  /** The history is known under another system text. */
  readonly otherSystem?: boolean;
  /** `starts` a thread, `continues` it at its head, or `branches` off: a retry, an edit, a second question. */
  readonly way?: 'starts' | 'continues' | 'branches';
  readonly stop?: Stop;
}

/** Every node that an exchange brought. */
export function nodesOf({ added = [], node, alternatives = [] }: Landing): string[] {
  return [...added, ...(node === undefined ? [] : [node]), ...alternatives];
}

/** What is stored of a landing may have been written by another version. */
export function readLanding(value: unknown): Landing | undefined {
  const { state } = (value ?? {}) as { state?: unknown };
  return state === 'landed' || state === 'waiting' || state === 'nothing' ? (value as Landing) : undefined;
}

/**
 * How an exchange ended, by its answer: a stream that reports a failure has failed although it came whole, and a client
 * that left behind the last event missed nothing.
 */
export function outcomeOf({ outcome }: Exchange, landing: Landing | undefined): Outcome {
  const reason = landing?.stop?.reason;
  if (reason === undefined || (outcome !== 'done' && outcome !== 'cut')) return outcome;
  return reason === 'cut' ? 'cut' : reason === 'error' ? 'failed' : 'done';
}
