import {
  anthropicMessages,
  assistant,
  type Content,
  type ContentBlock,
  type Message,
  system,
  user,
  writeRequest,
} from '@skein/core';
import { DEFAULT_DIALECT } from '../../model/dialects.ts';
import { ForestError } from '../errors.ts';

const WRITERS = { system, user, assistant };

/** Makes a message of the same role with another content, in the blocks dialect. */
export function withContent(message: Message, content: Content): Message {
  return WRITERS[message.role as keyof typeof WRITERS](content);
}

/** Replaces the text of a message. It goes where the first text was, or to the end; media keep their order. */
export function withText(message: Message, text: string): Message {
  const { content } = message;
  if (!content.some(isMedia)) return withContent(message, text);
  const first = content.findIndex(({ type }) => type === 'text');
  const at = first < 0 ? content.length : first;
  const media = [content.slice(0, at), content.slice(at)].map((part) => part.filter(isMedia));
  return withContent(message, [...media[0]!, { type: 'text', text }, ...media[1]!]);
}

const isMedia = ({ type }: ContentBlock): boolean => type === 'media';

/** Whether a system, user or assistant message contains nothing but text. */
function isPlainText({ role, content }: Message): boolean {
  return role in WRITERS && content.length > 0 && content.every(({ type }) => type === 'text');
}

/** Refuses a message that contains anything but text: a cut would lose it. */
export function checkPlainText(id: string, message: Message): void {
  if (!isPlainText(message)) throw notText(id, message, 'only messages of nothing but text can be split');
}

/** Refuses a message with calls, results or reasoning: a rewrite would lose them. */
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

/** Refuses a position outside the text or in the middle of a character. */
export function checkPosition(id: string, text: string, at: number): void {
  if (!Number.isSafeInteger(at) || at <= 0 || at >= text.length)
    throw new ForestError('bad_position', id, `Cannot split at ${at}: give a position from 1 to ${text.length - 1}.`);
  if (/[\ud800-\udbff]/.test(text[at - 1]!) && /[\udc00-\udfff]/.test(text[at]!))
    throw new ForestError('bad_position', id, `Cannot split at ${at}: it is in the middle of a character.`);
}

/**
 * Joins neighbours of one role that are nothing but text, for a request: a text that was split is sent whole, and so is a
 * beginning that a model continued. A provider's text is joined only to a text that was written here, and only when
 * nothing of it is lost; otherwise it is sent unchanged. Calls and results end a run of neighbours.
 */
export function joinTexts(messages: readonly Message[]): Message[] {
  const joined: Message[] = [];
  for (let start = 0; start < messages.length; ) {
    let end = start + 1;
    while (end < messages.length && isNeighbour(messages[end - 1]!, messages[end]!)) end++;
    const run = messages.slice(start, end);
    // Texts are parsed only here: most histories have no such neighbours.
    for (const message of run.length > 1 && run.some(isOurs) ? joinRun(run) : run) joined.push(message);
    start = end;
  }
  return joined;
}

/** Decides by role and facts, without parsing the texts. */
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
    yield* joinOrKeep(texts);
    texts = [];
    yield message;
  }
  yield* joinOrKeep(texts);
}

function joinOrKeep(texts: readonly Message[]): readonly Message[] {
  if (texts.length < 2 || !texts.some(isOurs)) return texts;
  return [withContent(texts[0]!, texts.map(({ text }) => text).join(''))];
}

const isOurs = ({ origin }: Message) => origin.dialect === 'blocks';

function isJoinable(message: Message): boolean {
  if (!isPlainText(message) || message.content.some((block) => block.type === 'text' && block.citations)) return false;
  return isOurs(message) || isTranslatable(message);
}

/** Tries to write the message for a foreign protocol: what that drops, joining would drop, too. */
function isTranslatable(message: Message): boolean {
  const foreign = message.origin.dialect === DEFAULT_DIALECT.id ? anthropicMessages : DEFAULT_DIALECT;
  const { losses } = writeRequest(foreign, { model: 'any', messages: [message] });
  return losses.every(({ kind }) => kind !== 'dropped');
}
