// An importer from outside of the packages: chats that a support desk exported, one JSON object each.
import { assistant, isObject, user } from '@skein/core';
import { chainMessages, defineImporter, FormatError } from '@skein/forest';

/** @import { MessageWithFacts } from '@skein/forest' */

export const supportDesk = defineImporter({
  id: 'support-desk',
  title: 'Support desk chats',
  recognisedBy: 'objects with "ticket" and "lines"',
  detects: ({ ticket, lines }) => typeof ticket === 'string' && Array.isArray(lines),
  read(text) {
    const { ticket, subject, lines } = JSON.parse(text);
    if (!Array.isArray(lines)) throw new FormatError('wrong_shape', `Ticket ${ticket} has no "lines".`);
    return {
      id: ticket,
      ...(typeof subject === 'string' && { title: subject }),
      messages: chainMessages(lines.map(readLine)),
    };
  },
});

/**
 * @param {unknown} line
 * @param {number} index
 * @returns {MessageWithFacts}
 */
function readLine(line, index) {
  if (!isObject(line) || typeof line.text !== 'string')
    throw new FormatError('wrong_shape', `Expected an object with "text" as line ${index}.`);
  // What a message has no place for is kept in the take.
  const { text, who, at, engine, ...extra } = line;
  const time = typeof at === 'string' ? Date.parse(at) : undefined;
  if (who === 'customer') return { message: user(text), at: time, take: { author: 'person', extra } };
  return { message: assistant(text), at: time, take: { author: 'model', model: String(engine ?? ''), extra } };
}
