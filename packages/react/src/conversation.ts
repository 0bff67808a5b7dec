import { SkeinError, type SkeinErrorCode } from '@skein/core';
import type { Block } from '@skein/server/client';

/** What a page shows of a conversation, and where it comes from. */

export type { Block };

/** A message as a list of blocks. Results of tools are blocks, too: in a message of their own, or after the call. */
export interface ConversationMessage {
  readonly id: string;
  readonly role: 'system' | 'user' | 'assistant' | 'tool' | 'other';
  readonly blocks: readonly Block[];
  /** The message is still arriving. Its id changes when it is complete. */
  readonly isLive: boolean;
  /** The ids of all alternatives at this place, this message included, oldest first. */
  readonly siblings: readonly string[];
}

/** A call that waits for a decision, or for its result. `rawParameters` is JSON as the model wrote it. */
export interface PendingCall {
  readonly id: string;
  readonly name: string;
  readonly rawParameters: string;
}

/** What becomes of a call: it runs, it is refused with a reason, or the page gives its result. */
export type CallDecision = 'approve' | { readonly deny: string } | { readonly result: string };

/**
 * `waiting`: calls wait for a decision. `stopped` and `failed`: the last answer ended early; `resume` continues it.
 * `loading` and `sending` last until the server has responded.
 */
export type ConversationStatus = 'loading' | 'ready' | 'sending' | 'streaming' | 'waiting' | 'stopped' | 'failed';

/** A conversation at one moment, along one of its branches. */
export interface ConversationSnapshot {
  /** Absent until the first message is sent. */
  readonly id?: string;
  readonly messages: readonly ConversationMessage[];
  readonly status: ConversationStatus;
  readonly pending: readonly PendingCall[];
  /** Why the answer failed, or why the server refused. */
  readonly error?: Error;
  /** What the transport calls the last answer, in order to stop or resume it. */
  readonly answer?: string;
}

/**
 * Where conversations come from. Every method but `stop` yields the conversation as it changes, until nothing runs any more.
 * `signal` ends the reading, never the answer. What a transport throws becomes the `error` of the conversation.
 */
export interface ConversationTransport {
  /** Reads a conversation, at its own head or at a message, and follows the answer that is running there. */
  open(id: string, at: string | undefined, signal: AbortSignal): AsyncIterable<ConversationSnapshot>;
  /** Adds a message of the user after the last one, and has it answered. */
  send(from: ConversationSnapshot, blocks: readonly Block[], signal: AbortSignal): AsyncIterable<ConversationSnapshot>;
  /** Adds a sibling of the user's message with another text, and has it answered. */
  edit(
    from: ConversationSnapshot,
    message: string,
    text: string,
    signal: AbortSignal,
  ): AsyncIterable<ConversationSnapshot>;
  /** Adds another answer beside one. */
  regenerate(from: ConversationSnapshot, message: string, signal: AbortSignal): AsyncIterable<ConversationSnapshot>;
  /** Continues an answer that waits, was stopped or failed. Decisions are by the ids of the calls. */
  resume(
    from: ConversationSnapshot,
    decisions: Readonly<Record<string, CallDecision>>,
    signal: AbortSignal,
  ): AsyncIterable<ConversationSnapshot>;
  /** Stops the answer on the server; what arrived is kept. */
  stop(from: ConversationSnapshot): Promise<void>;
  /** Shows the newest branch through a sibling. Absent where the server tells of no siblings. */
  show?(from: ConversationSnapshot, message: string, signal: AbortSignal): AsyncIterable<ConversationSnapshot>;
}

/**
 * The server refused a request, or cannot be reached (`connection`).
 *
 * @example
 * if (conversation.error instanceof ConversationError) console.log(conversation.error.code);
 */
export class ConversationError extends SkeinError {
  override readonly name = 'ConversationError';
  readonly code: SkeinErrorCode;

  constructor(code: string, message: string) {
    super(message);
    // A newer server may have codes that this version does not know.
    this.code = code as SkeinErrorCode;
  }
}

/** Waits for a response; throws a `ConversationError` if the request was refused, or nobody answered. */
export async function reach<R extends Pick<Response, 'ok' | 'status' | 'text'>>(sent: Promise<R>): Promise<R> {
  let response: R;
  try {
    response = await sent;
  } catch {
    throw new ConversationError('connection', 'The server cannot be reached.');
  }
  if (response.ok) return response;
  const text = await response.text().catch(() => '');
  const { code, detail } = readProblem(text);
  throw new ConversationError(code ?? 'bad_request', detail ?? (text || `The server answered ${response.status}.`));
}

/** Skein's API describes problems in JSON; other routes may answer with a sentence. */
function readProblem(text: string): { readonly code?: string; readonly detail?: string } {
  try {
    return (JSON.parse(text) ?? {}) as { code?: string; detail?: string };
  } catch {
    return {};
  }
}
