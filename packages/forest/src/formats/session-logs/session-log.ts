import { findMembers, isObject, type JsonObject, type Message } from '@skein/core';
import type { TakeFacts } from '../../forest/index.ts';
import type {
  ImportedConversation,
  ImportedMessage,
  ImportedSession,
  KeptMessages,
  LogPast,
  LogProgress,
} from '../importer.ts';
import { readTime } from '../source/exact-json.ts';

/** A line of a log that is a JSON object. */
export class LogLine {
  /** Counted from 1 in the whole log, blank lines left out. */
  readonly number: number;
  readonly text: string;
  readonly value: JsonObject;
  #members: ReadonlyMap<string, string> | undefined;

  constructor(number: number, text: string, value: JsonObject) {
    this.number = number;
    this.text = text;
    this.value = value;
  }

  /** The exact text of a member. The line is searched once for all of them. */
  member(name: string): string | undefined {
    if (!this.#members) {
      const members = new Map<string, string>();
      for (const one of findMembers(this.text)) members.set(one.name, this.text.slice(one.start, one.end));
      this.#members = members;
    }
    return this.#members.get(name);
  }
}

/** The lines of a log, or of its newest part, and what could not be read. */
export interface LogLines {
  readonly lines: readonly LogLine[];
  readonly problems: readonly { readonly where: string; readonly message: string; readonly line: number }[];
  readonly past: LogPast | undefined;
}

/**
 * Reads the lines of a log, or those behind a past. A line that is not a JSON object is reported; the last one may be
 * half-written, because its program is still writing: it is read when it is whole.
 */
export function readLogLines(text: string, past?: LogPast): LogLines {
  const lines: LogLine[] = [];
  const problems: LogLines['problems'][number][] = [];
  let number = past?.lines ?? 0;
  let broken: number | undefined;
  for (const line of text.split('\n')) {
    if (line.trim() === '') continue;
    // The last line of all is not reported.
    if (broken !== undefined) {
      const message = 'This line is not a JSON object. It was left out.';
      problems.push({ where: `line ${broken}`, message, line: broken });
    }
    number += 1;
    const value = parseObject(line);
    if (value) lines.push(new LogLine(number, line, value));
    broken = value ? undefined : number;
  }
  return { lines, problems, past };
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
  /** The numbers of the first and the last line that it is made from, those that are kept beside it included. */
  readonly span: LineSpan;
  /** What the model got in place of everything before it, after a compaction. */
  readonly instead?: readonly (Message | KeptMessages)[];
}

/** A range of lines, by their numbers. */
export interface LineSpan {
  readonly first: number;
  readonly last: number;
}

/** What a log says beside its messages. */
export interface LogFacts extends Pick<LogProgress, 'links' | 'memo' | 'keep' | 'needsPast'> {
  readonly session: ImportedSession;
  readonly title?: string | undefined;
  /** The key of the last message. */
  readonly head?: string | undefined;
  /** The number of the last line that need not be read again; undefined if all have to. */
  readonly closed?: number;
}

/**
 * Makes a conversation from the messages of a log. A log may be cut or out of order: a message whose parent is not there
 * follows the message before it in the log, and that is reported.
 */
export function toConversation(
  logged: readonly LoggedMessage[],
  { lines, problems: broken, past }: LogLines,
  facts: LogFacts,
): ImportedConversation {
  const problems = [...broken];
  const owner = new Map<string, LoggedMessage>();
  for (const one of logged) for (const key of one.keys) owner.set(key, one);
  const parents = new Map<LoggedMessage, LoggedMessage | undefined>();
  /** Messages that others follow. Only these can be among those before them. */
  const followed = new Set<LoggedMessage>();
  const parentKeys = new Map<LoggedMessage, string | undefined>();
  let needsPast = facts.needsPast === true;
  const isCircle = (from: LoggedMessage, to: LoggedMessage) =>
    from === to || (followed.has(to) && leadsTo(from, to, parents));
  for (const [index, one] of logged.entries()) {
    const named = one.parent === undefined ? undefined : owner.get(one.parent);
    const isBefore = one.parent !== undefined && !named && past?.has(one.parent) === true;
    const isLost = one.parent !== undefined && !isBefore && (!named || isCircle(named, one));
    if (isLost) {
      needsPast ||= past !== undefined && !past.isWhole;
      problems.push({
        where: `message ${one.keys[0]}`,
        message: 'The message that it follows is not in the log. It was put behind the one before it.',
        line: one.span.last,
      });
    }
    // One of those before it may follow this message itself, if the log is out of order.
    const before = isLost ? logged.slice(0, index).findLast((other) => !isCircle(other, one)) : named;
    parents.set(one, before);
    if (before) followed.add(before);
    parentKeys.set(one, before?.keys[0] ?? (isBefore ? one.parent : isLost ? past?.last : undefined));
  }
  const messages = logged.map((one): ImportedMessage => {
    const { message, at, take, instead, span } = one;
    const [key, ...keys] = one.keys;
    const line = span.first;
    return { key: key!, keys, parent: parentKeys.get(one), message, at, take, line, ...(instead && { instead }) };
  });
  const times = logged.flatMap(({ at }) => (at === undefined ? [] : [at]));
  const head = facts.head === undefined ? undefined : owner.get(facts.head)?.keys[0];
  const session = { ...past?.session, ...facts.session };
  return {
    id: [session.id, session.subagent].filter((part) => part !== undefined).join('/'),
    ...(facts.title && { title: facts.title }),
    ...(times.length > 0 && {
      createdAt: times.reduce((a, b) => Math.min(a, b)),
      updatedAt: times.reduce((a, b) => Math.max(a, b)),
    }),
    messages,
    ...(head !== undefined && { head }),
    session,
    problems,
    ...(facts.closed !== undefined && {
      progress: {
        read: lines.at(-1)?.number ?? 0,
        closed: facts.closed - (past?.lines ?? 0),
        links: facts.links,
        memo: facts.memo,
        keep: facts.keep,
        needsPast,
      },
    }),
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

/**
 * The number of the last line that need not be read again: all but the last messages, to which a program may still add. No
 * message is cut.
 */
export function lastClosedLine(spans: readonly LineSpan[], open: number, { past }: LogLines): number {
  const from = Math.max(0, spans.length - open);
  let first = spans[from]?.first ?? (past?.lines ?? 0) + 1;
  for (const span of spans.slice(0, from).reverse()) if (span.last >= first) first = Math.min(first, span.first);
  return first - 1;
}

/** The time of a line, in milliseconds. */
export function lineTime({ value }: LogLine): number | undefined {
  return readTime(value.timestamp);
}

/** Adds the lines beside a message, which say nothing to the model, as the log has them. */
export function keepBeside(extra: Record<string, unknown>, beside: readonly string[]): Record<string, unknown> {
  return beside.length === 0 ? extra : { ...extra, beside };
}
