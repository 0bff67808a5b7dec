import { SkeinError } from '../error.ts';
import { isObject } from '../json/index.ts';
import type { Message } from '../message/index.ts';

/** The answer of a provider. */
export interface Reply {
  readonly message: Message;
  /** Further choices (OpenAI) or candidates (Google). */
  readonly alternatives: readonly Alternative[];
  readonly stop: Stop;
  readonly usage: Usage | undefined;
  /** The response text with `null` in place of the messages: ids, fingerprints, log probabilities. */
  readonly envelope: string;
}

/** A further answer in the same reply. */
export interface Alternative {
  readonly message: Message;
  readonly stop: Stop;
}

/** Why an answer ended. */
export interface Stop {
  readonly reason: StopReason;
  /** The provider's own word. */
  readonly native: string | undefined;
}

/**
 * Why an answer ended, in words that all protocols share. `pause`: the provider wants the same conversation sent again;
 * `cut`: the stream broke off; `unknown`: a reason that this version does not know.
 */
export type StopReason =
  | 'end'
  | 'tool-use'
  | 'length'
  | 'stop-sequence'
  | 'refusal'
  | 'filter'
  | 'pause'
  | 'error'
  | 'cut'
  | 'unknown';

/** Token counts in disjoint buckets: their sum is the total. */
export interface Usage {
  readonly input: number;
  readonly cacheRead: number;
  readonly cacheWrite5m: number;
  readonly cacheWrite1h: number;
  readonly output: number;
  readonly reasoning: number;
  /** The provider's own usage text. */
  readonly native: string;
}

/** Reads a token count from a value, or from a member of it; 0 if there is none. */
export function count(value: unknown, name?: string): number {
  const found = name === undefined ? value : isObject(value) && value[name];
  return typeof found === 'number' && found > 0 ? found : 0;
}

/** Thrown for a text that is not of this protocol. `body` holds the text, so that nothing is lost. */
export class ProtocolError extends SkeinError {
  override readonly name = 'ProtocolError';
  readonly code = 'not_this_protocol';
  readonly dialect: string;
  readonly body: string;

  constructor(dialect: string, problem: string, body: string, cause?: unknown) {
    super(`Not ${dialect}: ${problem}`, { cause });
    this.dialect = dialect;
    this.body = body;
  }
}
