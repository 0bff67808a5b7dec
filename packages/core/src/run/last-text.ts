import type { Message } from '../message/index.ts';
import { hasContent } from './has-content.ts';

/** The last thing the model said: one message, or several where it paused in between. */
export function lastText(messages: readonly Message[]): string {
  // Behind the results of its calls a model that has said all it wanted gives an empty reply.
  const end = messages.findLastIndex((message) => message.role === 'assistant' && hasContent(message)) + 1;
  const start = messages.slice(0, end).findLastIndex(({ role }) => role !== 'assistant') + 1;
  return messages
    .slice(start, end)
    .map(({ text }) => text)
    .join('');
}
