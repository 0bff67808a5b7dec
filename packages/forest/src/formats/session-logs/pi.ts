import { type ContentBlock, isObject, type JsonObject, textAt, toolResult, type Usage, user } from '@skein/core';
import type { BuiltInImporter, ImportedSession, LogPast, LogProgress } from '../importer.ts';
import { unknownMessage } from '../importers/source-conversation.ts';
import { argumentsText, type ExactObject, objectAt, otherMembers, readTime, textMember } from '../source/exact-json.ts';
import { assembleReply, type KeptBlock, objectText } from './assemble-reply.ts';
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

/**
 * A session of pi: `~/.pi/agent/sessions/<folder>/<time>_<id>.jsonl`. Its entries are a tree in one file. What providers issued is in side fields of
 * the blocks, so replies are put together in the protocol that they came by.
 */
export const pi: BuiltInImporter = {
  recognisedBy: 'a first line with "type":"session", "version" and "id"',
  detects: ({ type, version, id }) => type === 'session' && typeof version === 'number' && typeof id === 'string',
  element: 'line',
  read(text, { past }) {
    const log = readLogLines(text, past);
    const { lines } = log;
    const named = lines.findLast(({ value }) => value.type === 'session_info' && typeof value.name === 'string');
    const { logged, links } = readEntries(log);
    const spans = logged.map(({ span }) => span);
    return toConversation(logged, log, {
      session: readSession(lines, past),
      title: named && textMember(named.value, 'name'),
      closed: lastClosedLine(spans, 1, log),
      links,
    });
  },
};

function readSession(lines: readonly LogLine[], past: LogPast | undefined): ImportedSession {
  if (past) return past.session;
  const header = lines.find(({ value }) => value.type === 'session')?.value ?? {};
  const cwd = textMember(header, 'cwd');
  return { agent: 'pi', id: textMember(header, 'id') ?? '', ...(cwd !== undefined && { cwd }) };
}

/** Reads the entries. Those that are no messages lead from a message to the one before it. */
function readEntries({ lines, past }: LogLines): Pick<LogProgress, 'links'> & { readonly logged: LoggedMessage[] } {
  const byId = new Map(lines.flatMap((line) => (typeof line.value.id === 'string' ? [[line.value.id, line]] : [])));
  const logged: LoggedMessage[] = [];
  const links = new Map<string, { readonly to: string; readonly line: number }>();
  let beside: LogLine[] = [];
  for (const line of lines) {
    const id = typeof line.value.id === 'string' ? line.value.id : undefined;
    // An entry that was written twice is one entry.
    if (id !== undefined && (past?.has(id) || byId.get(id) !== line)) {
      if (byId.get(id)!.text !== line.text || past?.has(id)) beside.push(line);
      continue;
    }
    const source = objectAt(line, 'message');
    const made = line.value.type === 'message' && source ? writeMessage(line, source) : undefined;
    const { parent, compaction } = above(line, byId);
    if (!made) {
      beside.push(line);
      if (id !== undefined && parent !== undefined) links.set(id, { to: parent, line: line.number });
      continue;
    }
    const summary = compaction && textMember(compaction.value, 'summary');
    const first = compaction && textMember(compaction.value, 'firstKeptEntryId');
    const texts = beside.map(({ text }) => text);
    logged.push({
      ...made,
      take: { ...made.take, extra: keepBeside(made.take.extra ?? {}, texts) },
      keys: [id ?? `line ${line.number}`],
      parent,
      span: { first: (beside[0] ?? line).number, last: line.number },
      ...(summary !== undefined && {
        instead: [user(summary), ...(first === undefined ? [] : [{ from: first }])],
      }),
    });
    beside = [];
  }
  const last = logged.at(-1);
  if (last && beside.length > 0) {
    const after = beside.map(({ text }) => text);
    logged.splice(-1, 1, { ...last, take: { ...last.take, extra: { ...last.take.extra, after } } });
  }
  return { logged, links };
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
