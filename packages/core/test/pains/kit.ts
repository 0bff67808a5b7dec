/** Small helpers of the tests in this folder. */
import { type Message, MessageList } from '@skein/core';

export const accepted = { refusal: undefined, warnings: [] };

/** A list of items is sent as its items. */
export const inner = (raw: string): string => (raw.startsWith('[') ? raw.slice(1, -1) : raw);

/** Saved as text and read again, as if by another process. */
export const reloaded = (messages: readonly Message[]): Message[] => [
  ...MessageList.fromJSON(JSON.stringify(new MessageList(messages))),
];
