import { type Message, MessageList, openaiChat } from '@skein/core';
import { exportDialects } from '../export/dialect-messages.ts';
import { FormatError, wrongShape } from '../format-error.ts';
import { readJson } from '../source/exact.ts';
import { lineUp } from './line-up.ts';
import type { Reader } from './reader.ts';

/** Bare messages of a dialect, which has to be named. */
export const messages: Reader = {
  element: 'message',
  read(text, { dialect: id }) {
    if (id === undefined)
      throw new FormatError(
        'dialect_needed',
        `Bare messages do not say what they are written in: name the dialect, such as "${openaiChat.id}", or "legacy".`,
      );
    if (!Array.isArray(readJson(text))) throw wrongShape('a list of messages');
    return { messages: lineUp(readMessages(text, id).map((message) => ({ message, take: { author: 'unknown' } }))) };
  },
};

/** The messages of a list in a dialect's own JSON, as they would be read from a request. */
function readMessages(text: string, id: string): readonly Message[] {
  // What a model issued together may be one message: the reader of requests knows which.
  const spoken = exportDialects().find((one) => one.id === id);
  const read = spoken?.members
    ? spoken.readRequest(`{${JSON.stringify(spoken.members.messages)}:${text}}`).messages
    : [...MessageList.fromJSON(text, { dialect: id })];
  return needRoles(read, id);
}

/** Unknown messages are kept; but where none is known, the dialect is another one. */
export function needRoles(read: readonly Message[], id: string): readonly Message[] {
  const isForeign = read.length > 0 && read.every(({ role }) => role === 'other');
  if (isForeign) throw wrongShape(`messages of the dialect "${id}"; none of these has a role that it knows`);
  return read;
}
