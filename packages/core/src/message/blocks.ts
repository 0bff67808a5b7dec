import type { JsonObject } from '../json/index.ts';

/** One part of a message, in the order the provider gave. Blocks are views: nothing is ever written back from them. */
export type ContentBlock =
  | TextBlock
  | ToolUseBlock
  | ToolResultBlock
  | ReasoningBlock
  | MediaBlock
  | RefusalBlock
  | UnknownBlock;

export interface TextBlock {
  readonly type: 'text';
  readonly text: string;
  readonly citations?: readonly Citation[];
}

/** Where a statement comes from. `native` is the provider's own JSON text of it. */
export interface Citation {
  readonly url?: string;
  readonly title?: string;
  readonly quote?: string;
  readonly native: string;
}

export interface ToolUseBlock {
  readonly type: 'tool-use';
  /** Pairs the call with its result. Made from the message's text where the provider gave none. */
  readonly id: string;
  readonly name: string;
  /** The arguments by value; `{}` where `rawParameters` is not a JSON object. */
  readonly parameters: JsonObject;
  /** The arguments exactly as the model wrote them. */
  readonly rawParameters: string;
  /** A tool that takes free text instead of arguments; its results have a form of their own. */
  readonly form?: 'custom';
}

export interface ToolResultBlock {
  readonly type: 'tool-result';
  readonly toolCallId: string;
  readonly content: readonly ContentBlock[];
  readonly isError: boolean;
}

export interface ReasoningBlock {
  readonly type: 'reasoning';
  readonly text: string;
  /** The provider keeps the thoughts to itself: there is only ciphertext in the raw message. */
  readonly redacted: boolean;
}

/** An image, sound or document. */
export interface MediaBlock {
  readonly type: 'media';
  /** Such as `image/png`; `image/*` and the like where only the kind is known. */
  readonly mediaType: string;
  readonly source: MediaSource;
  readonly name?: string;
}

export type MediaSource =
  | { readonly kind: 'base64'; readonly data: string }
  | { readonly kind: 'url'; readonly url: string }
  /** A file the provider holds; it means nothing to any other issuer. */
  | { readonly kind: 'file'; readonly id: string };

export interface RefusalBlock {
  readonly type: 'refusal';
  readonly text: string;
}

/** Anything this version has no name for: kept, sent back to its issuer, and shown as it is. */
export interface UnknownBlock {
  readonly type: 'unknown';
  /** The native block's JSON text. */
  readonly native: string;
}
