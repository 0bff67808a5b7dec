import { SkeinError } from '../error.ts';

/** One thing that a request does not carry exactly as it was. */
export interface Loss {
  readonly kind: 'rewritten' | 'synthesised' | 'dropped';
  /** The index of the message; -1 for the request as a whole. */
  readonly message: number;
  /** The place in that message, such as `content[2]`. */
  readonly path: string;
  readonly reason: LossReason;
  /** An id, a name, a media type: what the reason does not tell. `describeLoss` puts everything into a sentence. */
  readonly detail?: string;
}

/** A loss as a dialect notes it, before the index of the message is known. */
export type LossNote = Omit<Loss, 'message'>;

/** Why a request or a response does not carry something exactly as it was. */
export type LossReason =
  | 'account-bound'
  | 'cache-marker'
  | 'citations'
  | 'compacted'
  | 'client-tool'
  | 'cut'
  | 'duplicate-result'
  | 'empty'
  | 'foreign-file'
  | 'foreign-reasoning'
  | 'foreign-tool'
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
  | 'upstream-bound'
  | 'vendor-text';

/** Thrown in `strict` mode if a request would drop anything. */
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

const SENTENCES: Readonly<Record<LossReason, string>> = {
  'account-bound': 'reasoning that is bound to another account is left out',
  'cache-marker': 'cache markers are placed for each request, and not carried from one to the next',
  'client-tool': 'a tool of the client that the target has no form for is sent as a function',
  citations: 'sources are left out: they are in the words of another provider',
  compacted: 'messages are left out, because a summary that the API wrote stands for them',
  cut: 'something that never became complete is left out',
  'duplicate-result': 'a second result for a call is sent as text',
  empty: 'something that says nothing is left out',
  'foreign-file': 'a file that another provider holds is left out',
  'foreign-reasoning': 'reasoning is only for the provider that made it, and never sent as text',
  'foreign-tool': 'a call of a tool that the agent does not have is told as text, with its result',
  'inline-system': 'a system message is not taken at this place and is sent as user text',
  'late-result': 'a result that no open call takes is sent as text',
  'malformed-arguments': 'arguments that are not a JSON object are sent as an object that quotes them',
  merged: 'two consecutive messages are sent as one',
  'model-bound': 'reasoning that is bound to another model is left out',
  'nothing-to-send': 'nothing is left to send, so the model is asked to continue',
  opening: 'a conversation that begins with a call is given a beginning',
  parameter: 'a parameter that the target does not take like this',
  prefill: 'the target takes no request that ends like this',
  'prefix-bound': 'reasoning that is bound to another conversation before it is left out',
  'refused-field': 'a field that the provider gave and does not take back is left out',
  refusal: 'a refusal is sent as text',
  reordered: 'something is sent in another order than it was said: the target has a fixed one',
  'server-tool': "what a tool on another provider's side did or is cannot be carried",
  'signature-placeholder': 'a call without a signature of this issuer is sent with a placeholder',
  surrogate: 'a lone surrogate is replaced by U+FFFD',
  'tool-id': 'an id that is not accepted here is replaced',
  'tool-name': 'a tool name that is not accepted here is replaced',
  'tool-unanswered': 'a call without a result is answered with one that says so',
  'unknown-block': 'a block of this kind has no place here and is left out',
  'unknown-field': 'fields that only their own provider knows are left out',
  'unsupported-media': 'media of this kind is not taken at this place',
  'upstream-bound': 'reasoning is only for the provider behind the router that wrote it',
  'vendor-text': 'a text that is meant for another vendor alone is left out',
};

/**
 * A loss as one sentence, for people.
 *
 * @example
 * for (const loss of writeRequest(openaiChat, request).losses) console.warn(describeLoss(loss));
 */
export function describeLoss({ kind, message, path, reason, detail }: Loss): string {
  const place = [message < 0 ? '' : `message ${message}`, path].filter(Boolean).join(' ');
  return `${kind}${place && ` (${place})`}: ${SENTENCES[reason]}${detail === undefined ? '' : ` (${detail})`}`;
}

type Note = (path: string, reason: LossReason, detail?: string) => LossNote;

export const dropped: Note = (path, reason, detail) => note('dropped', path, reason, detail);
export const rewritten: Note = (path, reason, detail) => note('rewritten', path, reason, detail);
export const synthesised: Note = (path, reason, detail) => note('synthesised', path, reason, detail);

function note(kind: LossNote['kind'], path: string, reason: LossReason, detail: string | undefined): LossNote {
  return detail === undefined ? { kind, path, reason } : { kind, path, reason, detail };
}
