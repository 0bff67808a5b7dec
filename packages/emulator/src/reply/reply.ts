/** What the emulator answers, told once for all four protocols. */
import type { Transport } from './transport.ts';

/** Any JSON value; `rawJson` for text that must stay as it is. */
export type Extra = Readonly<Record<string, unknown>>;

interface Base {
  /** Unknown fields of this block alone. */
  readonly extra?: Extra;
}

export interface TextBlock extends Base {
  readonly type: 'text';
  readonly text: string;
  /** Gemini: whether the part carries a thought signature. Default: the last text of a signing model without calls. */
  readonly signed?: boolean;
}

export interface ThinkingBlock extends Base {
  readonly type: 'thinking';
  readonly text: string;
  /** Sent instead of a signature of the emulator's own, so that it is not recognised later. */
  readonly signature?: string;
  /** Chat completions: the message field it goes into. Default `reasoning_content`. */
  readonly field?: string;
}

/** Thinking of which only the ciphertext is given. */
export interface RedactedThinkingBlock extends Base {
  readonly type: 'redacted-thinking';
}

export interface ToolUseBlock extends Base {
  readonly type: 'tool-use';
  readonly name: string;
  /** A value, or the exact JSON text of the arguments. */
  readonly input: Extra | string;
  /** The id of the call. Default: a new one. */
  readonly id?: string;
  /** Gemini: as with text. Default: the first call of a signing model. */
  readonly signed?: boolean;
}

export interface RefusalBlock extends Base {
  readonly type: 'refusal';
  readonly text: string;
}

/** An image the model made: inline data, an `image_generation_call`, `images` of a chat message as OpenRouter has them. */
export interface ImageBlock extends Base {
  readonly type: 'image';
  /** Default `image/png`. */
  readonly mediaType?: string;
  /** Base64. */
  readonly data: string;
}

/**
 * A block, item or part in the protocol's own form, known or unknown: it is served as it is, whole. Chat completions
 * have no list of blocks; there its fields become fields of the message.
 */
export interface NativeBlock {
  readonly type: 'native';
  readonly value: Extra;
}

export type ReplyBlock =
  | TextBlock
  | ThinkingBlock
  | RedactedThinkingBlock
  | ToolUseBlock
  | RefusalBlock
  | ImageBlock
  | NativeBlock;

export type Stop = 'end' | 'tool-use' | 'max-tokens' | 'stop-sequence' | 'refusal' | 'pause';

export interface Usage {
  readonly input?: number;
  readonly output?: number;
  readonly reasoning?: number;
  readonly cached?: number;
}

/** Unknown fields by level. What a protocol has no such level for is left out. */
export interface Extras {
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

/** An event that the protocol does not know, or a comment line, put into the stream behind so many others. */
export interface ExtraEvent {
  readonly after: number;
  readonly event?: string;
  readonly data?: unknown;
  readonly comment?: string;
}

export interface MessageReply extends Transport {
  readonly blocks: readonly ReplyBlock[];
  /** Further choices (chat) or candidates (Gemini). */
  readonly alternatives?: readonly (readonly ReplyBlock[])[];
  /** Default: `tool-use` when there is a call, else `end`. */
  readonly stop?: Stop;
  /** A stop reason in the protocol's own words, known or not. */
  readonly nativeStop?: string;
  /** Default: estimated from lengths. */
  readonly usage?: Usage;
  /** The model that the reply names. Default: the one asked for. */
  readonly model?: string;
  readonly id?: string;
  readonly extra?: Extras;
  readonly events?: readonly ExtraEvent[];
  /** Characters per streamed piece of text. Default 16. */
  readonly pieces?: number;
}

/** An error in the provider's own shape. */
export interface ErrorReply extends Transport {
  readonly error: {
    readonly status: number;
    readonly message?: string;
    /** OpenAI's and Anthropic's `type`, Google's `status`. Default: what goes with the status. */
    readonly type?: string;
    readonly code?: string;
  };
}

/** Bytes as they are; `chunks` are written one by one. */
export interface RawReply extends Transport {
  readonly raw: {
    readonly status?: number;
    readonly headers?: Readonly<Record<string, string>>;
    readonly body?: string | Uint8Array;
    readonly chunks?: readonly (string | Uint8Array)[];
  };
}

export type Reply = MessageReply | ErrorReply | RawReply;

/** A reply of one text. */
export const says = (text: string, more: Omit<MessageReply, 'blocks'> = {}): MessageReply => ({
  blocks: [{ type: 'text', text }],
  ...more,
});
