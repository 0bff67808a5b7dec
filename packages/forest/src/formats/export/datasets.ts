import { type ContentBlock, type Loss, type Message, type ToolDefinition, textAt } from '@skein/core';
import type { ForestNode } from '../../forest/index.ts';
import { DEFAULT_DIALECT } from '../../model/dialects.ts';
import type { ExportedConversation } from './conversations.ts';
import { type ExportedText, toFineTuningLine, toMessageArray } from './dialect-messages.ts';

/**
 * Writes a line of ShareGPT, as LLaMA-Factory reads it: turns of `human` and `observation` alternate with turns of `gpt` and
 * `function_call`. Consecutive turns of a side are joined, and the conversation ends with an answer.
 */
export function toShareGptLine({ nodes, tools }: ExportedConversation): ExportedText {
  const losses: Loss[] = [];
  const turns: Turn[] = [];
  const system: string[] = [];
  const put = (message: number, from: Turn['from'], value: string) => {
    const last = turns.at(-1);
    if (last?.from === from || (last && isAsking(last.from) && isAsking(from))) last.values.push(value);
    // Of a text and a call without a result between them, one turn has a place for the later.
    else if (last && !isAsking(last.from) && !isAsking(from)) {
      losses.push(dropped(message - 1, 'content', 'merged'));
      turns.splice(-1, 1, { from, values: [value] });
    } else if (last || isAsking(from)) turns.push({ from, values: [value] });
    else losses.push(dropped(message, 'content', 'opening'));
  };
  for (const [message, { role, message: said }] of nodes.entries()) {
    losses.push(...partsWithoutPlace(said, message));
    for (const { content } of said.toolResults) put(message, 'observation', plainText(content));
    for (const { name, rawParameters } of said.toolUses)
      put(message, 'function_call', `{"name":${JSON.stringify(name)},"arguments":${rawParameters || '{}'}}`);
    if (said.text.trim() === '') continue;
    if (role === 'system') system.push(said.text);
    // A call stands for the whole turn; there is no place for words beside it.
    else if (said.toolUses.length > 0) losses.push(dropped(message, 'content', 'unknown-block', 'text beside a call'));
    else if (role === 'user') put(message, 'human', said.text);
    else if (role === 'assistant') put(message, 'gpt', said.text);
  }
  while (turns.length > 0 && isAsking(turns.at(-1)!.from)) turns.pop();
  const conversations = turns.map(({ from, values }) => ({ from, value: joinTurn(from, values) }));
  const line = {
    conversations,
    ...(system.length > 0 && { system: system.join('\n\n') }),
    ...(tools.length > 0 && { tools: JSON.stringify(functionsOf(tools)) }),
  };
  return { text: JSON.stringify(line), losses };
}

interface Turn {
  readonly from: 'human' | 'gpt' | 'function_call' | 'observation';
  readonly values: string[];
}

function isAsking(from: string): boolean {
  return from === 'human' || from === 'observation';
}

/** Several calls, and several results, are a JSON list. */
function joinTurn(from: string, values: readonly string[]): string {
  if (from === 'human' || from === 'gpt') return values.join('\n\n');
  if (values.length === 1) return values[0]!;
  return from === 'function_call' ? `[${values.join(',')}]` : JSON.stringify(values);
}

/**
 * Writes a test of promptfoo: the conversation before the last answer as the variable `messages`, and the answer as what is
 * expected. promptfoo reads variables and expectations as templates and as addresses of files, so both are escaped.
 */
export function toPromptfooTest(conversation: ExportedConversation): ExportedText {
  const { head, title, threads, tools } = conversation;
  const { before, answer } = splitAtAnswer(conversation.nodes);
  const { text, losses } = toMessageArray({ ...conversation, nodes: before }, DEFAULT_DIALECT.id);
  const definitions =
    tools.length > 0 ? textAt(toFineTuningLine(conversation, DEFAULT_DIALECT.id).text, ['tools']) : '';
  const test = {
    ...(title.trim() !== '' && { description: title.replaceAll('{{', '{ {') }),
    // Inside the strings of a JSON text, the escapes mean the same characters.
    vars: { messages: text.replace(TEMPLATE_MARK, (mark) => (mark === '{' ? '\\u007b' : '\\u0023}')) },
    ...(answer && { assert: expectations(answer.message) }),
    ...(definitions && { options: { tools: JSON.parse(definitions) } }),
    metadata: { conversation: head, ...(threads[0] && { thread: threads[0].id }), ...modelOf(answer) },
  };
  return { text: JSON.stringify(test), losses };
}

/** A brace that would begin an expression, a statement or a comment of a template, and the end of a comment that has not begun. */
const TEMPLATE_MARK = /\{(?=[{%#])|#\}/g;

function escapeTemplate(text: string): string {
  return text.replace(TEMPLATE_MARK, '{{ "$&" }}').replace(/^(?=file:|package:)(.)/i, '{{ "$1" }}');
}

/** A call is expected by its name; JSON as it is; a text by the words that both share, which needs no model. */
function expectations({ toolUses, text }: Message): object[] {
  if (toolUses.length > 0) return toolUses.map(({ name }) => ({ type: 'contains', value: escapeTemplate(name) }));
  return isJson(text)
    ? [{ type: 'is-json' }, { type: 'equals', value: escapeTemplate(text) }]
    : [{ type: 'rouge-n', threshold: 0.5, value: escapeTemplate(text) }];
}

function isJson(text: string): boolean {
  if (!/^\s*[[{]/.test(text)) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Writes a sample of Inspect: the conversation before the last answer as `input`, and the answer as `target`. */
export function toInspectSample({ head, title, nodes, threads, tools }: ExportedConversation): ExportedText {
  const { before, answer } = splitAtAnswer(nodes);
  const names = new Map(before.flatMap(({ message }) => message.toolUses.map(({ id, name }) => [id, name])));
  const losses = before.flatMap(({ message }, index) => partsWithoutPlace(message, index));
  const sample = {
    id: head,
    input: before.flatMap(({ role, message }) => toInspectMessages(role, message, names)),
    target: answer?.message.text ?? '',
    metadata: {
      ...(title.trim() !== '' && { title }),
      ...(threads[0] && { thread: threads[0].id, tags: threads[0].tags }),
      ...modelOf(answer),
      ...(tools.length > 0 && { tools: functionsOf(tools) }),
    },
  };
  return { text: JSON.stringify(sample), losses };
}

function toInspectMessages(role: ForestNode['role'], message: Message, names: ReadonlyMap<string, string>): object[] {
  const results = message.toolResults.map(({ toolCallId, content, isError }) => ({
    role: 'tool',
    content: plainText(content),
    tool_call_id: toolCallId,
    ...(names.has(toolCallId) && { function: names.get(toolCallId) }),
    ...(isError && { error: { type: 'unknown', message: plainText(content) } }),
  }));
  if (role === 'tool' || (message.text === '' && results.length > 0)) return results;
  const calls = message.toolUses.map(({ id, name, parameters }) => ({
    ...{ id, type: 'function', function: name, arguments: parameters },
  }));
  const spoken = role === 'system' || role === 'assistant' ? role : 'user';
  return [...results, { role: spoken, content: message.text, ...(calls.length > 0 && { tool_calls: calls }) }];
}

/** Writes all that is known of a conversation as one object, with its messages in the dialect. */
export function toJsonLine(conversation: ExportedConversation, dialect: string): ExportedText {
  const { head, title, nodes, threads } = conversation;
  const { text, losses } = toFineTuningLine(conversation, dialect);
  const facts = JSON.stringify({
    conversation: head,
    title,
    ...(threads[0] && { thread: threads[0].id }),
    tags: [...new Set(threads.flatMap(({ tags }) => tags))],
    ...ratingOf(conversation),
    startedAt: timeOf(nodes[0]),
    endedAt: timeOf(nodes.at(-1)),
    models: [...new Set(nodes.flatMap((node) => modelOf(node).model ?? []))],
    ...usageOf(nodes),
  });
  return { text: `${facts.slice(0, -1)},${text.slice(1)}`, losses };
}

const COLUMNS = [
  ...['conversation', 'thread', 'title', 'tags', 'rating', 'started', 'ended', 'model', 'system', 'question', 'answer'],
  ...['messages', 'calls', 'input_tokens', 'output_tokens', 'cost'],
];

/** The first line of a table. */
export const CSV_HEAD = `${COLUMNS.join(',')}\r\n`;

/** Writes a conversation as a row of a table: its last question and answer, and what it used (RFC 4180). */
export function toCsvRow(conversation: ExportedConversation): ExportedText {
  const { head, title, nodes, threads } = conversation;
  const { before, answer } = splitAtAnswer(nodes);
  const { inputTokens, outputTokens, cost } = usageOf(nodes);
  const cells = [
    ...[head, threads[0]?.id, title, threads[0]?.tags.join(' '), ratingOf(conversation).rating],
    ...[timeOf(nodes[0]), timeOf(nodes.at(-1)), modelOf(answer).model],
    joinTexts(nodes.filter(({ role }) => role === 'system')),
    before.findLast(({ role }) => role === 'user')?.message.text,
    ...[answer?.message.text, nodes.length, nodes.reduce((sum, { message }) => sum + message.toolUses.length, 0)],
    ...[inputTokens, outputTokens, cost],
  ];
  // The last line break is added by the caller.
  return { text: `${cells.map(toCell).join(',')}\r`, losses: [] };
}

/** Programs for tables run a cell that begins like a formula, so it begins with an apostrophe, as these programs expect. */
function toCell(value: string | number | undefined): string {
  if (typeof value !== 'string') return String(value ?? '');
  const text = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

function joinTexts(nodes: readonly ForestNode[]): string {
  return nodes.map(({ message }) => message.text).join('\n\n');
}

/** The last answer of a model, and the messages before it. */
function splitAtAnswer(nodes: readonly ForestNode[]): { before: readonly ForestNode[]; answer?: ForestNode } {
  const at = nodes.findLastIndex(({ role }) => role === 'assistant');
  return at < 0 ? { before: nodes } : { before: nodes.slice(0, at), answer: nodes[at]! };
}

function modelOf(node: ForestNode | undefined): { readonly model?: string } {
  const model = node?.takes.find((take) => take.author === 'model' || take.usage)?.model ?? node?.message.origin.model;
  return node?.role === 'assistant' && model !== undefined ? { model } : {};
}

/** The last rating that a message has, or else that of the thread. */
function ratingOf({ nodes, threads }: ExportedConversation): { readonly rating?: number } {
  const rating = nodes.findLast(({ marks }) => marks.rating !== undefined)?.marks.rating ?? threads[0]?.rating;
  return rating === undefined ? {} : { rating };
}

function timeOf(node: ForestNode | undefined): string {
  return node ? new Date(node.at).toISOString() : '';
}

/** What the answers used; of several takes of one answer, the first that says it. */
function usageOf(nodes: readonly ForestNode[]) {
  const takes = nodes.flatMap((node) => node.takes.find(({ usage }) => usage !== undefined) ?? []);
  const input = ({ usage }: (typeof takes)[number]) =>
    usage!.input + usage!.cacheRead + usage!.cacheWrite5m + usage!.cacheWrite1h;
  const known = takes.filter(({ cost }) => cost !== undefined);
  return {
    inputTokens: takes.reduce((sum, take) => sum + input(take), 0),
    outputTokens: takes.reduce((sum, { usage }) => sum + usage!.output, 0),
    ...(known.length > 0 && { cost: known.reduce((sum, { cost }) => sum + cost!, 0) }),
  };
}

function functionsOf(tools: readonly ToolDefinition[]): object[] {
  return tools.flatMap((tool) => {
    if (!('name' in tool)) return [];
    const { name, description = '', parameters } = tool;
    return { name, description, parameters: typeof parameters === 'string' ? JSON.parse(parameters) : parameters };
  });
}

function plainText(content: readonly ContentBlock[]): string {
  return content.map((block) => (block.type === 'text' ? block.text : `[${block.type}]`)).join('\n');
}

/** What formats of plain text have no place for. */
function partsWithoutPlace({ content }: Message, message: number): Loss[] {
  return content.flatMap((block, index) => {
    const path = `content[${index}]`;
    if (block.type === 'reasoning') return dropped(message, path, 'foreign-reasoning');
    if (block.type === 'media') return dropped(message, path, 'unsupported-media', block.mediaType);
    return block.type === 'unknown' ? dropped(message, path, 'unknown-block') : [];
  });
}

function dropped(message: number, path: string, reason: Loss['reason'], detail?: string): Loss {
  return { kind: 'dropped', message, path, reason, ...(detail !== undefined && { detail }) };
}
