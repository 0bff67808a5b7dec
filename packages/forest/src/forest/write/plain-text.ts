import {
  anthropicMessages,
  assistant,
  type Content,
  type ContentBlock,
  type Message,
  openaiChat,
  system,
  user,
} from '@skein/core';
import { ForestError } from '../errors.ts';

const WRITERS = { system, user, assistant };

/** A message of the same role with another content, in Skein's own form. */
export function withContent(message: Message, content: Content): Message {
  return WRITERS[message.role as keyof typeof WRITERS](content);
}

/** The message with another text: it stands where the first one stood, or at the end, and media keep their places. */
export function withText(message: Message, text: string): Message {
  const { content } = message;
  if (!content.some(isMedia)) return withContent(message, text);
  const first = content.findIndex(({ type }) => type === 'text');
  const at = first < 0 ? content.length : first;
  const media = [content.slice(0, at), content.slice(at)].map((part) => part.filter(isMedia));
  return withContent(message, [...media[0]!, { type: 'text', text }, ...media[1]!]);
}

const isMedia = ({ type }: ContentBlock): boolean => type === 'media';

/** Whether there is nothing but text in it, said by a person, a model or a system. */
function isPlainText({ role, content }: Message): boolean {
  return role in WRITERS && content.length > 0 && content.every(({ type }) => type === 'text');
}

/** What has anything but text cannot be cut without losing it. */
export function checkPlainText(id: string, message: Message): void {
  if (!isPlainText(message)) throw notText(id, message, 'only messages of nothing but text can be split');
}

/** Calls, results and thoughts cannot be rewritten without losing them. */
export function checkTextAndMedia(id: string, message: Message): void {
  const { role, content } = message;
  const isEditable =
    role in WRITERS && content.length > 0 && content.every((block) => block.type === 'text' || isMedia(block));
  if (!isEditable) throw notText(id, message, 'only messages of text and media can be edited');
}

function notText(id: string, message: Message, rule: string): ForestError {
  const what = message.role in WRITERS ? `has ${others(message)}` : `is a ${message.role} message`;
  return new ForestError('not_text', id, `Node ${id} ${what}: ${rule}.`);
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
  return [withContent(texts[0]!, texts.map(({ text }) => text).join(''))];
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
