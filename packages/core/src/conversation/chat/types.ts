import type { Run, RunEvent, RunOptions, RunResult } from '../../run/index.ts';
import type { Discarded } from './state.ts';

/** All that `run` takes, but for what a state brings with it. */
export interface ChatOptions extends Omit<RunOptions, 'system' | 'messages' | 'previous' | 'checkpoints' | 'output'> {
  /**
   * What to do with a state of another provider: `translate` (the default) takes the conversation along, `discard` starts
   * anew and gives the state back, `throw` raises a `ConversationStateError`. A state that cannot be read is discarded,
   * or thrown with `throw`.
   */
  readonly onMismatch?: 'discard' | 'translate' | 'throw' | undefined;
}

export interface ChatResult extends RunResult {
  /** Opaque. Keep it as it is, and give it to the next call. */
  readonly state: string;
  /** The state that was given and could not be used. */
  readonly discarded: Discarded | undefined;
}

/** A run whose result has the new state. Its response for the web does not have it. */
export interface ChatRun extends Omit<Run, 'result' | typeof Symbol.asyncIterator> {
  readonly result: Promise<ChatResult>;
  [Symbol.asyncIterator](): AsyncIterator<ChatEvent>;
}

export type ChatEvent =
  | Exclude<RunEvent, { type: 'finish' }>
  | { readonly type: 'finish'; readonly result: ChatResult };
