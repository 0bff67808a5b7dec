import { digest, isObject, type JsonObject } from '../../json/index.ts';
import type { ContentBlock, MessageView, Origin, Role, ToolResultBlock, ToolUseBlock } from '../../message/index.ts';
import { areArguments } from '../write/arguments.ts';
import { VIEW_ID } from '../write/tool-names.ts';
import { type Call, callsIn } from './calls.ts';
import { type Content, type Part, readContent } from './content.ts';
import { field, fieldMember, objectField, stringField } from './fields.ts';
import { mediaOf } from './media.ts';
import { isHollow, needsOf, signatureOf } from './needs.ts';

/** The view of a content. Texts that stand side by side are one: a stream cuts them anywhere. */
export function view(raw: string, origin: Origin): MessageView {
  const content = readContent(raw);
  const calls = callsIn(raw, content.parts);
  const uses = new Map(calls.map((call, index) => [call.parts[0]!, toolUse(call, index, raw)]));
  const continued = new Set(calls.flatMap((call) => call.parts.slice(1)));
  const blocks: ContentBlock[] = [];
  let results = 0;
  content.parts.forEach((part, index) => {
    if (continued.has(index)) return;
    const block = uses.get(index) ?? blockOf(raw, part, origin.issuer, results);
    if (block.type === 'tool-result') results++;
    add(blocks, block);
  });
  return { role: roleOf(content, blocks), content: blocks, needs: needsOf(content, calls) };
}

function add(blocks: ContentBlock[], block: ContentBlock): void {
  const last = blocks.at(-1);
  if (last?.type === 'text' && block.type === 'text')
    blocks[blocks.length - 1] = { type: 'text', text: last.text + block.text };
  else if (last?.type === 'reasoning' && block.type === 'reasoning' && last.redacted === block.redacted)
    blocks[blocks.length - 1] = { ...last, text: last.text + block.text };
  else blocks.push(block);
}

/** No role means user; but a content without anything is the reply of a model that was stopped (recorded: SAFETY). */
function roleOf({ role, parts }: Content, blocks: readonly ContentBlock[]): Role {
  if (role === 'model') return 'assistant';
  if (role === 'system') return 'system';
  if (role === 'function') return 'tool';
  if (role !== 'user' && role !== undefined && role !== null && role !== '') return 'other';
  if (parts.length === 0) return role === 'user' ? 'user' : 'assistant';
  return blocks.every((block) => block.type === 'tool-result') ? 'tool' : 'user';
}

function blockOf(raw: string, part: Part, issuer: string, results: number): ContentBlock {
  const { value, start, end } = part;
  const unknown: ContentBlock = { type: 'unknown', native: raw.slice(start, end) };
  if (!isObject(value)) return unknown;
  const response = objectField(value, 'functionResponse');
  if (response) return toolResult(raw, fieldMember(raw, start, 'functionResponse')!.start, response, issuer, results);
  const text = stringField(value, 'text');
  if (text !== undefined)
    return field(value, 'thought') === true ? { type: 'reasoning', text, redacted: false } : { type: 'text', text };
  if (isHollow(part) && signatureOf(part)) return { type: 'reasoning', text: '', redacted: true };
  return mediaOf(value, issuer) ?? unknown;
}

function toolUse({ id, name, args }: Call, index: number, raw: string): ToolUseBlock {
  const value: unknown = areArguments(args) ? JSON.parse(args) : undefined;
  return {
    type: 'tool-use',
    id: id ?? `${VIEW_ID}${digest(raw).slice(0, 12)}_${index}`,
    name,
    parameters: isObject(value) ? value : {},
    rawParameters: args,
  };
}

function toolResult(raw: string, start: number, value: JsonObject, issuer: string, index: number): ToolResultBlock {
  const name = stringField(value, 'name') ?? '';
  const parts = field(value, 'parts');
  const media = (Array.isArray(parts) ? parts : []).flatMap((part: unknown) =>
    isObject(part) ? (mediaOf(part, issuer) ?? []) : [],
  );
  const range = fieldMember(raw, start, 'response');
  const response = field(value, 'response');
  const text = range ? responseText(response, raw.slice(range.start, range.end)) : undefined;
  const isBare = isObject(response) && Object.keys(response).length === 0 && media.length > 0;
  return {
    type: 'tool-result',
    toolCallId: stringField(value, 'id') || `${VIEW_ID}fn_${index}_${name}`,
    content: [...(text === undefined || isBare ? [] : [{ type: 'text', text } as const]), ...media],
    isError: isObject(response) && isFailure(response),
  };
}

/** The text of `{"output":"…"}`, `{"result":"…"}` and `{"error":"…"}`; the JSON text of anything else. */
function responseText(response: unknown, native: string): string {
  if (!isObject(response)) return native;
  const names = Object.keys(response);
  const only =
    names.length === 1 && ['output', 'result', 'error'].includes(names[0]!) ? response[names[0]!] : undefined;
  return typeof only === 'string' ? only : native;
}

function isFailure(response: JsonObject): boolean {
  const { error } = response;
  if (error === '') return Object.keys(response).length === 1;
  return error !== undefined && error !== null && error !== false;
}
