import { SkeinError } from '../error.ts';
import { isObject } from '../json/index.ts';
import type { Message } from '../message/index.ts';

/** What a provider answered. */
export interface Reply {
  readonly message: Message;
  /** Further choices or candidates. */
  readonly alternatives: readonly Alternative[];
  readonly stop: Stop;
  readonly usage: Usage | undefined;
  /** The response text without the messages, whose places hold `null`: ids, fingerprints, log probabilities. */
  readonly envelope: string;
}

export interface Alternative {
  readonly message: Message;
  readonly stop: Stop;
}

export interface Stop {
  readonly reason: StopReason;
  /** The provider's own word. */
  readonly native: string | undefined;
}

/**
 * `pause`: the provider wants the same conversation sent again; `cut`: the stream ended before its end; `unknown`:
 * a word this version does not know.
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

/** Tokens in disjoint buckets: their sum is everything that was processed. */
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

/** A number of tokens, where one is given: the value itself, or its member. */
export function count(value: unknown, name?: string): number {
  const found = name === undefined ? value : isObject(value) && value[name];
  return typeof found === 'number' && found > 0 ? found : 0;
}

/** Text that is not this protocol at all. The body is attached so that nothing is lost. */
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
