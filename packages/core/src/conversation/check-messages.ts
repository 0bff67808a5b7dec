import type { Message } from '../message/index.ts';

/** The messages as a list; throws where one is none, before anything is made of it. */
export function checkMessages(messages: Iterable<Message>): readonly Message[] {
  const list = [...messages];
  const wrong = list.findIndex((message) => typeof message?.raw !== 'string' || message.facts === undefined);
  if (wrong >= 0) throw new TypeError(`messages[${wrong}] is not a message; use user(…), assistant(…) and the like`);
  return list;
}
