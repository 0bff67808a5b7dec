import { assistant, type Message, system, user } from '@skein/core';
import { ForestError } from './errors.ts';

const WRITERS = { system, user, assistant };

/** A message of the same role with another text, in Skein's own form. */
export function sameRole(message: Message, text: string): Message {
  return WRITERS[message.role as keyof typeof WRITERS](text);
}

/** Whether there is nothing but text in it, said by a person, a model or a system. */
export function isPlainText({ role, content }: Message): boolean {
  return role in WRITERS && content.length > 0 && content.every(({ type }) => type === 'text');
}

/** What has anything but text cannot be cut or rewritten without losing it. */
export function needPlainText(id: string, message: Message, action: string): void {
  if (isPlainText(message)) return;
  const what = message.role in WRITERS ? `has ${others(message)}` : `is a ${message.role} message`;
  throw new ForestError('not_text', id, `Node ${id} ${what}: only messages of nothing but text can be ${action}.`);
}

function others({ content }: Message): string {
  const kinds = new Set(content.map(({ type }) => type).filter((type) => type !== 'text'));
  return kinds.size === 0 ? 'no text' : [...kinds].join(' and ');
}

/** Refuses a place that is not inside the text, or is in the middle of a character. */
export function checkPosition(id: string, text: string, at: number): void {
  if (!Number.isSafeInteger(at) || at <= 0 || at >= text.length)
    throw new ForestError('bad_position', id, `Cannot split at ${at}: give a position from 1 to ${text.length - 1}.`);
  if (/[\ud800-\udbff]/.test(text[at - 1]!) && /[\udc00-\udfff]/.test(text[at]!))
    throw new ForestError('bad_position', id, `Cannot split at ${at}: it is in the middle of a character.`);
}
