import { digest, isObject } from '../json/index.ts';
import { type ContentBlock, contentText, type ToolResultBlock, type ToolUseBlock, viewBlocks } from './blocks.ts';

/** Who speaks in a message; `other` for a role that Skein does not know. */
export type Role = 'system' | 'user' | 'assistant' | 'tool' | 'other';

/** A message is its exact JSON text and the origin of that text. Everything else is a view of the text. */
export interface Message {
  /** The exact JSON text, the stored form. */
  readonly raw: string;
  readonly origin: Origin;
  readonly role: Role;
  readonly content: readonly ContentBlock[];
  /** The text of all text blocks, joined; for a tool message, the text of its results. */
  readonly text: string;
  readonly toolUses: readonly ToolUseBlock[];
  readonly toolResults: readonly ToolResultBlock[];
  readonly facts: Facts;
}

/**
 * What a request writer must know about a message. Facts are derived from the text and stored beside it, so that a
 * loaded history can be sent without being parsed.
 */
export interface Facts {
  readonly role: Role;
  /** SHA-256 of the raw text. */
  readonly digest: string;
  /** The tool calls it makes, in order. */
  readonly calls: readonly CallRef[];
  /** The ids of the tool calls that it answers, in order. */
  readonly results: readonly string[];
  /** The reasons why its text may not be sent as it is. */
  readonly needs: readonly Need[];
}

/** A tool call that a message makes, as its facts name it. */
export interface CallRef {
  readonly id: string;
  readonly name: string;
  /** The kind of call, if it is not a function call. */
  readonly form?: string;
}

/**
 * Why a message's text may need a change before it is sent back to its issuer. `empty`: a block or the message has no
 * content; `arguments`: tool arguments are not a JSON object; `cut`: a block is incomplete; `cache`: it has cache
 * markers of the client; `bound`: parts are valid only behind their own prefix, or for their own model or account;
 * `mixed`: tool results follow other content; `surrogate`: it holds a lone surrogate.
 */
export type Need = 'empty' | 'arguments' | 'cut' | 'cache' | 'bound' | 'mixed' | 'surrogate';

/** What a dialect reads from a raw message text. */
export interface MessageView {
  readonly role: Role;
  readonly content: readonly ContentBlock[];
  readonly needs: readonly Need[];
}

/** Reads the view of a raw text; must be a pure function. */
export type ViewReader = (raw: string, origin: Origin) => MessageView;

/** The only implementation of `Message`. The view and the facts are computed on first use. */
class RawMessage implements Message {
  readonly raw: string;
  readonly origin: Origin;
  readonly #readView: ViewReader;
  #view: MessageView | undefined;
  #facts: Facts | undefined;
  #toolUses: readonly ToolUseBlock[] | undefined;
  #toolResults: readonly ToolResultBlock[] | undefined;

  constructor(raw: string, origin: Origin, readView: ViewReader, facts: Facts | undefined) {
    this.raw = raw;
    this.origin = origin;
    this.#readView = readView;
    this.#facts = facts && freezeFacts(facts);
    Object.freeze(this);
  }

  get role(): Role {
    return this.#facts?.role ?? this.#viewed().role;
  }

  get content(): readonly ContentBlock[] {
    return this.#viewed().content;
  }

  get text(): string {
    return this.role === 'tool'
      ? this.toolResults.map((result) => joinText(result.content)).join('')
      : joinText(this.content);
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
      needs: this.#viewed().needs,
    });
    return this.#facts;
  }

  toJSON(): { raw: string; origin: Origin } {
    return { raw: this.raw, origin: this.origin };
  }

  #viewed(): MessageView {
    this.#view ??= deepFreeze(this.#readView(this.raw, this.origin));
    return this.#view;
  }
}

/**
 * A message with a view of one's own: its text stays as it is, and whoever writes it anew writes these blocks.
 *
 * @example
 * const { raw, origin, role, content } = message;
 * const cut = createMessage(raw, origin, () => ({ role, content: content.slice(0, 1), needs: [] }));
 */
export function createMessage(raw: string, origin: Origin, readView: ViewReader, facts?: Facts): Message {
  return new RawMessage(raw, Object.isFrozen(origin) ? origin : Object.freeze({ ...origin }), readView, facts);
}

/** The members of a call that are needed to answer it. */
export function callRef({ id, name, form }: CallRef): CallRef {
  return form ? { id, name, form } : { id, name };
}

/** Written out instead of a deep freeze, because a loaded history has thousands of facts. */
function freezeFacts(facts: Facts): Facts {
  for (const call of facts.calls) Object.freeze(call);
  for (const list of [facts.calls, facts.results, facts.needs]) Object.freeze(list);
  return Object.freeze(facts);
}

function joinText(content: readonly ContentBlock[]): string {
  return content.map((block) => (block.type === 'text' ? block.text : '')).join('');
}

function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  Object.freeze(value);
  for (const inner of Object.values(value)) deepFreeze(inner);
  return value;
}

/** Where a message came from. This decides to which providers its exact text may be sent again. */
export interface Origin {
  /** The protocol that its text is written in. */
  readonly dialect: string;
  /** Who can read its opaque parts: the API and deployment, not the name that a user gave it. */
  readonly issuer: string;
  /** The model as the reply names it; if the reply names none, as the request named it. */
  readonly model?: string;
  /** The model as the request named it, if the reply names it differently. */
  readonly requestedModel?: string;
  /** The provider behind a router that wrote it. */
  readonly upstream?: string;
  readonly apiVersion?: string;
  /** An organisation, or a name that the user gave; never derived from a key. */
  readonly account?: string;
  /** The prefix hash (`manifest.prefix`) of the request that this message answered. */
  readonly prefix?: string;
  /** Its stream ended early, so its last block may be incomplete. */
  readonly cut?: true;
}

/** The origin of messages that a person or a program wrote. */
export const BLOCKS_ORIGIN: Origin = /* @__PURE__ */ Object.freeze({ dialect: 'blocks', issuer: 'skein' });

/** The messages as an array; throws a `TypeError` that names the first value that is not a message. */
export function checkMessages(messages: Iterable<Message>): readonly Message[] {
  if (!isIterable(messages)) throw new TypeError('"messages" must be a list of messages, such as [user("...")]');
  if (checkedLists.has(messages)) return messages as readonly Message[];
  const list = [...messages];
  checkedLists.add(list);
  checked.fold(list);
  return list;
}

/** The arrays that were returned, which nobody changes: they need no further copy. */
const checkedLists = /* @__PURE__ */ new WeakSet<object>();

/**
 * Folds lists of messages, which usually grow at their end: a list that begins with the one of an earlier call is folded
 * from there on. A value is kept as long as the last message of its list lives, or until the list has grown.
 */
export class ListFold<State> {
  readonly #known = new WeakMap<Message, { readonly list: readonly Message[]; readonly state: State }>();
  readonly #start: () => State;
  readonly #add: (state: State, message: Message, index: number) => void;

  /** `add` changes the state. */
  constructor(start: () => State, add: (state: State, message: Message, index: number) => void) {
    this.#start = start;
    this.#add = add;
  }

  fold(list: readonly Message[]): State {
    // No loops: V8 would compile this function once more for the request after a long one.
    const last = list.findLastIndex((message, at) => {
      const known = this.#known.get(message);
      return known !== undefined && known.list.length === at + 1 && beginsWith(list, known.list);
    });
    const state = this.#known.get(list[last]!)?.state ?? this.#start();
    // The state grows with the list, and is no longer that of the shorter one.
    this.#known.delete(list[last]!);
    list.slice(last + 1).forEach((message, at) => {
      this.#add(state, message, last + 1 + at);
    });
    if (list.length > 0) this.#known.set(list.at(-1)!, { list, state });
    return state;
  }
}

/** Whether a list begins with the first `count` of these messages, the very same objects. */
export function beginsWith(list: readonly Message[], start: readonly Message[], count = start.length): boolean {
  if (count > list.length) return false;
  if (grownFrom.get(list) === start) return true;
  if (start.slice(0, count).some(isNotIn, list)) return false;
  if (count === start.length && checkedLists.has(list) && checkedLists.has(start)) {
    grownFrom.set(list, start);
    // Lists must not keep each other alive.
    grownFrom.delete(start);
  }
  return true;
}

/** Called by the platform's own loop: V8 replaces a loop of ours while it runs, which took longer than comparing 50,000 messages. */
function isNotIn(this: readonly Message[], message: Message, index: number): boolean {
  return this[index] !== message;
}

/**
 * The list of the turn before, with which a list begins: several parts of a turn ask for it, and comparing thousands of messages
 * again for each of them took longer than all else that writing the turn takes. Neither list ever changes.
 */
const grownFrom = /* @__PURE__ */ new WeakMap<readonly Message[], readonly Message[]>();

const checked = /* @__PURE__ */ new ListFold<readonly []>(
  () => [],
  (_, message, index) => {
    if (!isMessage(message))
      throw new TypeError(`messages[${index}] is not a message; use user(...), assistant(...) or MessageList.fromJSON`);
  },
);

export function isIterable(value: unknown): boolean {
  return value !== null && value !== undefined && Symbol.iterator in Object(value);
}

/** Does not read `facts`, which are computed on first use. */
export function isMessage(value: unknown): value is Message {
  return isObject(value) && typeof value.raw === 'string' && isObject(value.origin) && 'facts' in value;
}

/** What a new message says: a text, or content blocks. */
export type Content = string | readonly ContentBlock[];

/**
 * A system message in Skein's own content-block JSON.
 *
 * @example
 * const messages = [system('You are brief.'), user('Hello')];
 */
export function system(content: Content): Message {
  return blocksMessage(`{"role":"system","content":${toText(content)}}`);
}

/**
 * A user message in Skein's own content-block JSON.
 *
 * @example
 * user('Hello').text; // 'Hello'
 */
export function user(content: Content): Message {
  return blocksMessage(`{"role":"user","content":${toText(content)}}`);
}

/**
 * An assistant message in Skein's own content-block JSON, for an answer that no provider gave.
 *
 * @example
 * const messages = [user('Hello'), assistant('Hi'), user('Go on')];
 */
export function assistant(content: Content): Message {
  return blocksMessage(`{"role":"assistant","content":${toText(content)}}`);
}

/**
 * The result of a tool call. `isError` tells the model that the call failed.
 *
 * @example
 * const messages = [user('Weather?'), reply.message, toolResult(reply.message.toolUses[0].id, '21 °C')];
 */
export function toolResult(callId: string, content: Content, options: { readonly isError?: boolean } = {}): Message {
  const failed = options.isError ? ',"is_error":true' : '';
  return blocksMessage(
    `{"role":"tool","tool_call_id":${JSON.stringify(callId)}${failed},"content":${toText(content)}}`,
  );
}

/** The message that `system` or `user` makes of a text, with its view, so that a run does not need the reader of content blocks. */
export function textMessage(role: 'system' | 'user', text: string): Message {
  const content = [{ type: 'text', text } as const];
  const raw = `{"role":"${role}","content":${JSON.stringify(content)}}`;
  return createMessage(raw, BLOCKS_ORIGIN, () => ({ role, content, needs: [] }));
}

/** A message from a text in Skein's own content-block JSON. */
export function blocksMessage(raw: string, origin: Origin = BLOCKS_ORIGIN, facts?: Facts): Message {
  const message = createMessage(raw, origin, viewBlocks, facts);
  if (!facts) void message.content;
  return message;
}

function toText(content: Content): string {
  if (typeof content === 'string') return contentText([{ type: 'text', text: content }]);
  if (Array.isArray(content)) return contentText(content);
  throw new TypeError(
    `Content must be a string or a list of blocks, not ${typeof content}; pass an object as JSON.stringify(object)`,
  );
}
