import type { Range } from '../../json/index.ts';
import type { CallRef, Message } from '../../message/index.ts';
import type { LossNote } from '../loss.ts';
import type { ProviderDescriptor } from '../provider.ts';
import type { RequestParams, ToolDefinition } from '../request.ts';

/** Whom a request is written for. */
export interface Target {
  readonly provider: ProviderDescriptor;
  readonly model: string;
  readonly account: string | undefined;
  readonly params: RequestParams;
  /** The provider behind a router that the request goes to, where reasoning depends on it. */
  readonly upstream?: string | undefined;
  /** What `extra` says of storing the conversation, as JSON text. */
  readonly store?: string | undefined;
}

/** What a message, or a part of it, becomes in the body (nothing but its losses when `text` is empty): one element text (several joined by `,` where the protocol splits a message). */
export interface Draft {
  readonly role: 'system' | 'user' | 'assistant' | 'tool';
  readonly text: string;
  /** What `text` consists of, as ranges of the message's raw text and new text; absent when all of it is new. */
  readonly pieces?: readonly (Range | string)[] | undefined;
  /** Calls made and answered, by the ids they have in this body. */
  readonly calls: readonly CallRef[];
  readonly results: readonly string[];
  /** Holds parts that are valid only behind their own prefix. */
  readonly bound?: boolean | undefined;
  /** A `user` or `tool` unit as its single content blocks, so that units can be gathered into one element. */
  readonly parts?: readonly string[] | undefined;
  readonly losses: readonly LossNote[];
}

/** Finds the call that a result answers. Results that came without an id are matched by name and order. */
export interface CallLookup {
  find(resultId: string): FoundCall | undefined;
}

/** A call that the target itself issued stands in the body under its own id, whatever that looks like. */
export type FoundCall = CallRef & { readonly isOwn?: boolean; readonly dialect?: string };

/** How one protocol writes. All functions are pure; the order and pairing of units is not their concern. */
export interface RequestWriter {
  /**
   * A message of this dialect and issuer: its raw text, untouched but for what its `facts.needs` and the refused
   * fields ask. With `dropBound` its bound parts are left out. No units when nothing is left to send.
   */
  splice(message: Message, target: Target, options: { readonly dropBound: boolean }): readonly Draft[];
  /** Any other message, written from its blocks. */
  translate(message: Message, target: Target, calls: CallLookup): readonly Draft[];
  /** A result for a call that has none. */
  result(call: CallRef, text: string, target: Target): Draft;
  /** Text as a user message. */
  userText(text: string, target: Target): Draft;
  /** Several units of one role as one element; undefined when this protocol keeps such units apart. */
  merge(units: readonly Draft[]): Draft | undefined;
  /** Whether the results of a turn of several assistant messages follow each message or the whole turn. */
  readonly resultsFollow: 'message' | 'turn';
  /** Whether results without ids are told apart by their order: then they stand in that of the calls (`response-order`). */
  readonly resultsInOrder?: boolean;
  /** Adds a cache marker to an element text or a system or tools text; undefined when the protocol has none. */
  mark?(text: string): string | undefined;
  /** A unit without white space at its end (`trailing-space`); undefined when there is none, null when nothing is left. */
  trimEnd?(unit: Draft): Draft | undefined | null;
  /**
   * A look at all units in their order: by index, what becomes of those that hold something whose other half is not
   * there, undefined when nothing is left of one. `isWhole` is false when other messages were sent before these.
   */
  dropUnpaired?(units: readonly Draft[], isWhole: boolean): ReadonlyMap<number, Draft | undefined>;
  /** Parameters that the elements as sent, of which `textOf` gives the text, do not allow are left out here, with a note. */
  fitParams?(target: Target, count: number, textOf: (index: number) => string, losses: LossNote[]): RequestParams;
  /** Whether the protocol refuses a message that stands twice, since its parts have ids; the second is then translated. */
  readonly refusesRepeats?: boolean;
  /** Whether no call may be the first thing in a conversation. */
  readonly callsFollowUser?: boolean;
  /** Whether the body goes on from calls that the provider holds, so that results may stand without theirs. */
  continues?(extra: Readonly<Record<string, string>>): boolean;
  /** Whether a system message at the front of the conversation is an element of this protocol's message list all the same. */
  standsInline?(message: Message, target: Target): boolean;
  /** What `maxTokens` is when nobody says, where the API insists on a number. */
  defaultMaxTokens?(params: RequestParams, target: Pick<Target, 'provider' | 'model'>): number;
  /** The body around the message elements. */
  frame(parts: FrameParts, target: Target): Frame;
}

export interface FrameParts {
  /** System messages that stand before all others: texts in this dialect's form, or plain blocks to be written. */
  readonly system: readonly Message[];
  readonly tools: readonly ToolDefinition[];
  readonly params: RequestParams;
  /** Top-level members to merge into the body: name and exact JSON text. */
  readonly extra: Readonly<Record<string, string>>;
  readonly cache: { readonly tools: boolean; readonly system: boolean };
}

export interface Frame {
  /** From `{` up to and with the opening of the message list. */
  readonly head: string;
  /** Elements that the protocol puts first in its message list, such as system messages. */
  readonly lead: readonly string[];
  /** From the end of the message list up to and with `}`. */
  readonly tail: string;
  /** The texts of system and tools, cache markers aside: what the prefix hash begins with. */
  readonly base: string;
  readonly losses: readonly LossNote[];
}
