import { isObject } from '../json/index.ts';
import type { Message } from './message.ts';

/** The messages as a list; throws where one is none, before anything is made of it. */
export function checkMessages(messages: Iterable<Message>): readonly Message[] {
  if (!isIterable(messages)) throw new TypeError('messages is not a list of messages, such as [user("...")]');
  const list = [...messages];
  const wrong = list.findIndex((message) => !isMessage(message));
  if (wrong >= 0)
    throw new TypeError(`messages[${wrong}] is not a message; use user(...), assistant(...) and the like`);
  return list;
}

export function isIterable(value: unknown): boolean {
  return value !== null && value !== undefined && Symbol.iterator in Object(value);
}

/** Facts are made on first use, so they are not looked at here. */
function isMessage(value: unknown): boolean {
  return isObject(value) && typeof value.raw === 'string' && isObject(value.origin) && 'facts' in value;
}
