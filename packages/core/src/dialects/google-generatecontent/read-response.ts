import { addMember, Changes, isObject, type JsonObject, parseJson, splice, textAt } from '../../json/index.ts';
import type {
  ContentBlock,
  MediaBlock,
  MessageView,
  Origin,
  Role,
  ToolResultBlock,
  ToolUseBlock,
} from '../../message/index.ts';
import type { RawReply } from '../dialect.ts';
import { count, ProtocolError, type Stop, type StopReason, type Usage } from '../reply.ts';
import { VIEW_ID, viewId } from '../write/drafts.ts';
import { areArguments } from '../write/translate.ts';
import {
  addCall,
  type Call,
  type Content,
  field,
  fieldText,
  isPlainText,
  objectField,
  type Part,
  readArguments,
  readContent,
  stringField,
} from './parts.ts';
import { google } from './provider.ts';
import { findNeeds, isHollow } from './rules.ts';

/** The message of a reply without any content. */
export const EMPTY_REPLY = '{"role":"model","parts":[]}';

/** Members that distinguish a response from any other JSON object; each of them may be absent. */
const MEMBERS = ['candidates', 'promptFeedback', 'usageMetadata', 'modelVersion', 'responseId', 'createTime'];

export function isResponse(value: JsonObject): boolean {
  return MEMBERS.some((name) => field(value, name) !== undefined);
}

export function readReply(body: string): RawReply {
  const value = parseJson(body);
  if (!isObject(value) || !isResponse(value))
    throw new ProtocolError(google.dialect, 'neither candidates nor prompt feedback in the response', body);
  const candidates: unknown[] = Array.isArray(value.candidates) ? value.candidates : [];
  const changes = new Changes();
  const choices = candidates.flatMap((candidate, index) => {
    if (!isObject(candidate)) return [];
    const path = ['candidates', index, 'content'];
    const content = objectField(candidate, 'content');
    if (content) changes.set(path, 'null');
    const raw = content ? withRole(content, textAt(body, path)!) : EMPTY_REPLY;
    return [{ raw, stop: readStop(field(candidate, 'finishReason'), hasCalls(content)) }];
  });
  if (choices.length === 0) {
    const block = field(value, 'promptFeedback', 'blockReason');
    if (block === undefined)
      throw new ProtocolError(google.dialect, 'the response has no candidates and names no block reason', body);
    choices.push({ raw: EMPTY_REPLY, stop: readBlockedStop(block) });
  }
  const usage = fieldText(body, value, 'usageMetadata');
  return {
    choices,
    usage: usage === undefined ? undefined : readUsage(field(value, 'usageMetadata'), usage),
    envelope: splice(body, changes.edits(body)),
    model: stringField(value, 'modelVersion'),
  };
}

function hasCalls(content: unknown): boolean {
  const parts = field(content, 'parts');
  return Array.isArray(parts) && parts.some((part) => field(part, 'functionCall') !== undefined);
}

/** Adds the role to a content that has none: in a response, it is the model's. */
function withRole(content: JsonObject, text: string): string {
  const isSaid = field(content, 'role') !== undefined || field(content, 'parts') === undefined;
  return isSaid ? text : splice(text, [addMember(text, 0, 'role', '"model"')]);
}

/** The prompt includes cached tokens; tokens of server-side tools come on top; the output does not include thoughts. */
export function readUsage(value: unknown, native: string): Usage {
  const tokens = (name: string): number => count(field(value, `${name}TokenCount`));
  const cacheRead = tokens('cachedContent');
  return {
    input: Math.max(0, tokens('prompt') - cacheRead) + tokens('toolUsePrompt'),
    cacheRead,
    cacheWrite5m: 0,
    cacheWrite1h: 0,
    output: tokens('candidates'),
    reasoning: tokens('thoughts'),
    native,
  };
}

/** Google adds words over time: those that are not listed are `unknown`. */
const REASONS: readonly (readonly [RegExp, StopReason])[] = [
  [/^STOP$/, 'end'],
  [/^MAX_TOKENS$/, 'length'],
  [/^CONTINUATION$/, 'pause'],
  [/SAFETY|RECITATION|PROHIBITED|LANGUAGE|BLOCKLIST|SPII|MODEL_ARMOR/, 'filter'],
  [/^(MALFORMED|MISSING|UNEXPECTED|TOO_MANY|NO_IMAGE|IMAGE_OTHER)/, 'error'],
];

/** Reads a stop reason. Google also says STOP when the model calls tools. */
export function readStop(native: unknown, hasCalls: boolean): Stop {
  if (typeof native !== 'string') return { reason: 'unknown', native: undefined };
  const reason = REASONS.find(([words]) => words.test(native))?.[1] ?? 'unknown';
  return { reason: reason === 'end' && hasCalls ? 'tool-use' : reason, native };
}

/** The stop of a prompt that was blocked. */
export function readBlockedStop(native: unknown): Stop {
  return typeof native === 'string' ? { reason: 'filter', native } : readStop(native, false);
}

/** Reads a content. Adjacent texts are joined, because a stream cuts them anywhere. */
export function view(raw: string, origin: Origin): MessageView {
  const content = readContent(raw);
  const calls: Call[] = [];
  const callsByPart = content.parts.map((part, index) =>
    isPlainText(part) ? undefined : addCall(calls, index, part.value, part.text),
  );
  const blocks: ContentBlock[] = [];
  let results = 0;
  content.parts.forEach((part, index) => {
    const call = callsByPart[index];
    if (call && call.parts[0] !== index) return;
    const block = call ? toolUse(call, calls.indexOf(call), raw) : readBlock(part, origin.issuer, results);
    if (block.type === 'tool-result') results++;
    add(blocks, block);
  });
  return { role: readRole(content, blocks), content: blocks, needs: findNeeds(content, calls) };
}

function add(blocks: ContentBlock[], block: ContentBlock): void {
  const last = blocks.at(-1);
  if (last?.type === 'text' && block.type === 'text')
    blocks[blocks.length - 1] = { type: 'text', text: last.text + block.text };
  else if (last?.type === 'reasoning' && block.type === 'reasoning' && last.redacted === block.redacted)
    blocks[blocks.length - 1] = { ...last, text: last.text + block.text };
  else blocks.push(block);
}

/** No role means user; but an empty content without a role is the reply of a model that was stopped (recorded: SAFETY). */
function readRole({ role, parts }: Content, blocks: readonly ContentBlock[]): Role {
  if (role === 'model') return 'assistant';
  if (role === 'system') return role;
  if (role === 'function') return 'tool';
  if (role && role !== 'user') return 'other';
  if (parts.length === 0) return role ? 'user' : 'assistant';
  return blocks.every((block) => block.type === 'tool-result') ? 'tool' : 'user';
}

function readBlock(part: Part, issuer: string, results: number): ContentBlock {
  const { value, text: native } = part;
  if (objectField(value, 'functionResponse')) return toolResult(part, issuer, results);
  const text = stringField(value, 'text');
  if (text !== undefined)
    return field(value, 'thought') === true ? { type: 'reasoning', text, redacted: false } : { type: 'text', text };
  if (isHollow(part) && stringField(value, 'thoughtSignature')) return { type: 'reasoning', text: '', redacted: true };
  return readMedia(value, issuer) ?? { type: 'unknown', native };
}

function toolUse(call: Call, index: number, raw: string): ToolUseBlock {
  const rawParameters = readArguments(call);
  return {
    type: 'tool-use',
    id: call.id ?? viewId(raw, index),
    name: call.name,
    parameters: areArguments(rawParameters) ? JSON.parse(rawParameters) : {},
    rawParameters,
  };
}

function toolResult({ value, text: native }: Part, issuer: string, index: number): ToolResultBlock {
  const result = field(value, 'functionResponse');
  const parts = field(result, 'parts');
  const media = Array.isArray(parts) ? parts.flatMap((part: unknown) => readMedia(part, issuer) ?? []) : [];
  const response = field(result, 'response');
  const text = responseText(response) ?? fieldText(native, value, 'functionResponse', 'response');
  const isBare = text === undefined || (media.length > 0 && text === '{}');
  return {
    type: 'tool-result',
    toolCallId: stringField(result, 'id') || `${VIEW_ID}fn_${index}_${stringField(result, 'name') ?? ''}`,
    content: [...(isBare ? [] : [{ type: 'text', text } as const]), ...media],
    isError: Boolean(field(response, 'error')),
  };
}

/** The text of `{"output":"…"}`, `{"result":"…"}` or `{"error":"…"}`; undefined for anything else. */
function responseText(response: unknown): string | undefined {
  const [[name, text] = [], ...more] = isObject(response) ? Object.entries(response) : [];
  const isPlain = more.length === 0 && /^(?:output|result|error)$/.test(name ?? '');
  return isPlain && typeof text === 'string' ? text : undefined;
}

/** Reads the image, audio clip, video or document of a part, if it is one. */
function readMedia(part: unknown, issuer: string): MediaBlock | undefined {
  const data = stringField(part, 'inlineData', 'data');
  if (data !== undefined) return media(part, 'inlineData', '', { kind: 'base64', data: standardBase64(data) });
  const uri = stringField(part, 'fileData', 'fileUri');
  if (uri === undefined) return undefined;
  // Only the issuer can read an upload; anyone can read a URL.
  const isUpload = uri.startsWith(`https://${issuer}/`);
  return media(part, 'fileData', uri, isUpload ? { kind: 'file', id: uri } : { kind: 'url', url: uri });
}

function media(part: unknown, kind: string, uri: string, source: MediaBlock['source']): MediaBlock {
  const isVideoPage = /^https?:\/\/(?:[a-z]+\.)?(?:youtube\.com|youtu\.be)\//.test(uri);
  const mediaType = stringField(part, kind, 'mimeType') || (isVideoPage ? 'video/*' : 'application/octet-stream');
  const name = stringField(part, kind, 'displayName');
  return { type: 'media', mediaType, ...(name && { name }), source };
}

/** Converts base64 to the standard alphabet. Protocol buffers take both alphabets, other protocols only this one. */
function standardBase64(data: string): string {
  if (!/[-_]/.test(data)) return data;
  const plain = data.replaceAll('-', '+').replaceAll('_', '/');
  return plain.padEnd(Math.ceil(plain.length / 4) * 4, '=');
}
