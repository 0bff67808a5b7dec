import { blocks, type Message } from '@skein/core';
import { isPlainText, sameRole } from './plain-text.ts';

/**
 * Neighbours of one role that are nothing but text, joined for a request: a text that was split is sent whole, and
 * a text that a model went on with is one text. What a provider wrote is joined only to what was written here, and
 * only when nothing of it is lost; a run of native messages is sent as it came. Calls and results end a run.
 */
export function joinTexts(messages: readonly Message[]): Message[] {
  const joined: Message[] = [];
  for (let start = 0; start < messages.length; ) {
    let end = start + 1;
    if (isJoinable(messages[start]!))
      while (end < messages.length && messages[end]!.role === messages[start]!.role && isJoinable(messages[end]!))
        end++;
    joined.push(...oneOf(messages.slice(start, end)));
    start = end;
  }
  return joined;
}

function oneOf(run: readonly Message[]): readonly Message[] {
  if (run.length === 1 || !run.some(isOurs)) return run;
  return [sameRole(run[0]!, run.map(({ text }) => text).join(''))];
}

const isOurs = ({ origin }: Message) => origin.dialect === 'blocks';

function isJoinable(message: Message): boolean {
  const { role } = message;
  if ((role !== 'user' && role !== 'assistant') || !isPlainText(message)) return false;
  if (message.content.some((block) => block.type === 'text' && block.citations)) return false;
  return isOurs(message) || blocks.writeRequest({ model: '', messages: [message] }).losses.length === 0;
}
