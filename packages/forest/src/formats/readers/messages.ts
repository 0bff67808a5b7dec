import { dialect, type Message, MessageList } from '@skein/core';
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
        'Bare messages do not say what they are written in: name the dialect, such as "openai-chat", or "legacy".',
      );
    if (!Array.isArray(readJson(text))) throw wrongShape('a list of messages');
    return { messages: lineUp(readMessages(text, id).map((message) => ({ message, take: { author: 'unknown' } }))) };
  },
};

/** The messages of a list in a dialect's own JSON, as they would be read from a request. */
function readMessages(text: string, id: string): readonly Message[] {
  // Items that a model issued together are one message: the reader of requests knows which.
  const read =
    id === 'openai-responses'
      ? dialect(id).readRequest(`{"input":${text}}`).messages
      : [...MessageList.fromJSON(text, { dialect: id })];
  return needRoles(read, id);
}

/** Unknown messages are kept; but where none is known, the dialect is another one. */
export function needRoles(read: readonly Message[], id: string): readonly Message[] {
  const isForeign = read.length > 0 && read.every(({ role }) => role === 'other');
  if (isForeign) throw wrongShape(`messages of the dialect "${id}"; none of these has a role that it knows`);
  return read;
}
