import { type ContentBlock, isObject, type JsonObject, textAt, toolResult, type Usage, user } from '@skein/core';
import type { ImportedSession, Importer } from '../importer.ts';
import { unknownMessage } from '../importers/source-conversation.ts';
import { argumentsText, type ExactObject, objectAt, otherMembers, readTime, textMember } from '../source/exact-json.ts';
import { assembleReply, type KeptBlock, objectText } from './assemble-reply.ts';
import { keepBeside, type LoggedMessage, type LogLine, lineTime, readLogLines, toConversation } from './session-log.ts';

/**
 * A session of pi: `~/.pi/agent/sessions/<folder>/<time>_<id>.jsonl`. Its entries are a tree in one file. What providers issued is in side fields of
 * the blocks, so replies are put together in the protocol that they came by.
 */
export const pi: Importer = {
  id: 'pi',
  title: 'pi session',
  recognisedBy: 'a first line with "type":"session", "version" and "id"',
  detects: ({ type, version, id }) => type === 'session' && typeof version === 'number' && typeof id === 'string',
  element: 'line',
  read(text) {
    const { lines, problems } = readLogLines(text);
    const named = lines.findLast(({ value }) => value.type === 'session_info' && typeof value.name === 'string');
    const title = named && textMember(named.value, 'name');
    return toConversation(readEntries(lines), { session: readSession(lines), title, problems });
  },
};

function readSession(lines: readonly LogLine[]): ImportedSession {
  const header = lines.find(({ value }) => value.type === 'session')?.value ?? {};
  const cwd = textMember(header, 'cwd');
  return { agent: 'pi', id: textMember(header, 'id') ?? '', ...(cwd !== undefined && { cwd }) };
}

/** Reads the entries. Those that are no messages lead from a message to the one before it. */
function readEntries(lines: readonly LogLine[]): LoggedMessage[] {
  const byId = new Map(lines.flatMap((line) => (typeof line.value.id === 'string' ? [[line.value.id, line]] : [])));
  const logged: LoggedMessage[] = [];
  let beside: string[] = [];
  for (const line of lines) {
    const source = objectAt(line, 'message');
    const made = line.value.type === 'message' && source ? writeMessage(line, source) : undefined;
    if (!made) {
      beside.push(line.text);
      continue;
    }
    const { parent, compaction } = above(line, byId);
    const summary = compaction && textMember(compaction.value, 'summary');
    logged.push({
      ...made,
      take: { ...made.take, extra: keepBeside(made.take.extra ?? {}, beside) },
      keys: [String(line.value.id ?? `line ${line.number}`)],
      parent,
      ...(summary !== undefined && { instead: [user(summary), ...keptMessages(logged, compaction!, parent)] }),
    });
    beside = [];
  }
  const last = logged.at(-1);
  if (last && beside.length > 0)
    logged.splice(-1, 1, { ...last, take: { ...last.take, extra: { ...last.take.extra, after: beside } } });
  return logged;
}

/** The message that an entry follows, and a compaction between them. */
function above(
  line: LogLine,
  byId: ReadonlyMap<unknown, LogLine>,
): { parent: string | undefined; compaction?: LogLine } {
  let compaction: LogLine | undefined;
  const seen = new Set<unknown>();
  for (let id = line.value.parentId; typeof id === 'string' && !seen.has(id); ) {
    seen.add(id);
    const next = byId.get(id);
    if (!next || next.value.type === 'message') return { parent: id, ...(compaction && { compaction }) };
    if (next.value.type === 'compaction') compaction ??= next;
    id = next.value.parentId;
  }
  return { parent: undefined, ...(compaction && { compaction }) };
}

/** The messages from the first one that a compaction kept. */
function keptMessages(logged: readonly LoggedMessage[], { value }: LogLine, parent: string | undefined) {
  const byKey = new Map(logged.map((one) => [one.keys[0], one]));
  const path: LoggedMessage[] = [];
  for (let at = byKey.get(parent!); at; at = byKey.get(at.parent!)) path.unshift(at);
  const from = path.findIndex(({ keys }) => keys[0] === value.firstKeptEntryId);
  return from < 0 ? [] : path.slice(from).map(({ message }) => message);
}

const TAKEN = ['role', 'content', 'timestamp', 'model', 'usage', 'toolCallId', 'isError'];

function writeMessage(line: LogLine, source: ExactObject): Pick<LoggedMessage, 'message' | 'at' | 'take'> {
  const { value } = source;
  const extra = { id: line.value.id, ...otherMembers(source, TAKEN) };
  const at = readTime(typeof value.timestamp === 'number' ? value.timestamp / 1000 : undefined) ?? lineTime(line);
  if (value.role === 'user') return { message: user(readBlocks(source)), at, take: { author: 'person', extra } };
  if (value.role === 'toolResult') {
    const message = toolResult(callId(value.toolCallId), readBlocks(source), { isError: value.isError === true });
    return { message, at, take: { author: 'tool', extra } };
  }
  if (value.role !== 'assistant')
    return { message: unknownMessage(source.text), at, take: { author: 'unknown', extra } };
  const model = textMember(value, 'model');
  const { message, provider } = assembleReply(textMember(value, 'api') ?? '', readKeptBlocks(source), model);
  const usage = readUsage(value.usage, source.text);
  return {
    message,
    at,
    take: {
      author: 'model',
      ...(provider !== undefined && { provider }),
      ...(model !== undefined && { model }),
      ...(usage && { usage }),
      extra: { isAssembled: true, ...extra },
    },
  };
}

/** With the Responses API, pi joins the ids of a call and of its item. */
function callId(id: unknown): string {
  return String(id).split('|')[0]!;
}

function readBlocks({ text, value }: ExactObject): string | ContentBlock[] {
  const { content } = value;
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content.map((block, index): ContentBlock => {
    const native = textAt(text, ['content', index])!;
    if (isObject(block) && block.type === 'text' && typeof block.text === 'string')
      return { type: 'text', text: block.text };
    if (
      isObject(block) &&
      block.type === 'image' &&
      typeof block.data === 'string' &&
      typeof block.mimeType === 'string'
    )
      return { type: 'media', mediaType: block.mimeType, source: { kind: 'base64', data: block.data } };
    return { type: 'unknown', native };
  });
}

function readKeptBlocks({ text, value }: ExactObject): KeptBlock[] {
  const content = Array.isArray(value.content) ? value.content : [];
  return content.flatMap((block, index): KeptBlock[] => {
    if (!isObject(block)) return [];
    const seal = textMember(block, 'thoughtSignature');
    if (block.type === 'thinking') return [thought(block)];
    if (block.type === 'toolCall' && typeof block.name === 'string') {
      const [id = '', item] = String(block.id).split('|');
      const parameters = argumentsText(block.arguments, textAt(text, ['content', index, 'arguments']));
      return [{ kind: 'call', id, item, name: block.name, parameters, seal }];
    }
    const sign = textMember(block, 'textSignature');
    const said = textMember(block, 'text');
    if (block.type !== 'text' || (said === undefined && sign === undefined)) return [];
    const about = objectText(sign) === undefined ? {} : (JSON.parse(sign!) as JsonObject);
    const issued = { id: textMember(about, 'id'), phase: textMember(about, 'phase') };
    return [{ kind: 'text', text: said ?? '', ...issued, ...(objectText(sign) === undefined && { seal: sign }) }];
  });
}

/** A signature is the provider's own, a whole item in JSON, or the name of the member that the text was in. */
function thought(block: JsonObject): KeptBlock {
  const sign = textMember(block, 'thinkingSignature');
  const text = textMember(block, 'thinking') ?? '';
  const item = objectText(sign);
  if (item !== undefined) return { kind: 'thought', text, item };
  const isMember = sign !== undefined && /^[a-z_]{1,40}$/.test(sign);
  return { kind: 'thought', text, ...(isMember ? { member: sign } : { seal: sign }) };
}

function readUsage(value: unknown, text: string): Usage | undefined {
  if (!isObject(value)) return undefined;
  const number = (name: string) => (typeof value[name] === 'number' ? (value[name] as number) : 0);
  return {
    input: number('input'),
    cacheRead: number('cacheRead'),
    cacheWrite5m: number('cacheWrite'),
    cacheWrite1h: 0,
    output: number('output'),
    reasoning: 0,
    native: textAt(text, ['usage'])!,
  };
}
