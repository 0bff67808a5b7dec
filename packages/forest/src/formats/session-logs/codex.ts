import {
  elementTexts,
  isObject,
  type JsonObject,
  type Message,
  openaiResponses,
  textAt,
  type Usage,
} from '@skein/core';
import type { BuiltInImporter, ImportedSession, LogPast } from '../importer.ts';
import { memberTexts, textMember } from '../source/exact-json.ts';
import {
  keepBeside,
  type LoggedMessage,
  type LogLine,
  type LogLines,
  lastClosedLine,
  lineTime,
  readLogLines,
  toConversation,
} from './session-log.ts';

/** The member that Codex adds to items and never sends. */
const PRIVATE = 'internal_chat_message_metadata_passthrough';

/**
 * A session of Codex: `~/.codex/sessions/<date>/rollout-<time>-<id>.jsonl`. Its lines hold the items of the Responses API as they
 * were sent and received, between events of the program.
 */
export const codex: BuiltInImporter = {
  recognisedBy: 'lines with "timestamp", "type" and "payload"',
  detects: ({ type, payload, timestamp }) =>
    typeof type === 'string' && isObject(payload) && typeof timestamp === 'string',
  element: 'line',
  read(text, { past }) {
    const log = readLogLines(text, past);
    const reader = new RolloutReader(past);
    const logged = reader.read(log);
    const closed = lastClosedLine(
      logged.map(({ span }) => span),
      1,
      log,
    );
    const memo = reader.memoAt(closed);
    const keep = [...memo.questions, memo.parent].flatMap((key) => key ?? []);
    return toConversation(logged, log, { session: readSession(log.lines, past), closed, memo, keep });
  },
};

function readSession(lines: readonly LogLine[], past: LogPast | undefined): ImportedSession {
  // The log of a fork begins with that of its origin, and has a second such line.
  if (past) return past.session;
  const meta = payloadOf(lines.find(({ value }) => value.type === 'session_meta'));
  const git = isObject(meta.git) ? meta.git : {};
  const id = textMember(meta, 'id') ?? textMember(meta, 'session_id') ?? '';
  const parent = parentThread(meta);
  const branch = textMember(git, 'branch');
  const cwd = textMember(meta, 'cwd');
  const version = textMember(meta, 'cli_version');
  return {
    agent: 'codex',
    id: parent ?? id,
    ...(cwd !== undefined && { cwd }),
    ...(branch !== undefined && { branch }),
    ...(version !== undefined && { version }),
    ...(parent !== undefined && { subagent: id }),
  };
}

/** The thread that started a subagent. */
function parentThread({ source }: JsonObject): string | undefined {
  const spawned = isObject(source) && isObject(source.subagent) ? source.subagent.thread_spawn : undefined;
  return isObject(spawned) ? textMember(spawned, 'parent_thread_id') : undefined;
}

function payloadOf(line: Pick<LogLine, 'value'> | undefined): JsonObject {
  const payload = line?.value.payload;
  return isObject(payload) ? payload : {};
}

/** Where the reader of a rollout stands between two messages. */
interface RolloutMemo {
  readonly model?: string | undefined;
  /** The key of the last message. */
  readonly parent?: string | undefined;
  /** The keys before the last questions, so that they can be taken back; null for a first message. */
  readonly questions: readonly (string | null)[];
}

/** How many of the last questions can be taken back. */
const MOST_QUESTIONS = 50;

/** Reads the lines of a rollout one by one. */
class RolloutReader {
  readonly #logged: LoggedMessage[] = [];
  /** Where the reader stood before each message, by the number of its first line. */
  readonly #memos = new Map<number, RolloutMemo>();
  #items: LogLine[] = [];
  #beside: LogLine[] = [];
  #memo: RolloutMemo;
  /** Where the reader stood right behind the last message. */
  #behind: RolloutMemo;
  #model: string | undefined;
  #instead: readonly Message[] | undefined;

  constructor(past: LogPast | undefined) {
    this.#memo = (past?.memo as RolloutMemo | undefined) ?? { questions: [] };
    this.#behind = this.#memo;
    this.#model = this.#memo.model;
  }

  read({ lines }: LogLines): LoggedMessage[] {
    for (const line of lines) this.#take(line);
    this.#close();
    const last = this.#logged.at(-1);
    if (last && this.#beside.length > 0)
      this.#logged.splice(-1, 1, {
        ...last,
        take: { ...last.take, extra: { ...last.take.extra, after: this.#beside.map(({ text }) => text) } },
      });
    return this.#logged;
  }

  /** Where the reader stood behind a line that ended a message. */
  memoAt(line: number): RolloutMemo {
    return this.#memos.get(line + 1) ?? this.#behind;
  }

  #take(line: LogLine): void {
    const payload = payloadOf(line);
    if (line.value.type === 'response_item') {
      if (!isModelItem(payload)) this.#close();
      this.#items.push(line);
      if (!isModelItem(payload)) this.#close();
      return;
    }
    if (line.value.type === 'turn_context') this.#model = textMember(payload, 'model') ?? this.#model;
    if (line.value.type === 'token_usage_record') this.#close(payload);
    if (line.value.type === 'compacted') this.#compact(line);
    if (payload.type === 'thread_rolled_back') this.#rollBack(Number(payload.num_turns));
    this.#beside.push(line);
  }

  /** Ends the message whose items were read; `record` is what the log says of the response. */
  #close(record: JsonObject = {}): void {
    const items = this.#items;
    if (items.length === 0) return;
    this.#items = [];
    const texts = items.map(({ text }) => sentItem(textAt(text, ['payload'])!));
    const isReply = isModelItem(payloadOf(items[0]));
    const origin = isReply && this.#model !== undefined ? { model: this.#model } : {};
    const message = openaiResponses.parseMessage(isReply ? `[${texts.join(',')}]` : texts[0]!, origin);
    const key = `line ${items[0]!.number}`;
    const first = (this.#beside[0] ?? items[0]!).number;
    const { parent, questions } = this.#memo;
    this.#memos.set(first, this.#behind);
    const usage = readUsage(record.usage);
    const responseId = textMember(record, 'response_id');
    this.#logged.push({
      message,
      at: lineTime(items[0]!),
      take: {
        ...(isReply
          ? {
              author: 'model',
              provider: openaiResponses.home.id,
              ...(this.#model !== undefined && { model: this.#model }),
              ...(usage && { usage }),
            }
          : { author: message.role === 'tool' ? 'tool' : 'person' }),
        extra: keepBeside(
          { ...(responseId !== undefined && { responseId }), ...itemFacts(items) },
          this.#beside.map(({ text }) => text),
        ),
      },
      keys: [key],
      parent,
      span: { first: Math.min(first, items[0]!.number), last: items.at(-1)!.number },
      ...(this.#instead && { instead: this.#instead }),
    });
    const asked = message.role === 'user' ? [...questions, parent ?? null].slice(-MOST_QUESTIONS) : questions;
    this.#memo = { model: this.#model, parent: key, questions: asked };
    this.#behind = this.#memo;
    this.#beside = [];
    this.#instead = undefined;
  }

  /** From here on, the model got other items in place of the history. */
  #compact({ text, value }: LogLine): void {
    this.#close();
    const payload = payloadOf({ value });
    const replaced = Array.isArray(payload.replacement_history)
      ? elementTexts(textAt(text, ['payload', 'replacement_history'])!).map(sentItem)
      : [JSON.stringify({ type: 'message', role: 'user', content: String(payload.message ?? '') })];
    this.#instead = openaiResponses.readRequest(`{"input":[${replaced.join(',')}]}`).messages;
  }

  /** The person took back turns: what follows goes on before them. */
  #rollBack(turns: number): void {
    this.#close();
    const { questions } = this.#memo;
    const first = questions.length - Math.max(1, Math.floor(turns) || 1);
    if (first >= 0)
      this.#memo = { model: this.#model, parent: questions[first] ?? undefined, questions: questions.slice(0, first) };
  }
}

/** Whether the model wrote an item. The client writes questions and results. */
function isModelItem({ type, role }: JsonObject): boolean {
  if (role !== undefined) return role === 'assistant';
  return typeof type === 'string' && !/_(?:output|response|reference|trigger)$/.test(type);
}

/** The item as it was sent: without what Codex keeps for itself. */
function sentItem(text: string): string {
  const value = JSON.parse(text) as JsonObject;
  if (value[PRIVATE] === undefined) return text;
  const members = [...memberTexts({ text, value })].filter(([name]) => name !== PRIVATE);
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${member}`).join(',')}}`;
}

function itemFacts(items: readonly LogLine[]): Record<string, unknown> {
  const facts = items.flatMap((line) => {
    const { [PRIVATE]: kept } = payloadOf(line);
    return kept === undefined && line.value.metadata === undefined
      ? []
      : [
          {
            ...(kept !== undefined && { [PRIVATE]: kept }),
            ...(line.value.metadata !== undefined && { metadata: line.value.metadata }),
          },
        ];
  });
  return { lines: items.map(({ number }) => number), ...(facts.length > 0 && { items: facts }) };
}

/** Counts of tokens as Codex writes them: those from the cache are among the input. */
function readUsage(value: unknown): Usage | undefined {
  if (!isObject(value) || typeof value.input_tokens !== 'number') return undefined;
  const number = (name: string) => (typeof value[name] === 'number' ? (value[name] as number) : 0);
  const cacheRead = number('cached_input_tokens');
  const cacheWrite = number('cache_write_input_tokens');
  return {
    input: Math.max(0, value.input_tokens - cacheRead - cacheWrite),
    cacheRead,
    cacheWrite5m: cacheWrite,
    cacheWrite1h: 0,
    output: number('output_tokens'),
    reasoning: number('reasoning_output_tokens'),
    native: JSON.stringify(value),
  };
}
