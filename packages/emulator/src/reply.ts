/** Replies in one form for all protocols: what the emulator answers, and how the answer is transmitted. */
import { isObject } from './json.ts';

/** Further fields; `rawJson` for a value whose exact text matters. */
export type Extra = Readonly<Record<string, unknown>>;

interface Base {
  /** Unknown fields for this block only. */
  readonly extra?: Extra;
}

/** Visible text. */
export interface TextReplyBlock extends Base {
  readonly type: 'text';
  readonly text: string;
  /** Gemini: whether the part carries a thought signature. Default: the last text of a signing model without calls. */
  readonly signed?: boolean;
}

/** Readable thinking, signed where the protocol signs it: `{ type: 'thinking', text: 'They mean the city.' }`. */
export interface ThinkingReplyBlock extends Base {
  readonly type: 'thinking';
  readonly text: string;
  /** Sent instead of the emulator's own signature; it is not recognised later. */
  readonly signature?: string;
  /** Chat completions: the message field it goes into. Default `reasoning_content`. */
  readonly field?: string;
}

/** Thinking that is sent as ciphertext only. */
export interface RedactedThinkingReplyBlock extends Base {
  readonly type: 'redacted-thinking';
}

/** A tool call: `{ type: 'tool-use', name: 'get_weather', input: { city: 'Oslo' } }`. */
export interface ToolUseReplyBlock extends Base {
  readonly type: 'tool-use';
  readonly name: string;
  /** A value, or the exact JSON text of the arguments. */
  readonly input: Extra | string;
  /** The id of the call. Default: a new one. */
  readonly id?: string;
  /** Gemini: as with text. Default: the first call of a signing model. */
  readonly signed?: boolean;
}

/** The model's refusal; plain text in protocols without refusals. */
export interface RefusalReplyBlock extends Base {
  readonly type: 'refusal';
  readonly text: string;
}

/** An image the model made: inline data, an `image_generation_call`, `images` of a chat message as OpenRouter has them. */
export interface ImageReplyBlock extends Base {
  readonly type: 'image';
  /** Default `image/png`. */
  readonly mediaType?: string;
  /** Base64. */
  readonly data: string;
}

/**
 * A block, item or part in the protocol's own form, known or unknown. It is sent unchanged. Chat completions have no
 * list of blocks, so its fields become fields of the message there.
 */
export interface NativeReplyBlock {
  readonly type: 'native';
  readonly value: Extra;
}

/** One block of a scripted reply, the same for all protocols. */
export type ReplyBlock =
  | TextReplyBlock
  | ThinkingReplyBlock
  | RedactedThinkingReplyBlock
  | ToolUseReplyBlock
  | RefusalReplyBlock
  | ImageReplyBlock
  | NativeReplyBlock;

/** Why the reply ends, the same for all protocols; `nativeStop` has the protocol's own words. */
export type ReplyStop = 'end' | 'tool-use' | 'max-tokens' | 'stop-sequence' | 'refusal' | 'pause';

/** Token counts of a reply. */
export interface ReplyUsage {
  readonly input?: number;
  readonly output?: number;
  readonly reasoning?: number;
  readonly cached?: number;
}

/** Unknown fields by level. A protocol ignores the levels that it does not have. */
export interface ExtraFields {
  /** The response as a whole; never sent back by clients. */
  readonly envelope?: Extra;
  /** Chat choice, Gemini candidate. */
  readonly choice?: Extra;
  /** The message: Anthropic's, `choices[].message`, Gemini's content; with Responses every message item. */
  readonly message?: Extra;
  /** Every content block, output item, Gemini part, chat tool call. */
  readonly block?: Extra;
  /** One level further in: Responses content and summary parts, `function` of a chat call, Gemini's `functionCall`. */
  readonly part?: Extra;
  readonly usage?: Extra;
  /** Streams only: every delta object (Anthropic, chat). */
  readonly delta?: Extra;
  /** Streams only: every event. */
  readonly event?: Extra;
}

/** An event that the protocol does not know, or a comment line, inserted after this number of events. */
export interface ExtraEvent {
  readonly after: number;
  readonly event?: string;
  readonly data?: unknown;
  readonly comment?: string;
}

/** An answer of the model: `{ blocks: [{ type: 'text', text: 'Hello!' }], stop: 'end' }`. */
export interface MessageReply extends Transport {
  readonly blocks: readonly ReplyBlock[];
  /** Further choices (chat) or candidates (Gemini). */
  readonly alternatives?: readonly (readonly ReplyBlock[])[];
  /** Default: `tool-use` when there is a call, else `end`. */
  readonly stop?: ReplyStop;
  /** A stop reason in the protocol's own form, known or unknown. */
  readonly nativeStop?: string;
  /** Default: estimated from lengths. */
  readonly usage?: ReplyUsage;
  /** The model named in the reply. Default: the requested one. */
  readonly model?: string;
  readonly id?: string;
  readonly extra?: ExtraFields;
  readonly events?: readonly ExtraEvent[];
  /** Characters per streamed piece of text. Default 16. */
  readonly pieces?: number;
}

/** An error, sent in the provider's own format. */
export interface ErrorReply extends Transport {
  readonly error: {
    readonly status: number;
    readonly message?: string;
    /** OpenAI's and Anthropic's `type`, Google's `status`. Default: the usual one of the status. */
    readonly type?: string;
    readonly code?: string;
  };
}

/** Bytes that are sent unchanged; `chunks` are written one by one. */
export interface BytesReply extends Transport {
  readonly raw: {
    readonly status?: number;
    readonly headers?: Readonly<Record<string, string>>;
    readonly body?: string | Uint8Array;
    readonly chunks?: readonly (string | Uint8Array)[];
  };
}

/** What a script queues: a message, an error, or raw bytes. */
export type ScriptedReply = MessageReply | ErrorReply | BytesReply;

/**
 * A reply of one text.
 *
 * @example
 * emulator.script('anthropic-messages', says('It is cold.', { delay: 500 }));
 */
export const says = (text: string, more: Omit<MessageReply, 'blocks'> = {}): MessageReply => ({
  blocks: [{ type: 'text', text }],
  ...more,
});

/** The three forms of `retry-after`: whole seconds, a date (milliseconds from now), milliseconds (`retry-after-ms`). */
export type RetryDelay = { readonly seconds: number } | { readonly dateIn: number } | { readonly ms: number };

/** An error in the middle of a stream, in the protocol's own format. Without a stream it is an HTTP error. */
export interface StreamError {
  readonly afterEvents: number;
  readonly message?: string;
  /** Default 529 with Anthropic, else 500. */
  readonly status?: number;
  readonly type?: string;
}

/** Where and how the connection breaks. */
export interface ConnectionFault {
  /** `request`: before the response. `head`: after status and headers. */
  readonly after: 'request' | 'head' | { readonly events: number } | { readonly bytes: number };
  /**
   * `cut` closes the connection, `reset` resets it, `hang` sends nothing more until the client leaves, `end` ends the
   * body regularly, but too early.
   */
  readonly how: 'cut' | 'reset' | 'hang' | 'end';
}

/** How a reply is transmitted: when, in which chunks, and what goes wrong on the way. */
export interface Transport {
  /** Default 200. */
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly retryAfter?: RetryDelay;
  /** Milliseconds before status and headers. */
  readonly delay?: number;
  /** Milliseconds between events, or between chunks of bytes. */
  readonly chunkDelay?: number;
  /** Sends the body in chunks of this many bytes, even in the middle of a character. */
  readonly chunkBytes?: number;
  readonly streamError?: StreamError;
  readonly break?: ConnectionFault;
}

const blockTypes: Readonly<Record<ReplyBlock['type'], true>> = {
  text: true,
  thinking: true,
  'redacted-thinking': true,
  'tool-use': true,
  refusal: true,
  image: true,
  native: true,
};

/** Checks a reply when it is queued: later, a mistake in it would look like a failure of the server. */
export function checkReply(reply: ScriptedReply, at: string): void {
  const given: unknown = reply;
  if (!isObject(given)) throw new TypeError(`${at} must be an object with "blocks", "error" or "raw"`);
  if ('raw' in given || 'error' in given) return;
  checkBlocks(given.blocks, `${at}.blocks`);
  const { alternatives = [] } = given;
  if (!Array.isArray(alternatives)) throw new TypeError(`${at}.alternatives must be a list of lists of blocks`);
  for (const [index, blocks] of alternatives.entries()) checkBlocks(blocks, `${at}.alternatives[${index}]`);
}

function checkBlocks(blocks: unknown, at: string): void {
  if (!Array.isArray(blocks)) throw new TypeError(`${at} must be a list of blocks`);
  for (const [index, block] of blocks.entries()) {
    if (isObject(block) && typeof block.type === 'string' && block.type in blockTypes) continue;
    throw new TypeError(`${at}[${index}].type must be one of ${Object.keys(blockTypes).join(', ')}`);
  }
}
