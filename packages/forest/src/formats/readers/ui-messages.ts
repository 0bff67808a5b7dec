import { isObject, type Message, system, textAt, user } from '@skein/core';
import { wrongShape } from '../format-error.ts';
import { type Exact, membersWithout, readJson, readObjects, textIn, timeOf } from '../source/exact.ts';
import { lineUp, unknownMessage } from './line-up.ts';
import type { Reader } from './reader.ts';
import { turnsOf } from './turns.ts';
import { isBlock, partsOfUi } from './ui-parts.ts';

const TAKEN = ['role', 'parts', 'content', 'createdAt', 'toolInvocations', 'experimental_attachments', 'reasoning'];

/** Messages of the AI SDK's user interfaces, of version 4 and later: a list, or a chat with "messages". */
export const uiMessages: Reader = {
  element: 'message',
  read(text) {
    const value = readJson(text);
    const chat = isObject(value) && Array.isArray(value.messages) ? value : undefined;
    const list = chat ? chat.messages : value;
    if (!Array.isArray(list)) throw wrongShape('a list of UI messages, or {"messages":[…]}');
    const listText = chat ? textAt(text, ['messages'])! : text;
    const messages = readObjects(listText, list, 'a UI message').flatMap(knownFrom);
    const id = chat && textIn(chat, 'id');
    return { ...(id && { id }), title: (chat && textIn(chat, 'title')) ?? '', messages: lineUp(messages) };
  },
};

function knownFrom(source: Exact) {
  const { value } = source;
  const extra = membersWithout(source, TAKEN);
  const byModel = value.role === 'assistant' ? ({ author: 'model' } as const) : {};
  return written(source).map((message, part) => ({
    message,
    at: timeOf(value.createdAt),
    take: { ...byModel, extra: part === 0 ? extra : { id: value.id, part } },
  }));
}

function written(source: Exact): Message[] {
  const { role } = source.value;
  const items = partsOfUi(source);
  if (role === 'assistant') return turnsOf(items);
  const blocks = items.filter(isBlock);
  if (role === 'user') return [user(blocks)];
  if (role === 'system') return [system(blocks)];
  // Version 4 had messages that carry data for the page alone: nobody said them to a model.
  return [unknownMessage(source.text)];
}
