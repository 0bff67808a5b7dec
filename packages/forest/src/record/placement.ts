import type { Stop } from '@skein/core';
import type { Exchange, Outcome } from './exchange.ts';

/**
 * The version of the placement rules. A process that meets a newer one stores exchanges and leaves placing them to others.
 */
export const PLACEMENT_RULES = 2;

/** Where an exchange has its place in the tree. */
export interface Placement {
  /** The rules it was placed by; absent before they were numbered. */
  readonly rules?: number;
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
  /**
   * Why it is in that thread: a name, a retry of a request that was cut, an id or signature that its provider issued, the words
   * of its history, a history that its client had shortened; or it is the first of its thread.
   */
  readonly found?: 'named' | 'retry' | 'proof' | 'words' | 'compacted' | 'new';
  /** The client had left out messages at the front, or sent others instead. */
  readonly compacted?: { readonly messages: number; readonly sentInstead: number };
  /** The response that it goes on from and that was not recorded. */
  readonly unrecorded?: string;
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
export function placedNodes({ added = [], node, alternatives = [] }: Placement): string[] {
  return [...added, ...(node === undefined ? [] : [node]), ...alternatives];
}

/** Reads a stored placement; undefined for one that this version does not understand. */
export function readPlacement(value: unknown): Placement | undefined {
  const { state } = (value ?? {}) as { state?: unknown };
  return state === 'landed' || state === 'waiting' || state === 'nothing' ? (value as Placement) : undefined;
}

/**
 * How an exchange ended, by its answer: a stream that reports a failure has failed although it came whole, and a client
 * that left behind the last event missed nothing.
 */
export function finalOutcome({ outcome }: Exchange, placement: Placement | undefined): Outcome {
  const reason = placement?.stop?.reason;
  if (reason === undefined || (outcome !== 'done' && outcome !== 'cut')) return outcome;
  return reason === 'cut' ? 'cut' : reason === 'error' ? 'failed' : 'done';
}
