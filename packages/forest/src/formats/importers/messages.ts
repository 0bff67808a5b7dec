import { isObject, type Message, MessageList, readChatState } from '@skein/core';
import { DEFAULT_DIALECT } from '../../model/dialects.ts';
import { exportDialects } from '../export/dialect-messages.ts';
import { FormatError, wrongShape } from '../format-error.ts';
import type { BuiltInImporter } from '../importer.ts';
import { otherMembers, readJson, readObject } from '../source/exact-json.ts';
import { chainMessages, type MessageWithFacts } from './source-conversation.ts';

/** Bare messages of a dialect. Nothing in them says which one: callers have to name it. */
export const messages: BuiltInImporter = {
  element: 'message',
  read(text, { dialect: id }) {
    if (id === undefined)
      throw new FormatError(
        'dialect_needed',
        `Bare messages do not say which dialect they are written in. Name it, such as "${DEFAULT_DIALECT.id}", or "legacy".`,
      );
    if (!Array.isArray(readJson(text))) throw wrongShape('a list of messages');
    return {
      messages: chainMessages(readMessages(text, id).map((message) => ({ message, take: { author: 'unknown' } }))),
    };
  },
};

/** Reads a list of messages in the JSON of a dialect, as in a request. */
function readMessages(text: string, id: string): readonly Message[] {
  // Several elements may form one message; the reader of requests knows which.
  const spoken = exportDialects().find((one) => one.id === id);
  const read = spoken?.members
    ? spoken.readRequest(`{${JSON.stringify(spoken.members.messages)}:${text}}`).messages
    : [...MessageList.fromJSON(text, { dialect: id })];
  return requireRoles(read, id);
}

/** Unknown messages are kept; but if all are unknown, the dialect is wrong. */
function requireRoles(read: readonly Message[], id: string): readonly Message[] {
  const isForeign = read.length > 0 && read.every(({ role }) => role === 'other');
  if (isForeign) throw wrongShape(`messages of the dialect "${id}"; none of these has a role that it knows`);
  return read;
}

/** `{"messages":[…]}`, one conversation per line. Other members are kept with the last message. */
export const fineTuning: BuiltInImporter = {
  recognisedBy: 'lines with "messages", and neither "version" nor "model"',
  detects: ({ messages: list, version, model }) => Array.isArray(list) && version === undefined && model === undefined,
  inLines: true,
  read(text, { dialect: id = DEFAULT_DIALECT.id }) {
    const known = exportDialects();
    const spoken = known.find((one) => one.id === id);
    if (!spoken?.members) throw wrongShape(`one of the dialects ${known.map((one) => one.id).join(', ')}, not "${id}"`);
    const names = [spoken.members.messages, ...spoken.members.system] as const;
    const example = readObject(text, `{"${names[0]}":[…]} on each line`);
    if (!Array.isArray(example.value[names[0]])) throw wrongShape(`{"${names[0]}":[…]} on each line`);
    const { system, messages } = spoken.readRequest(text);
    const all = requireRoles([...(system ? [system] : []), ...messages], id);
    const extra = otherMembers(example, names);
    return {
      messages: chainMessages(
        all.map((message, index) => ({
          message,
          take: { author: 'unknown', ...(index === all.length - 1 && Object.keys(extra).length > 0 && { extra }) },
        })),
      ),
    };
  },
};

/** `MessageList` files, current ones and those of version "1.0". */
export const messageList: BuiltInImporter = {
  recognisedBy: '{"format":"skein/messages",…} or {"version":"1.0","messages":[…]}',
  detects: ({ format, version, messages: list }) =>
    format === 'skein/messages' || (typeof version === 'string' && Array.isArray(list) && format === undefined),
  read(text) {
    // In lists of version "1.0" every assistant message comes from a model; in current ones a person may have written
    // it.
    const isOurs = readObject(text, 'a list of messages').value.format !== undefined;
    const messages = [...MessageList.fromJSON(text)].map(withModel);
    return { messages: chainMessages(isOurs ? messages : messages.map(byModel)) };
  },
};

/** States of `Chat`, current ones and those of version 1. */
export const chatState: BuiltInImporter = {
  recognisedBy: '{"version":1,"provider":…,"messages":[…]} or {"version":2,"list":{…}}',
  detects: ({ version, list, provider, messages: old }) =>
    typeof version === 'number' && (isObject(list) || (typeof provider === 'string' && Array.isArray(old))),
  read(text) {
    const read = readChatState(text);
    if ('problem' in read) throw new FormatError('wrong_shape', `${read.problem}.`);
    const { list, with: partner, seen, discarded } = read.state;
    const extra = { processed_length: seen, ...(discarded && { discarded }) };
    const messages = [...list].map((message, index): MessageWithFacts => {
      const about = withModel(message);
      const provider = partner && message.role === 'assistant' ? { provider: partner.provider } : {};
      const last = index === list.length - 1 ? { extra } : {};
      return { ...about, take: { ...about.take, ...provider, ...last } };
    });
    return { messages: chainMessages(messages) };
  },
};

/** All that is known is the model in the message's origin. */
function withModel(message: Message): MessageWithFacts {
  const { model } = message.origin;
  return { message, ...(model && { take: { model } }) };
}

function byModel(known: MessageWithFacts): MessageWithFacts {
  return known.message.role === 'assistant' ? { ...known, take: { ...known.take, author: 'model' } } : known;
}
