import { SkeinError } from '../../error.ts';
import type { Discarded, DiscardReason } from './state.ts';

/** A state that cannot be used, where `onMismatch` is `'throw'`. */
export class ConversationStateError extends SkeinError {
  override readonly name = 'ConversationStateError';
  readonly code: DiscardReason;
  /** The text that was given, as it was. */
  readonly state: string;
  /** The message that cannot be read. */
  readonly index: number | undefined;

  constructor({ reason, state, index }: Discarded, problem: string) {
    super(problem);
    this.code = reason;
    this.state = state;
    this.index = index;
  }
}
