import { dialect, openaiChat } from '../dialects/index.ts';
import { SkeinError } from '../error.ts';
import { digest, elementTexts, isJson, isObject, type JsonObject, textAt } from '../json/index.ts';
import type { Message } from '../message/index.ts';
import { provider } from '../providers/index.ts';
import type { Notice, RunOptions } from '../run/index.ts';
import { MessageList } from './message-list.ts';
import { decodeSaved, MessageListDeserializationError } from './saved-messages.ts';

/** The newest version of a state that this release writes; it reads all before it, too. */
const STATE_VERSION = 2;

/** A state as it is kept: the text that a chat gave, its bytes where a database keeps those, or nothing yet. */
export type StateText = string | Uint8Array | null | undefined;

/** What a state holds. Callers see it as text only. */
export interface ChatState {
  /** Who the conversation was last with; undefined where nobody was asked yet. */
  readonly with: Partner | undefined;
  readonly list: MessageList;
  /** How many of the messages the model has seen. */
  readonly seen: number;
  /** What stood before the messages in the last request. */
  readonly prefix: Prefix | undefined;
  /** A state that could not be read when something was appended to it: the next call tells of it. */
  readonly discarded: DiscardedState | undefined;
}

export interface Partner {
  readonly provider: string;
  readonly dialect: string;
  readonly issuer: string;
}

/** Digests of the system messages and the tools, one by one, so that a change can be named. */
interface Prefix {
  readonly system: readonly string[];
  readonly tools: readonly (readonly [name: string, digest: string])[];
}

/** Why a state was not used. */
export type DiscardReason =
  | 'invalid_conversation_state'
  | 'unsupported_state_version'
  | 'provider_mismatch'
  | 'message_unmarshal_failed';

/** A state that was not used. */
export interface DiscardedState {
  readonly reason: DiscardReason;
  /** The text that was given, as it was. */
  readonly state: string;
  /** The message that cannot be read (`message_unmarshal_failed`). */
  readonly index?: number;
}

export function writeState({ with: partner, list, seen, prefix, discarded }: ChatState): string {
  return JSON.stringify({
    version: STATE_VERSION,
    ...partner,
    processed_length: seen,
    ...prefix,
    list,
    discarded,
  });
}

export function digestPrefix(system: readonly Message[], tools: RunOptions['tools'] = []): Prefix {
  return {
    system: system.map(({ facts }) => facts.digest),
    tools: tools.map((tool) => {
      if (!('execute' in tool)) return [tool.dialect, digest(tool.native)] as const;
      const { name, description, parameters, native } = tool;
      return [name, digest(JSON.stringify([name, description, parameters, native]))] as const;
    }),
  };
}

/** A count as a state has it; what is none counts nothing. */
function readCount(most: number, value: unknown): number {
  return typeof value === 'number' && Number.isInteger(value) && value > 0 ? Math.min(value, most) : 0;
}

/** A state that cannot be used, where `onMismatch` is `'throw'`. */
export class ConversationStateError extends SkeinError {
  override readonly name = 'ConversationStateError';
  readonly code: DiscardReason;
  /** The text that was given, as it was. */
  readonly state: string;
  /** The message that cannot be read. */
  readonly index: number | undefined;

  constructor({ reason, state, index }: DiscardedState, problem: string) {
    super(problem);
    this.code = reason;
    this.state = state;
    this.index = index;
  }
}

/** A state that was read, or the reason why it could not be. */
export type ReadState =
  | { readonly state: ChatState }
  /** It cannot be read: why, in words for people. */
  | { readonly discarded: DiscardedState; readonly problem: string };

/**
 * Reads a state of any version, as text or as its bytes. Null and an empty text are a new state.
 *
 * @example
 * const read = readChatState(text);
 * if ('state' in read) console.log(read.state.list.length);
 */
export function readChatState(saved: StateText): ReadState {
  let given: unknown;
  try {
    given = decodeSaved(saved);
  } catch {
    const state = new TextDecoder().decode(saved as Uint8Array);
    return { discarded: { reason: 'invalid_conversation_state', state }, problem: 'The state is not UTF-8 text' };
  }
  if (given === null || given === undefined || given === '') return { state: newState() };
  // Some databases parse what looks like JSON; what comes back of it is kept as text, too.
  const text = typeof given === 'string' ? given : (JSON.stringify(given) ?? String(given));
  const failed = (reason: DiscardReason, problem: string, index?: number): ReadState => ({
    discarded: { reason, state: text, ...(index !== undefined && { index }) },
    problem,
  });
  if (text !== given) return failed('invalid_conversation_state', 'The state is no text; keep it as it was given');
  const value = parsed(text);
  if (!isObject(value)) return failed('invalid_conversation_state', 'The state is not a JSON object');
  if (value.version !== 1 && value.version !== STATE_VERSION)
    return value.version === undefined
      ? failed('invalid_conversation_state', 'The state has no "version"')
      : failed(
          'unsupported_state_version',
          `The state has version ${JSON.stringify(value.version)}; this release reads 1 to ${STATE_VERSION}`,
        );
  try {
    return { state: value.version === 1 ? readFirstVersion(text, value) : readCurrent(value) };
  } catch (error) {
    const { message, index, version } = error as MessageListDeserializationError;
    if (index !== undefined) return failed('message_unmarshal_failed', message, index);
    return failed(version === undefined ? 'invalid_conversation_state' : 'unsupported_state_version', message);
  }
}

export function newState(): ChatState {
  return { with: undefined, list: new MessageList(), seen: 0, prefix: undefined, discarded: undefined };
}

function readCurrent(value: JsonObject): ChatState {
  const list = MessageList.fromJSON(value.list);
  // Facts are trusted and texts not looked at, so that loading is quick; but a broken text would break every request.
  for (const [index, { raw }] of [...list].entries())
    if (!/^\s*[{[]/.test(raw) || !isJson(raw))
      throw new MessageListDeserializationError('its text is not a JSON object or list', { index });
  return {
    with: readPartner(value),
    list,
    seen: readCount(list.length, value.processed_length),
    prefix: readPrefix(value),
    discarded: isDiscarded(value.discarded) ? value.discarded : undefined,
  };
}

function readPartner({ provider, dialect, issuer }: JsonObject): Partner | undefined {
  const isNamed = typeof provider === 'string' && typeof dialect === 'string' && typeof issuer === 'string';
  return isNamed ? { provider, dialect, issuer } : undefined;
}

function readPrefix({ system, tools }: JsonObject): Prefix | undefined {
  return Array.isArray(system) && Array.isArray(tools) && tools.every(Array.isArray)
    ? { system: system as string[], tools: tools as unknown as [string, string][] }
    : undefined;
}

function isDiscarded(value: unknown): value is DiscardedState {
  return isObject(value) && typeof value.reason === 'string' && typeof value.state === 'string';
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** `{"version":1,"provider":"openai","processed_length":4,"messages":[…]}`, the messages in the provider's own JSON. */
function readFirstVersion(text: string, value: JsonObject): ChatState {
  const { provider: name, messages, processed_length: seen } = value;
  if (typeof name !== 'string') throw new MessageListDeserializationError('the state has no "provider"');
  if (messages !== null && messages !== undefined && !Array.isArray(messages))
    throw new MessageListDeserializationError('"messages" of the state is not an array');
  // Where version 1 says `openai`, it means Chat Completions.
  const partner = findNamedPartner(name === 'openai' ? openaiChat.home.id : name);
  const texts = Array.isArray(messages) ? elementTexts(textAt(text, ['messages'])!) : [];
  const list = new MessageList(texts.map((raw, index) => readMessage(raw, index, messages as unknown[], partner)));

  return { with: partner, list, seen: readCount(list.length, seen), prefix: undefined, discarded: undefined };
}

/** A provider that nobody knows any more is another one; how its messages are written does not matter then. */
function findNamedPartner(name: string): Partner {
  try {
    const { id, dialect: speaks, issuer } = provider(name);
    return { provider: id, dialect: speaks, issuer };
  } catch {
    return { provider: name, dialect: openaiChat.id, issuer: name };
  }
}

function readMessage(raw: string, index: number, values: readonly unknown[], { dialect: id, issuer }: Partner) {
  const value = values[index];
  if (!isObject(value) || typeof value.role !== 'string')
    throw new MessageListDeserializationError('it is not an object with a "role"', { index });
  try {
    return dialect(id).parseMessage(raw, { issuer });
  } catch (cause) {
    throw new MessageListDeserializationError((cause as Error).message, { index, cause });
  }
}

/** Notices of what stands before the messages now and did not when the state was made: then caches miss. */
export function prefixChanges(before: Prefix | undefined, now: Prefix): readonly Notice[] {
  if (!before) return [];
  const system = firstDifference(before.system, now.system);
  const tools = firstDifference(
    before.tools.map((tool) => tool.join('\n')),
    now.tools.map((tool) => tool.join('\n')),
  );
  const name = (now.tools[tools] ?? before.tools[tools])?.[0];
  return [
    ...(system < 0 ? [] : [changed(`system message ${system}`, { part: 'system', index: system })]),
    ...(name === undefined ? [] : [changed(`tool ${tools} (${name})`, { part: 'tools', index: tools, name })]),
  ];
}

function changed(where: string, at: NonNullable<Notice['at']>): Notice {
  return { code: 'prefix-changed', message: `Since the state was made, the ${at.part} changed, from ${where} on`, at };
}

/** -1 when both lists are the same. */
function firstDifference(before: readonly string[], now: readonly string[]): number {
  const longer = before.length > now.length ? before : now;
  return longer.findIndex((_, index) => before[index] !== now[index]);
}
