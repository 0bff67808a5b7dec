import {
  anthropicMessages,
  elementTexts,
  find,
  isObject,
  type JsonObject,
  type Message,
  splice,
  textAt,
} from '@skein/core';
import type { BuiltInImporter, ImportedSession, KeptMessages, LogPast, LogProgress } from '../importer.ts';
import { exactValue, textMember } from '../source/exact-json.ts';
import {
  keepBeside,
  type LineSpan,
  type LoggedMessage,
  type LogLine,
  type LogLines,
  lastClosedLine,
  lineTime,
  readLogLines,
  toConversation,
} from './session-log.ts';

/**
 * A session of Claude Code: `~/.claude/projects/<folder>/<session>.jsonl`, and those of its subagents beside it. Lines name
 * the line before them, so rewound sessions have branches. A reply has one line for each block.
 */
export const claudeCode: BuiltInImporter = {
  recognisedBy: 'lines with "sessionId" and "type"',
  detects: ({ sessionId, type, leafUuid, projectHash }) =>
    typeof type === 'string' && projectHash === undefined && (isName(sessionId) || isName(leafUuid)),
  element: 'line',
  read(text, { past }) {
    const log = readLogLines(text, past);
    const entries = new LogTree(log);
    const logged = entries.messages();
    const { title, isByPerson } = readTitle(log.lines, past?.memo === GIVEN_TITLE);
    return toConversation(logged, log, {
      session: readSession(log.lines, past),
      title,
      head: entries.head(logged),
      closed: lastClosedLine(entries.spans(), OPEN_MESSAGES, log),
      links: entries.links(),
      memo: isByPerson ? GIVEN_TITLE : undefined,
    });
  },
};

/** How many of the last messages may get lines yet: calls run side by side, and their results come as they end. */
const OPEN_MESSAGES = 8;
/** Notes that a person has given the session a title. */
const GIVEN_TITLE = 'given title';

function isName(value: unknown): boolean {
  return typeof value === 'string' && value !== '';
}

/** Members that all lines of a session share; the session has them. */
const SHARED = ['sessionId', 'cwd', 'gitBranch', 'version', 'userType', 'entrypoint', 'slug'] as const;
/** Members of a line that its message holds. */
const TAKEN = new Set(['type', 'message', 'uuid', 'parentUuid', 'timestamp', 'isSidechain', 'agentId', ...SHARED]);

function readSession(lines: readonly LogLine[], past: LogPast | undefined): ImportedSession {
  const last = (name: string) => lines.findLast(({ value }) => isName(value[name]))?.value[name] as string | undefined;
  const cwd = last('cwd');
  const branch = last('gitBranch');
  const version = last('version');
  const side = lines.find(({ value }) => value.isSidechain === true && isName(value.agentId));
  const subagent = side && textMember(side.value, 'agentId');
  return {
    agent: 'claude-code',
    id: past?.session.id ?? last('sessionId') ?? '',
    ...(cwd !== undefined && { cwd }),
    ...(branch !== undefined && { branch }),
    ...(version !== undefined && { version }),
    ...(subagent !== undefined && { subagent }),
  };
}

/** A title that a person gave wins over one that a model wrote. */
function readTitle(lines: readonly LogLine[], isGiven: boolean) {
  const of = (type: string, name: string) => {
    const line = lines.findLast(({ value }) => value.type === type && isName(value[name]));
    return line && textMember(line.value, name);
  };
  const given = of('custom-title', 'customTitle');
  const title = given ?? (isGiven ? undefined : (of('ai-title', 'aiTitle') ?? of('summary', 'summary')));
  return { title, isByPerson: isGiven || given !== undefined };
}

/** Lines that make one message: the blocks of a reply, the results of its calls, or a single line of the user. */
interface Speech {
  readonly kind: 'reply' | 'results' | 'user';
  readonly lines: LogLine[];
  /** Lines beside it that say nothing to the model. */
  readonly beside: LogLine[];
}

/** What a compaction put in place of the history. */
interface Compaction {
  readonly summary: LogLine[];
  readonly kept: readonly string[];
}

/** The lines of a log as the tree that they form. */
class LogTree {
  readonly #lines: readonly LogLine[];
  readonly #byId = new Map<string, LogLine>();
  readonly #speeches: Speech[] = [];
  readonly #speechOf = new Map<LogLine, Speech>();
  readonly #compactions = new Map<string, Compaction>();

  constructor({ lines, past }: LogLines) {
    const seen = new Set<string>();
    // A line that was written twice is one line.
    this.#lines = lines.filter(({ value }) => {
      const id = isName(value.uuid) ? String(value.uuid) : undefined;
      if (id === undefined) return true;
      const isNew = !seen.has(id) && past?.has(id) !== true;
      seen.add(id);
      return isNew;
    });
    for (const line of this.#lines) if (isName(line.value.uuid)) this.#byId.set(String(line.value.uuid), line);
    for (const line of this.#lines)
      if (isBoundary(line)) this.#compactions.set(String(line.value.uuid), compaction(line));
    this.#gather();
  }

  messages(): LoggedMessage[] {
    return this.#speeches.map((speech) => {
      const first = speech.lines[0]!;
      const above = this.#above(first);
      const written = speech.kind === 'reply' ? writeReply(inOrder(speech.lines)) : writeUser(speech);
      const { message, take } = written;
      const instead = above.compaction && this.#replacement(above.compaction);
      return {
        message,
        at: lineTime(first),
        take: {
          ...take,
          extra: keepBeside(
            lineFacts(speech.lines),
            speech.beside.map(({ text }) => text),
          ),
        },
        keys: speech.lines.map(({ value, number }) => (isName(value.uuid) ? String(value.uuid) : `line ${number}`)),
        parent: above.speech ? keyOf(above.speech) : above.missing,
        span: spanOf(speech),
        ...(instead && { instead }),
      };
    });
  }

  /** The log says where its last prompt left it; what was written since is newer. */
  head(logged: readonly LoggedMessage[]): string | undefined {
    const at = this.#lines.findLastIndex(({ value }) => value.type === 'last-prompt' && isName(value.leafUuid));
    const last = this.#speeches.at(-1);
    if (at < 0 || !last) return logged.at(-1)?.keys[0];
    const isNewer = last.lines.some((line) => this.#lines.indexOf(line) > at);
    const leaf = this.#byId.get(String(this.#lines[at]!.value.leafUuid));
    const speech = isNewer || !leaf ? last : (this.#speechOf.get(leaf) ?? this.#above(leaf).speech ?? last);
    return keyOf(speech);
  }

  spans(): LineSpan[] {
    return this.#speeches.map(spanOf);
  }

  /** Lines beside the messages have ids too, and later lines may follow them. */
  links(): LogProgress['links'] {
    const found = new Map<string, { readonly to: string; readonly line: number }>();
    for (const line of this.#lines) {
      if (!isName(line.value.uuid) || this.#speechOf.has(line)) continue;
      const { speech, missing } = this.#above(line);
      const to = speech ? keyOf(speech) : missing;
      if (to !== undefined) found.set(String(line.value.uuid), { to, line: line.number });
    }
    return found;
  }

  #gather(): void {
    const replies = new Map<string, Speech>();
    const results = new Map<Speech, Speech>();
    const early: LogLine[] = [];
    for (const line of this.#lines) {
      const { value } = line;
      const { message } = value;
      if (value.type === 'assistant' && isObject(message)) {
        const id = textMember(message, 'id') ?? `line ${line.number}`;
        const known = replies.get(id);
        if (known) this.#join(known, line);
        else replies.set(id, this.#begin('reply', line));
      } else if (value.type === 'user' && isObject(message)) {
        if (this.#isSummary(line)) continue;
        const reply = isResults(message.content) ? this.#replyOf(line, replies) : undefined;
        const known = reply && results.get(reply);
        if (known) this.#join(known, line);
        else {
          const speech = this.#begin(reply ? 'results' : 'user', line);
          if (reply) results.set(reply, speech);
        }
      } else (this.#speeches.at(-1)?.beside ?? early).push(line);
    }
    this.#speeches[0]?.beside.unshift(...early);
  }

  #begin(kind: Speech['kind'], line: LogLine): Speech {
    const speech: Speech = { kind, lines: [], beside: [] };
    this.#speeches.push(speech);
    this.#join(speech, line);
    return speech;
  }

  #join(speech: Speech, line: LogLine): void {
    speech.lines.push(line);
    this.#speechOf.set(line, speech);
  }

  /** The reply whose calls a line answers. */
  #replyOf({ value }: LogLine, replies: ReadonlyMap<string, Speech>): Speech | undefined {
    const caller = this.#byId.get(String(value.sourceToolAssistantUUID ?? value.parentUuid));
    const speech = caller && this.#speechOf.get(caller);
    if (speech?.kind === 'reply') return speech;
    const calls = callIds(value.message);
    return [...replies.values()].findLast(({ lines }) => lines.some((line) => calls.some((id) => hasCall(line, id))));
  }

  /** Summaries of a compaction are no messages: they stand in for those before them. */
  #isSummary(line: LogLine): boolean {
    if (line.value.isCompactSummary !== true) return false;
    const boundary = this.#compactions.get(String(line.value.parentUuid));
    boundary?.summary.push(line);
    return boundary !== undefined;
  }

  /** The message that a line follows, the compaction between them, or the id of a line that is not in the log. */
  #above(line: LogLine): { speech?: Speech; compaction?: Compaction; missing?: string } {
    const own = this.#speechOf.get(line);
    let compaction: Compaction | undefined;
    const seen = new Set<LogLine>();
    for (let at = line; !seen.has(at); ) {
      seen.add(at);
      const boundary = this.#compactions.get(String(at.value.uuid));
      compaction ??= boundary;
      const parent = boundary ? (at.value.logicalParentUuid ?? at.value.parentUuid) : at.value.parentUuid;
      if (!isName(parent)) break;
      const next = this.#byId.get(String(parent));
      if (!next) return { missing: String(parent), ...(compaction && { compaction }) };
      const speech = this.#speechOf.get(next);
      if (speech && speech !== own) return { speech, ...(compaction && { compaction }) };
      at = next;
    }
    return compaction ? { compaction } : {};
  }

  #replacement({ summary, kept }: Compaction): (Message | KeptMessages)[] | undefined {
    if (summary.length === 0) return undefined;
    const messages = new Set(
      kept.flatMap((id) => {
        const line = this.#byId.get(id);
        const speech = line && this.#speechOf.get(line);
        return speech ? keyOf(speech) : line ? [] : id;
      }),
    );
    return [
      ...summary.map((line) => writeUser({ kind: 'user', lines: [line], beside: [] }).message),
      ...[...messages].map((key) => ({ key })),
    ];
  }
}

function spanOf({ lines, beside }: Speech): LineSpan {
  const [own, last] = [lines[0]!.number, lines.at(-1)!.number];
  if (beside.length === 0) return { first: own, last };
  return { first: Math.min(own, beside[0]!.number), last: Math.max(last, beside.at(-1)!.number) };
}

function keyOf({ lines }: Speech): string {
  const { value, number } = lines[0]!;
  return isName(value.uuid) ? String(value.uuid) : `line ${number}`;
}

function isBoundary({ value }: LogLine): boolean {
  return value.type === 'system' && value.subtype === 'compact_boundary' && isName(value.uuid);
}

function compaction({ value }: LogLine): Compaction {
  const { compactMetadata: about } = value;
  const preserved = isObject(about) && isObject(about.preservedMessages) ? about.preservedMessages.uuids : undefined;
  return { summary: [], kept: Array.isArray(preserved) ? preserved.map(String) : [] };
}

/** Lines of one reply follow each other; a log that was put together anew may have them in another order. */
function inOrder(lines: readonly LogLine[]): readonly LogLine[] {
  if (lines.every(({ value }, index) => index === 0 || value.parentUuid === lines[index - 1]!.value.uuid)) return lines;
  const left = [...lines];
  const ordered: LogLine[] = [];
  while (left.length > 0) {
    const at = left.findIndex(({ value }) => !left.some((other) => other.value.uuid === value.parentUuid));
    ordered.push(...left.splice(Math.max(at, 0), 1));
  }
  return ordered;
}

/** Joins the blocks of a reply, each in its exact text, and reads it as the response that it was. */
function writeReply(lines: readonly LogLine[]): Pick<LoggedMessage, 'message' | 'take'> {
  const envelope = lines.at(-1)!.member('message')!;
  const content = find(envelope, ['content']);
  const isWhole = !content || (lines.length === 1 && envelope[content.start] === '[');
  const blocks = isWhole ? [] : lines.flatMap(contentTexts);
  const body = isWhole ? envelope : splice(envelope, [{ ...content, text: `[${blocks.join(',')}]` }]);
  const reply = anthropicMessages.readResponse(body);
  const { model } = reply.message.origin;
  return {
    message: reply.message,
    take: {
      author: 'model',
      provider: anthropicMessages.home.id,
      ...(model !== undefined && { model }),
      ...(reply.usage && { usage: reply.usage }),
      stop: reply.stop,
    },
  };
}

/** Joins the results of the calls of one reply: they went out in one message. */
function writeUser({ lines }: Pick<Speech, 'lines' | 'kind' | 'beside'>): Pick<LoggedMessage, 'message' | 'take'> {
  const [first] = lines;
  const raw =
    lines.length === 1
      ? first!.member('message')!
      : `{"role":"user","content":[${lines.flatMap(contentTexts).join(',')}]}`;
  return { message: anthropicMessages.parseMessage(raw), take: { author: 'person' } };
}

/** The exact texts of the blocks of a line; a plain text is one block. */
function contentTexts(line: LogLine): string[] {
  const content = (line.value.message as JsonObject).content;
  const exact = textAt(line.member('message')!, ['content']);
  if (Array.isArray(content)) return elementTexts(exact!);
  return typeof content === 'string' ? [`{"type":"text","text":${exact}}`] : [];
}

function isResults(content: unknown): boolean {
  return (
    Array.isArray(content) &&
    content.length > 0 &&
    content.every((block) => isObject(block) && block.type === 'tool_result')
  );
}

function callIds(message: unknown): unknown[] {
  const content = isObject(message) && Array.isArray(message.content) ? message.content : [];
  return content.flatMap((block) => (isObject(block) ? [block.tool_use_id] : []));
}

function hasCall({ value }: LogLine, id: unknown): boolean {
  const content = isObject(value.message) && Array.isArray(value.message.content) ? value.message.content : [];
  return content.some((block) => isObject(block) && block.type === 'tool_use' && block.id === id);
}

/** What the lines of a message say beside it: ids, structured results, modes. */
function lineFacts(lines: readonly LogLine[]): Record<string, unknown> {
  const facts: Record<string, unknown> = {};
  for (const line of lines) {
    for (const [name, value] of Object.entries(line.value)) {
      if (TAKEN.has(name) || value === null) continue;
      // A text or a truth value is always what its JSON says; a number may not be.
      const isExact = typeof value === 'string' || typeof value === 'boolean';
      const member = isExact ? value : exactValue(line.member(name)!, value);
      if (facts[name] === undefined) facts[name] = member;
      else if (name === 'toolUseResult') facts[name] = [facts[name], member].flat();
    }
  }
  const { message } = lines[0]!.value;
  const id = isObject(message) ? textMember(message, 'id') : undefined;
  return {
    uuid: lines.map(({ value }) => value.uuid).filter(isName),
    ...(id !== undefined && { responseId: id }),
    ...facts,
  };
}
