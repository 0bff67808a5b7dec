import { googleGenerateContent, isObject, type JsonObject, type Message, textAt, type Usage } from '@skein/core';
import type { BuiltInImporter, ImportedSession, LogPast } from '../importer.ts';
import { otherMembers, readObjects, readTime, textMember } from '../source/exact-json.ts';
import {
  keepBeside,
  type LineSpan,
  type LoggedMessage,
  type LogLine,
  type LogLines,
  lastClosedLine,
  readLogLines,
  toConversation,
} from './session-log.ts';

/**
 * A session of Gemini CLI: `~/.gemini/tmp/<project>/chats/session-<time>-<id>.jsonl`; older releases wrote one document. Signatures are not in the
 * log, so replies are put together from what it has.
 */
export const geminiCli: BuiltInImporter = {
  recognisedBy: 'lines with "sessionId" and "projectHash"',
  detects: ({ sessionId, projectHash }) => typeof sessionId === 'string' && typeof projectHash === 'string',
  element: 'line',
  read(text, { past }) {
    const log = readLogLines(text, past);
    const records = new SessionRecords(log);
    return toConversation(records.messages(), log, {
      session: readSession(log.lines, past),
      title: records.title,
      closed: lastClosedLine(records.spans(), OPEN_RECORDS, log),
      needsPast: records.needsPast,
      memo: records.replaced.size === 0 ? undefined : [...records.replaced],
    });
  },
};

/** How many of the last records may be replaced yet. */
const OPEN_RECORDS = 16;

function readSession(lines: readonly LogLine[], past: LogPast | undefined): ImportedSession {
  if (past) return past.session;
  const header = lines.find(({ value }) => typeof value.sessionId === 'string')?.value ?? {};
  const id = textMember(header, 'sessionId') ?? '';
  const folder = lines.map(({ text }) => /Workspace Directories:\*\*\\n\s+- ([^\\"]+)/.exec(text)?.[1]).find(Boolean);
  return {
    agent: 'gemini-cli',
    id,
    ...(folder && { cwd: folder }),
    ...(header.kind === 'subagent' && { subagent: id }),
  };
}

/** A record of the log: the last state of a message. */
interface SessionRecord {
  readonly text: string;
  readonly value: JsonObject;
  readonly beside: string[];
  readonly span: LineSpan;
  /** What the model got in place of everything before it. */
  readonly instead?: readonly Message[] | undefined;
}

/** A history that a compaction made, and its line. */
interface Compaction {
  readonly messages: readonly Message[];
  readonly line: number;
}

/** The messages of a log. A later line with the same id replaces an earlier one. */
class SessionRecords {
  readonly #records = new Map<string, SessionRecord>();
  readonly #past: LogPast | undefined;
  title: string | undefined;
  /** Whether something is said of records that were read before, and not all of those are known. */
  needsPast = false;
  /** The ids of messages that only compactions made: a resumed session repeats them. */
  readonly replaced: Set<string>;
  /** A compaction behind which nothing was said yet. */
  #compaction: Compaction | undefined;

  constructor({ lines, past }: LogLines) {
    this.#past = past;
    this.replaced = new Set(Array.isArray(past?.memo) ? past.memo.map(String) : []);
    const early: string[] = [];
    for (const line of lines) {
      const { text, value } = line;
      const { $set: changes } = value;
      if (isMessage(value)) this.#put(text, value, line);
      else if (Array.isArray(value.messages)) this.#putAll(line, value.messages, ['messages']);
      else if (isObject(changes)) {
        if (Array.isArray(changes.messages)) this.#putAll(line, changes.messages, ['$set', 'messages']);
        this.title = textMember(changes, 'summary') ?? this.title;
        this.#keep(text, changes, early);
      } else this.#keep(text, value, early);
    }
    this.#first()?.beside.unshift(...early);
  }

  spans(): LineSpan[] {
    return [...this.#records.values()].map(({ span }) => span);
  }

  messages(): LoggedMessage[] {
    const all = [...this.#records.values()];
    const answered = new Set(all.flatMap(({ value }) => responseIds(value.content)));
    let parent = this.#past?.last;
    return all.flatMap((record) => {
      const made = record.value.type === 'gemini' ? writeReply(record, answered) : [writeUser(record)];
      return made.map((one, part): LoggedMessage => {
        const key = part === 0 ? String(record.value.id) : `${record.value.id}#${part}`;
        const keys = [key, ...responseIds(record.value.content).map(resultKey)];
        const instead = part === 0 ? record.instead : undefined;
        const logged = { ...one, keys, parent, span: record.span, ...(instead && { instead }) };
        parent = key;
        return logged;
      });
    });
  }

  #put(text: string, value: JsonObject, { number }: LogLine): void {
    const id = String(value.id);
    if (this.#past?.has(id)) {
      // Of a log that is read from its beginning, a record that is this old stays as it was; the new state is kept beside.
      this.needsPast ||= !this.#past.isWhole;
      this.#last()?.beside.push(text);
      return;
    }
    const known = this.#records.get(id);
    const compaction = known ? undefined : this.#compaction;
    if (compaction) this.#compaction = undefined;
    const span = { first: known?.span.first ?? compaction?.line ?? number, last: number };
    const instead = known?.instead ?? compaction?.messages;
    this.#records.set(id, { text, value, beside: known?.beside ?? [], span, instead });
  }

  /**
   * A resumed session repeats its history in a poorer form, and results under new ids: what is known stays. A list that has
   * something new, but not the last message, is what a compaction left of the history.
   */
  #putAll(line: LogLine, values: readonly unknown[], path: readonly string[]): void {
    this.needsPast ||= this.#past?.isWhole === false;
    const listed = readObjects(textAt(line.text, [...path])!, values.filter(isObject), 'a message');
    const answered = new Set([...this.#records.values()].flatMap(({ value }) => responseIds(value.content)));
    const isAnswered = (id: string) => answered.has(id) || this.#past?.has(resultKey(id)) === true;
    const isKnown = (id: string) => this.#records.has(id) || this.replaced.has(id) || this.#past?.has(id) === true;
    const fresh = listed.filter(({ value }) => {
      const results = responseIds(value.content);
      const isRepeated = results.length > 0 && results.every(isAnswered);
      return isMessage(value) && !isRepeated && !isKnown(String(value.id));
    });
    const last = this.#last()?.value.id ?? this.#past?.last?.replace(/#\d+$/, '');
    if (fresh.length === 0 || last === undefined || listed.some(({ value }) => value.id === last)) {
      for (const { text: own, value } of fresh) this.#put(own, value, line);
      return;
    }
    for (const { value } of fresh) this.replaced.add(String(value.id));
    this.#compaction = { messages: listed.filter(({ value }) => isMessage(value)).map(sentMessage), line: line.number };
    this.#last()?.beside.push(line.text);
  }

  /** Times of the last change say nothing that the messages do not. */
  #keep(text: string, changes: JsonObject, early: string[]): void {
    const said = Object.keys(changes).filter((name) => name !== 'lastUpdated' && name !== 'messages');
    if (said.length > 0) (this.#last()?.beside ?? early).push(text);
  }

  #first(): SessionRecord | undefined {
    return this.#records.values().next().value;
  }

  #last(): SessionRecord | undefined {
    return [...this.#records.values()].at(-1);
  }
}

/** The key by which the result of a call is known. */
function resultKey(id: string): string {
  return `result ${id}`;
}

function isMessage({ id, type, content }: JsonObject): boolean {
  return typeof id === 'string' && typeof type === 'string' && content !== undefined;
}

/** A message of a list as the model got it. */
function sentMessage({ text, value }: { readonly text: string; readonly value: JsonObject }): Message {
  const role = value.type === 'gemini' ? 'model' : 'user';
  return googleGenerateContent.parseMessage(`{"role":"${role}","parts":${writeParts(text, value)}}`);
}

type Written = Pick<LoggedMessage, 'message' | 'at' | 'take'>;

const TAKEN = ['id', 'type', 'timestamp', 'content', 'model', 'tokens'];

function writeUser({ text, value, beside }: SessionRecord): Written {
  const message = googleGenerateContent.parseMessage(`{"role":"user","parts":${writeParts(text, value)}}`);
  const extra = keepBeside({ id: value.id, type: value.type, ...otherMembers({ text, value }, TAKEN) }, beside);
  return {
    message,
    at: readTime(value.timestamp),
    take: { author: value.type === 'user' ? 'person' : 'unknown', extra },
  };
}

/** The content of a record as parts: it may be a text, or one part. */
function writeParts(text: string, { content }: JsonObject): string {
  const exact = textAt(text, ['content'])!;
  if (typeof content === 'string') return `[{"text":${exact}}]`;
  return Array.isArray(content) ? exact : `[${exact}]`;
}

/** A reply, and the results of its calls where the log has no line of their own for them. */
function writeReply({ text, value, beside }: SessionRecord, answered: ReadonlySet<string>): Written[] {
  const thoughts = Array.isArray(value.thoughts) ? value.thoughts.filter(isObject) : [];
  const thought = thoughts
    .map(({ subject, description }) => `${subject ? `**${subject}** ` : ''}${description ?? ''}`)
    .join('');
  const calls = Array.isArray(value.toolCalls)
    ? readObjects(textAt(text, ['toolCalls'])!, value.toolCalls, 'a call')
    : [];
  const said =
    typeof value.content === 'string'
      ? value.content === ''
        ? []
        : [`{"text":${textAt(text, ['content'])}}`]
      : contentParts(text, value.content);
  const parts = [
    ...(thought === '' ? [] : [JSON.stringify({ text: thought, thought: true })]),
    ...said,
    ...calls.map(
      (call) =>
        `{"functionCall":{"id":${textAt(call.text, ['id'])},"name":${textAt(call.text, ['name'])},"args":${textAt(call.text, ['args']) ?? '{}'}}}`,
    ),
  ];
  const model = textMember(value, 'model');
  const usage = readUsage(value.tokens);
  const at = readTime(value.timestamp);
  const reply: Written = {
    message: googleGenerateContent.parseMessage(
      `{"role":"model","parts":[${parts.join(',')}]}`,
      model === undefined ? {} : { model },
    ),
    at,
    take: {
      author: 'model',
      provider: googleGenerateContent.home.id,
      ...(model !== undefined && { model }),
      ...(usage && { usage }),
      extra: keepBeside({ id: value.id, isAssembled: true, ...otherMembers({ text, value }, TAKEN) }, beside),
    },
  };
  const left = calls.filter(({ value: call }) => Array.isArray(call.result) && !answered.has(String(call.id)));
  if (left.length === 0) return [reply];
  const results = left
    .map(({ text: call }) => textAt(call, ['result'])!.trim().slice(1, -1))
    .filter((part) => part.trim() !== '');
  if (results.length === 0) return [reply];
  const message = googleGenerateContent.parseMessage(`{"role":"user","parts":[${results.join(',')}]}`);
  return [reply, { message, at, take: { author: 'tool', extra: { of: value.id } } }];
}

function contentParts(text: string, content: unknown): string[] {
  return Array.isArray(content) ? content.map((_, index) => textAt(text, ['content', index])!) : [];
}

function responseIds(content: unknown): string[] {
  const parts = Array.isArray(content) ? content : [];
  return parts.flatMap((part) =>
    isObject(part) && isObject(part.functionResponse) ? [String(part.functionResponse.id)] : [],
  );
}

/** Counts of tokens as Gemini CLI writes them: those from the cache are among the input, thoughts are not among the output. */
function readUsage(tokens: unknown): Usage | undefined {
  if (!isObject(tokens)) return undefined;
  const number = (name: string) => (typeof tokens[name] === 'number' ? (tokens[name] as number) : 0);
  const reasoning = number('thoughts');
  return {
    input: Math.max(0, number('input') - number('cached')),
    cacheRead: number('cached'),
    cacheWrite5m: 0,
    cacheWrite1h: 0,
    output: number('output') + reasoning,
    reasoning,
    native: JSON.stringify(tokens),
  };
}
