import type { Range } from '../../json/index.ts';
import type { CallRef, Message } from '../../message/index.ts';
import type { LossNote } from '../loss.ts';
import type { ProviderDescriptor } from '../provider.ts';
import type { RequestParams, ToolDefinition } from '../request.ts';

/** The provider, model and account that a request is written for. */
export interface Target {
  readonly provider: ProviderDescriptor;
  readonly model: string;
  readonly account: string | undefined;
  readonly params: RequestParams;
  /** The provider behind a router that the request goes to, if reasoning depends on it. */
  readonly upstream?: string | undefined;
  /** The `store` member of `extra`, as JSON text. */
  readonly store?: string | undefined;
}

/**
 * What a message, or a part of it, becomes in the body. `text` is one element of the message list, or several joined by
 * `,` if the protocol splits a message; it is empty if there is nothing to send but losses to report.
 */
export interface Draft {
  readonly role: 'system' | 'user' | 'assistant' | 'tool';
  readonly text: string;
  /** The pieces of `text`: ranges of the message's raw text, and new text. Absent if all of it is new. */
  readonly pieces?: readonly (Range | string)[] | undefined;
  /** The calls that it makes, by the ids that they have in this body. */
  readonly calls: readonly CallRef[];
  /** The ids of the calls that it answers. */
  readonly results: readonly string[];
  /** Whether it holds parts that are valid only behind their own prefix. */
  readonly bound?: boolean | undefined;
  /** The content blocks of a `user` or `tool` draft, so that several drafts can be merged into one element. */
  readonly parts?: readonly string[] | undefined;
  readonly losses: readonly LossNote[];
}

/** Finds the call that a result answers. Results without an id are matched by name and order. */
export interface CallLookup {
  find(resultId: string): CallMatch | undefined;
}

/** A call that a result answers. Calls that the target itself issued (`isOwn`) keep their ids, whatever those look like. */
export type CallMatch = CallRef & { readonly isOwn?: boolean; readonly dialect?: string };

/** How one protocol writes requests. All functions are pure. `writeRequest` orders and pairs the drafts. */
export interface RequestWriter {
  /**
   * Drafts a message of this dialect and issuer: its raw text, changed only where its `facts.needs` or the refused
   * fields require it. With `dropBound`, its bound parts are left out. Returns no drafts if nothing is left to send.
   */
  splice(message: Message, target: Target, options?: { readonly dropBound?: boolean }): readonly Draft[];
  /** Drafts any other message from its blocks. */
  translate(message: Message, target: Target, calls: CallLookup): readonly Draft[];
  /** Drafts a result for a call that has none. */
  result(call: CallRef, text: string, target: Target): Draft;
  /** Drafts a user message. */
  userText(text: string, target: Target): Draft;
  /** Merges drafts of one role into one element; returns undefined if the protocol keeps them apart. Their losses stay as they are. */
  merge(drafts: readonly Draft[]): Draft | undefined;
  /** Whether results follow each assistant message, or the whole turn of several assistant messages. */
  readonly resultsFollow: 'message' | 'turn';
  /** Whether results must be in the order of their calls, because they have no ids (`response-order`). */
  readonly resultsInOrder?: boolean;
  /** Whether results are sent as user messages, so that they are merged with them where roles must alternate. */
  readonly resultsAreUsers?: boolean;
  /** Adds a cache marker to the text of an element, of the system or of the tools; absent if the protocol has no markers. */
  mark?(text: string): string | undefined;
  /** Where a target takes cache markers; default: everywhere. */
  markable?(target: Target): readonly MarkablePart[];
  /** Removes white space at the end of a draft (`trailing-space`). Returns undefined if there is none, null if nothing is left. */
  trimEnd?(draft: Draft): Draft | undefined | null;
  /**
   * Drops calls and results of server-side tools whose counterpart is missing. Returns the changed drafts by index,
   * undefined for a draft of which nothing is left. `isWhole` is false if other messages were sent before these.
   */
  dropUnpaired?(drafts: readonly Draft[], isWhole: boolean): ReadonlyMap<number, Draft | undefined>;
  /** Whether a draft calls or answers server-side tools; needed with `dropUnpaired`. */
  usesServerTools?(draft: Draft): boolean;
  /** Drops parameters that the elements do not allow, with a note. `textOf` gives the text of an element as it is sent. */
  fitParams?(target: Target, count: number, textOf: (index: number) => string, losses: LossNote[]): RequestParams;
  /** Whether the protocol refuses the same message twice, because its parts have ids. The second one is then translated. */
  readonly refusesRepeats?: boolean;
  /** The ids of calls of an own message whose results may come later than the next request, or never. */
  lateCalls?(message: Message): readonly string[];
  /** Whether an own message stands for everything before it, so that a request begins with it. */
  beginsConversation?(message: Message): boolean;
  /** Whether a conversation must not begin with a call. */
  readonly callsFollowUser?: boolean;
  /** Whether the body continues calls that the provider stores, so that results may stand without their calls. */
  continues?(extra: Readonly<Record<string, string>>): boolean;
  /** Whether a system message at the front of the conversation is an element of the message list nevertheless. */
  standsInline?(message: Message, target: Target): boolean;
  /** The default of `maxTokens`, if the API requires a number. */
  defaultMaxTokens?(params: RequestParams, target: Pick<Target, 'provider' | 'model'>): number;
  /** Writes the body around the message elements. */
  frame(parts: FrameParts, target: Target): Frame;
}

/** A part of a request that can carry cache markers. */
export type MarkablePart = 'tools' | 'system' | 'messages';

/** The parts of a request around its messages. */
export interface FrameParts {
  /** System messages that stand before all others, of this dialect or of any other. */
  readonly system: readonly Message[];
  readonly tools: readonly ToolDefinition[];
  readonly params: RequestParams;
  /** Top-level members to merge into the body: name and exact JSON text. */
  readonly extra: Readonly<Record<string, string>>;
  readonly cache: { readonly tools: boolean; readonly system: boolean };
  /** The names of the tools that the messages call. */
  called(): readonly string[];
}

/** The body around the message elements, as text. */
export interface Frame {
  /** The text from `{` through the opening bracket of the message list. */
  readonly head: string;
  /** Elements that the protocol puts first in its message list, such as system messages. */
  readonly lead: readonly string[];
  /** The text from the closing bracket of the message list through `}`. */
  readonly tail: string;
  /** The texts of system and tools without cache markers: the start of the prefix hash. */
  readonly base: string;
  readonly losses: readonly LossNote[];
}
