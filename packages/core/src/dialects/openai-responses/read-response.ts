import { elementTexts, find, isObject, isText, type JsonObject, parseJson, splice, textAt } from '../../json/index.ts';
import {
  type ContentBlock,
  type MediaBlock,
  type MediaSource,
  type MessageView,
  type Origin,
  type Role,
  readCitation,
} from '../../message/index.ts';
import type { RawReply } from '../dialect.ts';
import { count, ProtocolError, type Stop, type StopReason, type Usage } from '../reply.ts';
import { viewId } from '../write/drafts.ts';
import { inlineDataUrl, parseObject } from '../write/translate.ts';
import { type Item, isModelItem, itemType, readItems } from './items.ts';
import { DIALECT } from './provider.ts';
import { findNeeds } from './rules.ts';

/** Reads a response: its output items are the message, everything else is the envelope. */
export function readReply(body: string): RawReply {
  const value = parseJson(body);
  if (!isObject(value) || !Array.isArray(value.output))
    throw new ProtocolError(DIALECT, 'the response has no "output"', body);
  const output = find(body, ['output'])!;
  const envelope = splice(body, [{ ...output, text: 'null' }]);
  return toReply(body, value, turnText(elementTexts(body, output.start)), value.output, envelope);
}

export function toReply(
  response: string,
  value: JsonObject,
  raw: string,
  items: readonly unknown[],
  envelope: string,
): RawReply {
  return {
    choices: [{ raw, stop: readStop(value, items) }],
    usage: readUsage(value.usage, textAt(response, ['usage'])),
    envelope,
    model: value.model,
  };
}

export function turnText(items: readonly string[]): string {
  return `[${items.join(',')}]`;
}

/**
 * The API includes cached and newly cached tokens in the input, and reasoning in the output. Its caches live for half an
 * hour, so tokens that are written to them count as short-lived.
 */
function readUsage(value: unknown, native: string | undefined): Usage | undefined {
  if (!isObject(value) || native === undefined) return undefined;
  const cacheRead = count(value.input_tokens_details, 'cached_tokens');
  const cacheWrite5m = count(value.input_tokens_details, 'cache_write_tokens');
  const reasoning = count(value.output_tokens_details, 'reasoning_tokens');
  return {
    input: Math.max(0, count(value, 'input_tokens') - cacheRead - cacheWrite5m),
    cacheRead,
    cacheWrite5m,
    cacheWrite1h: 0,
    output: Math.max(0, count(value, 'output_tokens') - reasoning),
    reasoning,
    native,
  };
}

const REASONS: ReadonlyMap<string, StopReason> = new Map([
  ['failed', 'error'],
  ['cancelled', 'cut'],
  ['max_output_tokens', 'length'],
  ['max_messages', 'length'],
  ['steered', 'pause'],
  ['content_filter', 'filter'],
]);

/** Reads why a response ended: from its status, from the reason if it is incomplete, from its items if it is complete. */
function readStop({ status, incomplete_details: details }: JsonObject, items: readonly unknown[]): Stop {
  const given = status === 'incomplete' && isObject(details) ? details.reason : undefined;
  const native = [given, status].find((word) => typeof word === 'string');
  const isComplete = native === undefined || native === 'completed' || native === 'complete';
  return { reason: isComplete ? completed(items) : (REASONS.get(native) ?? 'unknown'), native };
}

function completed(items: readonly unknown[]): StopReason {
  const values = items.filter(isObject);
  if (values.some(({ type }) => type === 'function_call' || type === 'custom_tool_call')) return 'tool-use';
  const parts = values.flatMap(({ content }): unknown[] => (Array.isArray(content) ? content : []));
  return parts.some((part) => isObject(part) && part.type === 'refusal') ? 'refusal' : 'end';
}

/** Reads a model's turn, `[item,item,…]`, or one item that a client wrote. */
export function view(raw: string, origin: Origin): MessageView {
  const { items, isTurn } = readItems(raw);
  const role = isTurn ? 'assistant' : readRole(items[0]!.value as JsonObject);
  const content = items.flatMap((item, index) => readItem(item, role, () => viewId(raw, index)) ?? unknown(item));
  return { role, content, needs: findNeeds(raw, items, origin) };
}

function unknown({ text }: Item): ContentBlock {
  return { type: 'unknown', native: text };
}

function readRole(item: JsonObject): Role {
  if (isModelItem(item)) return 'assistant';
  const type = itemType(item);
  if (type !== 'message') return type?.endsWith('_output') ? 'tool' : 'other';
  if (item.role === 'system' || item.role === 'developer') return 'system';
  return item.role === 'user' ? 'user' : 'other';
}

/** The blocks of an item; undefined for the provider's own tools and other items without a kind of block. */
export function readItem(item: Item, role: Role, madeId: () => string): ContentBlock[] | undefined {
  const { value } = item;
  if (!isObject(value)) return undefined;
  const { name, call_id: id } = value;
  const type = itemType(value);
  switch (type) {
    case 'message':
      // A user's message inside a turn is not the model's.
      return role === 'assistant' && value.role !== role ? undefined : readItemContent(item, 'content');
    case 'reasoning':
      return [readReasoning(value)];
    case 'function_call':
    case 'custom_tool_call': {
      if (typeof name !== 'string') return undefined;
      const isCustom = type === 'custom_tool_call';
      const rawParameters = isCustom ? `{"input":${textAt(item.text, ['input']) ?? '""'}}` : readArguments(item, value);
      const call = { id: isText(id) ? id : madeId(), name };
      const parameters = parseObject(rawParameters) ?? {};
      return [{ type: 'tool-use', ...call, parameters, rawParameters, ...(isCustom && { form: 'custom' }) }];
    }
    case 'function_call_output':
    case 'custom_tool_call_output':
    case 'computer_call_output':
    case 'shell_call_output':
    case 'apply_patch_call_output':
    case 'local_shell_call_output': {
      if (role === 'assistant') return undefined;
      // The local shell may name its call in `id`.
      const named = id ?? (type === 'local_shell_call_output' ? value.id : undefined);
      const toolCallId = typeof named === 'string' ? named : `skn_fn_0_${name ?? 'tool'}`;
      const isError = type === 'apply_patch_call_output' && value.status === 'failed';
      return [{ type: 'tool-result', toolCallId, content: readItemContent(item, 'output'), isError }];
    }
    case 'image_generation_call': {
      const { result, output_format: format } = value;
      if (!isText(result)) return undefined;
      return [{ type: 'media', mediaType: `image/${format || 'png'}`, source: { kind: 'base64', data: result } }];
    }
    default:
      return undefined;
  }
}

function readItemContent({ text, value }: Item, name: 'content' | 'output'): ContentBlock[] {
  const content = textAt(text, [name]);
  return content === undefined ? [] : readContent({ text: content, value: (value as JsonObject)[name] });
}

function readArguments({ text }: Item, value: JsonObject): string {
  return typeof value.arguments === 'string' ? value.arguments : (textAt(text, ['arguments']) ?? '');
}

function readReasoning({ summary, content, encrypted_content: sealed }: JsonObject): ContentBlock {
  const parts = [summary, content].flatMap((list): unknown[] => (Array.isArray(list) ? list : []));
  const text = parts.flatMap((part) => (isObject(part) && typeof part.text === 'string' ? part.text : [])).join('\n\n');
  return { type: 'reasoning', text, redacted: text === '' && typeof sealed === 'string' };
}

/** Reads the content of a message or the output of a tool: a string, a list of parts, or one part. */
function readContent({ text, value }: Item): ContentBlock[] {
  if (typeof value === 'string') return [{ type: 'text', text: value }];
  if (Array.isArray(value)) return elementTexts(text).map((part, index) => readPart(part, value[index]));
  return value === null ? [] : [readPart(text, value)];
}

function readPart(native: string, part: unknown): ContentBlock {
  const unknown: ContentBlock = { type: 'unknown', native };
  if (!isObject(part)) return unknown;
  const { type, text, refusal, annotations } = part;
  if (type === 'refusal' && typeof refusal === 'string') return { type, text: refusal };
  if ((type !== 'output_text' && type !== 'input_text') || typeof text !== 'string') return readMedia(part) ?? unknown;
  if (!Array.isArray(annotations) || annotations.length === 0) return { type: 'text', text };
  const sources = elementTexts(textAt(native, ['annotations'])!);
  return { type: 'text', text, citations: sources.map((source, index) => readCitation(source, annotations[index])) };
}

/** Reads an `input_image`, `input_file`, `input_audio` or `computer_screenshot` part; undefined for others. */
function readMedia(part: JsonObject): MediaBlock | undefined {
  const { type, input_audio: audio, filename } = part;
  if (type === 'input_audio' && isObject(audio) && typeof audio.data === 'string' && typeof audio.format === 'string')
    return { type: 'media', mediaType: `audio/${audio.format}`, source: { kind: 'base64', data: audio.data } };
  const isImage = type === 'input_image' || type === 'computer_screenshot';
  const source = isImage || type === 'input_file' ? readSource(part) : undefined;
  if (!source) return undefined;
  const isPdf = source.kind === 'url' && /\.pdf(?:[?#]|$)/i.test(source.url);
  return inlineDataUrl({
    type: 'media',
    mediaType: isImage ? 'image/*' : isPdf ? 'application/pdf' : 'application/*',
    source,
    ...(typeof filename === 'string' && { name: filename }),
  });
}

/** Ignores empty members. */
function readSource({ image_url, file_data, file_url, file_id: id }: JsonObject): MediaSource | undefined {
  const url = image_url || file_data || file_url;
  if (typeof url === 'string') return { kind: 'url', url };
  return typeof id === 'string' ? { kind: 'file', id } : undefined;
}
