import { type Message, MessageList, readChatState } from '@skein/core';
import { FormatError } from '../format-error.ts';
import type { Reader } from '../importer.ts';
import { readObject } from '../source/exact-json.ts';
import { type Known, lineUp } from './source-conversation.ts';

/** `MessageList` files, ours and those of version "1.0". */
export const messageList: Reader = {
  element: 'conversation',
  read(text) {
    // In lists of version "1.0" every answer is a model's; in ours, what a person put into its mouth is a person's.
    const isOurs = readObject(text, 'a list of messages').value.format !== undefined;
    const messages = [...MessageList.fromJSON(text)].map(known);
    return { messages: lineUp(isOurs ? messages : messages.map(byModel)) };
  },
};

/** States of `Chat`, ours and those of version 1. */
export const chatState: Reader = {
  element: 'conversation',
  read(text) {
    const read = readChatState(text);
    if ('problem' in read) throw new FormatError('wrong_shape', `${read.problem}.`);
    const { list, with: partner, seen, discarded } = read.state;
    const extra = { processed_length: seen, ...(discarded && { discarded }) };
    const messages = [...list].map((message, index): Known => {
      const about = known(message);
      const provider = partner && message.role === 'assistant' ? { provider: partner.provider } : {};
      const last = index === list.length - 1 ? { extra } : {};
      return { ...about, take: { ...about.take, ...provider, ...last } };
    });
    return { messages: lineUp(messages) };
  },
};

/** Nothing is known but what the message says of itself. */
function known(message: Message): Known {
  const { model } = message.origin;
  return { message, ...(model && { take: { model } }) };
}

function byModel(known: Known): Known {
  return known.message.role === 'assistant' ? { ...known, take: { ...known.take, author: 'model' } } : known;
}
