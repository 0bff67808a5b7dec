import { isObject, type JsonObject, type Message } from '@skein/core';
import type { TakeFacts } from '../../forest/index.ts';
import type { ImportedConversation, ImportedMessage, ImportedSession } from '../importer.ts';
import { readTime } from '../source/exact-json.ts';

/** A line of a log that is a JSON object. */
export interface LogLine {
  /** Counted from 1, blank lines left out. */
  readonly number: number;
  readonly text: string;
  readonly value: JsonObject;
}

/** The lines of a log, and what could not be read. */
export interface LogLines {
  readonly lines: readonly LogLine[];
  readonly problems: readonly { readonly where: string; readonly message: string }[];
}

/**
 * Reads the lines of a log. A line that is not a JSON object is reported; the last one may be half-written, because its
 * program is still writing: it is read when it is whole.
 */
export function readLogLines(text: string): LogLines {
  const lines: LogLine[] = [];
  const problems: { where: string; message: string }[] = [];
  const texts = text.split('\n').filter((line) => line.trim() !== '');
  for (const [index, line] of texts.entries()) {
    const value = parseObject(line);
    if (value) lines.push({ number: index + 1, text: line, value });
    else if (index < texts.length - 1)
      problems.push({ where: `line ${index + 1}`, message: 'This line is not a JSON object. It was left out.' });
  }
  return { lines, problems };
}

function parseObject(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** A message as its log tells it. */
export interface LoggedMessage {
  readonly message: Message;
  readonly at: number | undefined;
  readonly take: TakeFacts;
  /** The keys that later lines may name as their parent. */
  readonly keys: readonly string[];
  /** The key of the message before it; undefined for a first message. */
  readonly parent: string | undefined;
  /** What the model got in place of everything before it, after a compaction. */
  readonly instead?: readonly Message[];
}

/** What a log says beside its messages. */
export interface LogFacts {
  readonly session: ImportedSession;
  readonly title?: string | undefined;
  /** The key of the last message. */
  readonly head?: string | undefined;
  readonly problems: LogLines['problems'];
}

/**
 * Makes a conversation from the messages of a log. A log may be cut or out of order: a message whose parent is not there
 * follows the message before it in the log, and that is reported.
 */
export function toConversation(logged: readonly LoggedMessage[], facts: LogFacts): ImportedConversation {
  const problems = [...facts.problems];
  const owner = new Map<string, LoggedMessage>();
  for (const one of logged) for (const key of one.keys) owner.set(key, one);
  const parents = new Map<LoggedMessage, LoggedMessage | undefined>();
  for (const [index, one] of logged.entries()) {
    const named = one.parent === undefined ? undefined : owner.get(one.parent);
    const isLost = one.parent !== undefined && (!named || leadsTo(named, one, parents));
    if (isLost)
      problems.push({
        where: `message ${one.keys[0]}`,
        message: 'The message that it follows is not in the log. It was put behind the one before it.',
      });
    // One of those before it may follow this message itself, if the log is out of order.
    const before = isLost ? logged.slice(0, index).findLast((other) => !leadsTo(other, one, parents)) : named;
    parents.set(one, before);
  }
  const messages = logged.map((one): ImportedMessage => {
    const { message, at, take, instead } = one;
    const key = one.keys[0]!;
    return { key, parent: parents.get(one)?.keys[0], message, at, take, ...(instead && { instead }) };
  });
  const times = logged.flatMap(({ at }) => (at === undefined ? [] : [at]));
  const head = facts.head === undefined ? undefined : owner.get(facts.head)?.keys[0];
  return {
    id: [facts.session.id, facts.session.subagent].filter((part) => part !== undefined).join('/'),
    ...(facts.title && { title: facts.title }),
    ...(times.length > 0 && { createdAt: Math.min(...times), updatedAt: Math.max(...times) }),
    messages,
    ...(head !== undefined && { head }),
    session: facts.session,
    problems,
  };
}

/** Whether a message is among those that another one follows. */
function leadsTo(
  from: LoggedMessage,
  to: LoggedMessage,
  parents: ReadonlyMap<LoggedMessage, LoggedMessage | undefined>,
): boolean {
  for (let at: LoggedMessage | undefined = from; at; at = parents.get(at)) if (at === to) return true;
  return false;
}

/** The time of a line, in milliseconds. */
export function lineTime({ value }: LogLine): number | undefined {
  return readTime(value.timestamp);
}

/** Adds the lines beside a message, which say nothing to the model, as the log has them. */
export function keepBeside(extra: Record<string, unknown>, beside: readonly string[]): Record<string, unknown> {
  return beside.length === 0 ? extra : { ...extra, beside };
}
