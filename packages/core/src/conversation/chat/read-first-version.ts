import { dialect } from '../../dialects/index.ts';
import { elementTexts, isObject, type JsonObject, textAt } from '../../json/index.ts';
import { provider } from '../../providers/index.ts';
import { MessageListDeserializationError } from '../list-error.ts';
import { MessageList } from '../message-list.ts';
import { type ChatState, countUpTo, type Partner } from './state.ts';

/** Where version 1 says `openai`, it means chat completions. */
const RENAMED: Readonly<Record<string, string>> = { openai: 'openai-chat' };

/** `{"version":1,"provider":"openai","processed_length":4,"messages":[…]}`, the messages in the provider's own JSON. */
export function readFirstVersion(text: string, value: JsonObject): ChatState {
  const { provider: name, messages, processed_length: seen } = value;
  if (typeof name !== 'string') throw new MessageListDeserializationError('the state has no "provider"');
  if (messages !== null && messages !== undefined && !Array.isArray(messages))
    throw new MessageListDeserializationError('"messages" of the state is not an array');
  const partner = partnerNamed(RENAMED[name] ?? name);
  const texts = Array.isArray(messages) ? elementTexts(textAt(text, ['messages'])!) : [];
  const list = new MessageList(texts.map((raw, index) => messageOf(raw, index, messages as unknown[], partner)));

  return { with: partner, list, seen: countUpTo(list.length, seen), prefix: undefined, discarded: undefined };
}

/** A provider that nobody knows any more is another one; how its messages are written does not matter then. */
function partnerNamed(name: string): Partner {
  try {
    const { id, dialect: speaks, issuer } = provider(name);
    return { provider: id, dialect: speaks, issuer };
  } catch {
    return { provider: name, dialect: 'openai-chat', issuer: name };
  }
}

function messageOf(raw: string, index: number, values: readonly unknown[], { dialect: id, issuer }: Partner) {
  const value = values[index];
  if (!isObject(value) || typeof value.role !== 'string')
    throw new MessageListDeserializationError('it is not an object with a "role"', { index });
  try {
    return dialect(id).parseMessage(raw, { issuer });
  } catch (cause) {
    throw new MessageListDeserializationError((cause as Error).message, { index, cause });
  }
}
