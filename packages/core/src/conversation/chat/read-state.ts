import { isJson, isObject, type JsonObject } from '../../json/index.ts';
import { MessageListDeserializationError } from '../list-error.ts';
import { MessageList } from '../message-list.ts';
import { decodeSaved } from '../saved.ts';
import { readFirstVersion } from './read-first-version.ts';
import {
  type ChatState,
  countUpTo,
  type Discarded,
  type DiscardReason,
  type Partner,
  type Prefix,
  STATE_VERSION,
  type StateText,
} from './state.ts';

export type ReadState =
  | { readonly state: ChatState }
  /** It cannot be read: why, in words for people. */
  | { readonly discarded: Discarded; readonly problem: string };

/** Reads a state of any version, as text or as its bytes. Null and empty are simply new. */
export function readState(saved: StateText): ReadState {
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
    with: partnerIn(value),
    list,
    seen: countUpTo(list.length, value.processed_length),
    prefix: prefixIn(value),
    discarded: isDiscarded(value.discarded) ? value.discarded : undefined,
  };
}

function partnerIn({ provider, dialect, issuer }: JsonObject): Partner | undefined {
  const isNamed = typeof provider === 'string' && typeof dialect === 'string' && typeof issuer === 'string';
  return isNamed ? { provider, dialect, issuer } : undefined;
}

function prefixIn({ system, tools }: JsonObject): Prefix | undefined {
  return Array.isArray(system) && Array.isArray(tools) && tools.every(Array.isArray)
    ? { system: system as string[], tools: tools as unknown as [string, string][] }
    : undefined;
}

function isDiscarded(value: unknown): value is Discarded {
  return isObject(value) && typeof value.reason === 'string' && typeof value.state === 'string';
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
