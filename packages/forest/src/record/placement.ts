import type { Stop } from '@skein/core';
import type { Exchange, Outcome } from './exchange.ts';

/**
 * The version of the placement rules. A process that finds a newer version in the store records exchanges, but leaves
 * placing them to others.
 */
export const PLACEMENT_RULES = 7;

/** The place of an exchange in the tree, and how it was found. */
export interface Placement {
  /** The version of the rules; absent for placements from before they were numbered. */
  readonly rules?: number;
  /**
   * `landed`: it has a place; `waiting`: it refers to something that is not known yet; `nothing`: it adds nothing to
   * the tree.
   */
  readonly state: 'landed' | 'waiting' | 'nothing';
  /** For `waiting`, what it waits for; for `nothing`, the reason. */
  readonly why?: string;
  readonly thread?: string;
  /** The last message of its history. */
  readonly parent?: string;
  /** The reply; absent if it was cut before its first word. */
  readonly node?: string;
  readonly alternatives?: readonly string[];
  /** The nodes of the history that were not known before. */
  readonly added?: readonly string[];
  /**
   * Why it is in that thread: it has a name, retries a cut request, sends back an id that the provider issued, repeats
   * the words of the thread, or was compacted by its client; or it is the first of its thread.
   */
  readonly found?: 'named' | 'retry' | 'proof' | 'words' | 'compacted' | 'new';
  /** The client left out messages at the front, or replaced them. */
  readonly compacted?: { readonly messages: number; readonly sentInstead: number };
  /** The id of the response that it continues, if that response was not recorded. */
  readonly unrecorded?: string;
  /** How the history was matched, and how many of its messages were. */
  readonly by?: 'exact' | 'echo';
  readonly matched?: number;
  /** The history was recorded under another system text. */
  readonly otherSystem?: boolean;
  /** `starts` a thread, `continues` it at its head, or `branches` off: a retry, an edit, a second question. */
  readonly way?: 'starts' | 'continues' | 'branches';
  readonly stop?: Stop;
}

/** All nodes that an exchange added. */
export function placedNodes({ added = [], node, alternatives = [] }: Placement): string[] {
  return [...added, ...(node === undefined ? [] : [node]), ...alternatives];
}

/** Reads a stored placement; undefined for one that this version does not understand. */
export function readPlacement(value: unknown): Placement | undefined {
  const { state } = (value ?? {}) as { state?: unknown };
  return state === 'landed' || state === 'waiting' || state === 'nothing' ? (value as Placement) : undefined;
}

/**
 * The outcome of an exchange, corrected by its response: a complete stream may report a failure, and a client that left
 * after the last event missed nothing.
 */
export function finalOutcome({ outcome }: Pick<Exchange, 'outcome'>, placement: Placement | undefined): Outcome {
  const reason = placement?.stop?.reason;
  if (reason === undefined || (outcome !== 'done' && outcome !== 'cut')) return outcome;
  return reason === 'cut' ? 'cut' : reason === 'error' ? 'failed' : 'done';
}
