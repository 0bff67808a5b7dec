import { type Message, user } from '@skein/core';
import type { TakeFacts } from '../../forest/write/append.ts';
import type { SourceMessage } from '../types.ts';

/** A message with what is known of it. */
export interface Known {
  readonly message: Message;
  readonly at?: number | undefined;
  readonly take?: TakeFacts;
}

/** Messages one below the other. */
export function lineUp(messages: readonly Known[]): SourceMessage[] {
  return messages.map((known, index) => ({
    ...known,
    key: String(index),
    parent: index === 0 ? undefined : String(index - 1),
  }));
}

/** A message by nobody that is known here: kept whole, shown as unknown, and never sent as anyone's words. */
export function unknownMessage(native: string): Message {
  return user([{ type: 'unknown', native }]);
}
