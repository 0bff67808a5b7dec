import { anthropicMessages, type Message, openaiChat } from '@skein/core';
import { isPlainText, sameRole } from './plain-text.ts';

/**
 * Neighbours of one role that are nothing but text, joined for a request: a text that was split is sent whole, and
 * what a model went on with is one text with its beginning. What a provider wrote is joined only to what was written
 * here, and only when nothing of it is lost; otherwise it is sent as it came. Calls and results end a run.
 */
export function joinTexts(messages: readonly Message[]): Message[] {
  const joined: Message[] = [];
  for (let start = 0; start < messages.length; ) {
    let end = start + 1;
    while (end < messages.length && isNeighbour(messages[end - 1]!, messages[end]!)) end++;
    const run = messages.slice(start, end);
    // Texts are read only here: a history without such neighbours is not parsed.
    for (const message of run.length > 1 && run.some(isOurs) ? joinRun(run) : run) joined.push(message);
    start = end;
  }
  return joined;
}

/** What can be told without reading their texts. */
function isNeighbour(a: Message, b: Message): boolean {
  if (a.role !== b.role || (a.role !== 'user' && a.role !== 'assistant')) return false;
  return [a, b].every(({ facts }) => facts.calls.length === 0 && facts.results.length === 0);
}

function* joinRun(run: readonly Message[]): Generator<Message> {
  let texts: Message[] = [];
  for (const message of run) {
    if (isJoinable(message)) {
      texts.push(message);
      continue;
    }
    yield* oneOf(texts);
    texts = [];
    yield message;
  }
  yield* oneOf(texts);
}

function oneOf(texts: readonly Message[]): readonly Message[] {
  if (texts.length < 2 || !texts.some(isOurs)) return texts;
  return [sameRole(texts[0]!, texts.map(({ text }) => text).join(''))];
}

const isOurs = ({ origin }: Message) => origin.dialect === 'blocks';

function isJoinable(message: Message): boolean {
  if (!isPlainText(message) || message.content.some((block) => block.type === 'text' && block.citations)) return false;
  return isOurs(message) || isTranslatable(message);
}

/** Asked of a protocol that is not its own: what would be dropped there would be dropped by joining. */
function isTranslatable(message: Message): boolean {
  const foreign = message.origin.dialect === openaiChat.id ? anthropicMessages : openaiChat;
  const { losses } = foreign.writeRequest({ model: 'any', messages: [message] });
  return losses.every(({ kind }) => kind !== 'dropped');
}
