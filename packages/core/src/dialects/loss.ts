import { SkeinError } from '../error.ts';
/** One thing that a request does not carry as it was. */
export interface Loss {
  readonly kind: 'rewritten' | 'synthesised' | 'dropped';
  /** Index in the messages given; -1 for the request as a whole. */
  readonly message: number;
  /** Where in that message, such as `content[2]`. */
  readonly path: string;
  readonly reason: LossReason;
  /** What the reason does not say: an id, a name, a media type. `describeLoss` makes a sentence of it all. */
  readonly detail?: string;
}

/** A loss as a dialect notes it, before it is known where the message stands. */
export type LossNote = Omit<Loss, 'message'>;

export type LossReason =
  | 'account-bound'
  | 'cache-marker'
  | 'citations'
  | 'cut'
  | 'duplicate-result'
  | 'empty'
  | 'foreign-file'
  | 'foreign-reasoning'
  | 'inline-system'
  | 'late-result'
  | 'malformed-arguments'
  | 'merged'
  | 'model-bound'
  | 'nothing-to-send'
  | 'opening'
  | 'parameter'
  | 'prefill'
  | 'prefix-bound'
  | 'refusal'
  | 'refused-field'
  | 'reordered'
  | 'server-tool'
  | 'signature-placeholder'
  | 'surrogate'
  | 'tool-id'
  | 'tool-name'
  | 'tool-unanswered'
  | 'unknown-block'
  | 'unknown-field'
  | 'unsupported-media'
  | 'upstream-bound';

/** Thrown in `strict` mode instead of dropping anything. */
export class LossError extends SkeinError {
  override readonly name = 'LossError';
  readonly code = 'would_lose';
  readonly losses: readonly Loss[];

  constructor(losses: readonly Loss[]) {
    super(
      `The request would drop parts of the conversation: ${losses.map(({ message, path, reason }) => [reason, message < 0 ? '' : `message ${message}`, path].filter(Boolean).join(' ')).join(', ')}`,
    );
    this.losses = losses;
  }
}
