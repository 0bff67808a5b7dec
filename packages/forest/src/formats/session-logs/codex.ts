import {
  elementTexts,
  isObject,
  type JsonObject,
  type Message,
  openaiResponses,
  textAt,
  type Usage,
} from '@skein/core';
import type { ImportedSession, Importer } from '../importer.ts';
import { memberTexts, textMember } from '../source/exact-json.ts';
import { keepBeside, type LoggedMessage, type LogLine, lineTime, readLogLines, toConversation } from './session-log.ts';

/** The member that Codex adds to items and never sends. */
const PRIVATE = 'internal_chat_message_metadata_passthrough';

/**
 * A session of Codex: `~/.codex/sessions/<date>/rollout-<time>-<id>.jsonl`. Its lines hold the items of the Responses API as they
 * were sent and received, between events of the program.
 */
export const codex: Importer = {
  id: 'codex',
  title: 'Codex session',
  recognisedBy: 'lines with "timestamp", "type" and "payload"',
  detects: ({ type, payload, timestamp }) =>
    typeof type === 'string' && isObject(payload) && typeof timestamp === 'string',
  element: 'line',
  read(text) {
    const { lines, problems } = readLogLines(text);
    const session = readSession(lines);
    return toConversation(new RolloutReader().read(lines), { session, problems });
  },
};

function readSession(lines: readonly LogLine[]): ImportedSession {
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

function payloadOf(line: LogLine | undefined): JsonObject {
  const payload = line?.value.payload;
  return isObject(payload) ? payload : {};
}

/** Reads the lines of a rollout one by one. */
class RolloutReader {
  readonly #logged: LoggedMessage[] = [];
  #items: LogLine[] = [];
  #beside: string[] = [];
  #model: string | undefined;
  #parent: string | undefined;
  #instead: readonly Message[] | undefined;

  read(lines: readonly LogLine[]): LoggedMessage[] {
    for (const line of lines) this.#take(line);
    this.#close();
    const last = this.#logged.at(-1);
    if (last && this.#beside.length > 0) this.#logged.splice(-1, 1, { ...last, take: withBeside(last, this.#beside) });
    return this.#logged;
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
    this.#beside.push(line.text);
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
        extra: keepBeside({ ...(responseId !== undefined && { responseId }), ...itemFacts(items) }, this.#beside),
      },
      keys: [key],
      parent: this.#parent,
      ...(this.#instead && { instead: this.#instead }),
    });
    this.#parent = key;
    this.#beside = [];
    this.#instead = undefined;
  }

  /** From here on, the model got other items in place of the history. */
  #compact({ text, value }: LogLine): void {
    this.#close();
    const payload = payloadOf({ number: 0, text, value });
    const replaced = Array.isArray(payload.replacement_history)
      ? elementTexts(textAt(text, ['payload', 'replacement_history'])!).map(sentItem)
      : [JSON.stringify({ type: 'message', role: 'user', content: String(payload.message ?? '') })];
    this.#instead = openaiResponses.readRequest(`{"input":[${replaced.join(',')}]}`).messages;
  }

  /** The person took back turns: what follows goes on before them. */
  #rollBack(turns: number): void {
    this.#close();
    const questions = this.#path().filter(({ message }) => message.role === 'user');
    const first = questions.at(-Math.max(1, Math.floor(turns) || 1));
    if (first) this.#parent = first.parent;
  }

  #path(): LoggedMessage[] {
    const byKey = new Map(this.#logged.map((one) => [one.keys[0], one]));
    const path: LoggedMessage[] = [];
    for (let at = byKey.get(this.#parent!); at; at = byKey.get(at.parent!)) path.unshift(at);
    return path;
  }
}

function withBeside(last: LoggedMessage, beside: readonly string[]): LoggedMessage['take'] {
  return { ...last.take, extra: { ...last.take.extra, after: beside } };
}

/** Items that the client writes: questions and results. */
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
