import type { Message } from '../message/index.ts';

/** The last thing the model said: one message, or several where it paused in between. */
export function lastText(messages: readonly Message[]): string {
  const end = messages.findLastIndex(({ role }) => role === 'assistant') + 1;
  const start = messages.slice(0, end).findLastIndex(({ role }) => role !== 'assistant') + 1;
  return messages
    .slice(start, end)
    .map(({ text }) => text)
    .join('');
}
