import { digest } from '../json/index.ts';
import type { ContentBlock, ToolResultBlock, ToolUseBlock } from './blocks.ts';
import type { Origin } from './origin.ts';

export type Role = 'system' | 'user' | 'assistant' | 'tool' | 'other';

/** A message is its exact JSON text and where that came from. Everything else is a view of the text. */
export interface Message {
  /** The exact JSON text, the stored form. */
  readonly raw: string;
  readonly origin: Origin;
  readonly role: Role;
  readonly content: readonly ContentBlock[];
  /** The visible text of all text blocks, joined; for a tool message that of its results. */
  readonly text: string;
  readonly toolUses: readonly ToolUseBlock[];
  readonly toolResults: readonly ToolResultBlock[];
  readonly facts: Facts;
}

/** What writing a request must know about a message. Derived from the text, kept beside it so that a loaded history need not be parsed to be sent. */
export interface Facts {
  readonly role: Role;
  /** SHA-256 of the raw text. */
  readonly digest: string;
  /** The calls it makes, and the ids of the calls it answers, in order. */
  readonly calls: readonly CallRef[];
  readonly results: readonly string[];
  /** Why its text cannot simply be sent as it is. */
  readonly needs: readonly Need[];
}

export interface CallRef {
  readonly id: string;
  readonly name: string;
  /** What kind of call it is, if it is not a function's. */
  readonly form?: string;
}

/**
 * `empty`: a block or message without content; `arguments`: tool arguments that are not a JSON object; `cut`: a
 * block that never became complete; `cache`: a client's cache markers; `bound`: parts that are valid only after
 * their own prefix, for their own model or account; `mixed`: results stand behind other content; `surrogate`: half
 * of a character.
 */
export type Need = 'empty' | 'arguments' | 'cut' | 'cache' | 'bound' | 'mixed' | 'surrogate';

/** What a dialect sees in a raw message text. */
export interface MessageView {
  readonly role: Role;
  readonly content: readonly ContentBlock[];
  readonly needs: readonly Need[];
}

/** Makes the view of a raw text; pure. */
export type ViewOf = (raw: string, origin: Origin) => MessageView;

/** The one implementation of `Message`. The view and the facts are made on first use. */
class RawMessage implements Message {
  readonly raw: string;
  readonly origin: Origin;
  readonly #viewOf: ViewOf;
  #view: MessageView | undefined;
  #facts: Facts | undefined;
  #toolUses: readonly ToolUseBlock[] | undefined;
  #toolResults: readonly ToolResultBlock[] | undefined;

  constructor(raw: string, origin: Origin, viewOf: ViewOf, facts: Facts | undefined) {
    this.raw = raw;
    this.origin = origin;
    this.#viewOf = viewOf;
    this.#facts = facts && freezeFacts(facts);
    Object.freeze(this);
  }

  get role(): Role {
    return this.#facts?.role ?? this.#seen().role;
  }

  get content(): readonly ContentBlock[] {
    return this.#seen().content;
  }

  get text(): string {
    return this.role === 'tool'
      ? this.toolResults.map((result) => textOf(result.content)).join('')
      : textOf(this.content);
  }

  get toolUses(): readonly ToolUseBlock[] {
    this.#toolUses ??= Object.freeze(this.content.filter((block) => block.type === 'tool-use'));
    return this.#toolUses;
  }

  get toolResults(): readonly ToolResultBlock[] {
    this.#toolResults ??= Object.freeze(this.content.filter((block) => block.type === 'tool-result'));
    return this.#toolResults;
  }

  get facts(): Facts {
    this.#facts ??= freezeFacts({
      role: this.role,
      digest: digest(this.raw),
      calls: this.toolUses.map(callRef),
      results: this.toolResults.map((result) => result.toolCallId),
      needs: this.#seen().needs,
    });
    return this.#facts;
  }

  toJSON(): { raw: string; origin: Origin } {
    return { raw: this.raw, origin: this.origin };
  }

  #seen(): MessageView {
    this.#view ??= deepFreeze(this.#viewOf(this.raw, this.origin));
    return this.#view;
  }
}

export function createMessage(raw: string, origin: Origin, viewOf: ViewOf, facts?: Facts): Message {
  return new RawMessage(raw, Object.isFrozen(origin) ? origin : Object.freeze({ ...origin }), viewOf, facts);
}

/** By hand, because a loaded history has thousands. */
/** What has to be known of a call to answer it. */
export function callRef({ id, name, form }: CallRef): CallRef {
  return form ? { id, name, form } : { id, name };
}

function freezeFacts(facts: Facts): Facts {
  for (const call of facts.calls) Object.freeze(call);
  for (const list of [facts.calls, facts.results, facts.needs]) Object.freeze(list);
  return Object.freeze(facts);
}

function textOf(content: readonly ContentBlock[]): string {
  return content.map((block) => (block.type === 'text' ? block.text : '')).join('');
}

function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  Object.freeze(value);
  for (const inner of Object.values(value)) deepFreeze(inner);
  return value;
}
