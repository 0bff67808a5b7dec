import { find, isObject, isText, type JsonObject, mapElements, parseJson, splice, textAt } from '../../json/index.ts';
import type { Citation, ContentBlock, MediaSource, MessageView, Need, Origin, Role } from '../../message/index.ts';
import type { RawReply } from '../dialect.ts';
import { count, ProtocolError, type Stop, type StopReason, type Usage } from '../reply.ts';
import { viewId } from '../write/drafts.ts';
import { DIALECT } from './provider.ts';
import {
  failsSilently,
  findReasoning,
  hasBadInput,
  isBlankText,
  isCachePoint,
  isIncomplete,
  isServerTool,
  isToolResult,
  saysNothing,
} from './rules.ts';

/** Reads a response: `output.message` is the message, the rest is the envelope. It names neither its id nor its model. */
export function readReply(body: string): RawReply {
  const value = parseJson(body);
  const message = isObject(value) && isObject(value.output) && isObject(value.output.message) && find(body, MESSAGE);
  if (!message) throw new ProtocolError(DIALECT, 'the response has no "output.message"', body);
  return {
    choices: [{ raw: body.slice(message.start, message.end), stop: readStop(value.stopReason) }],
    usage: readUsage(value.usage, textAt(body, ['usage'])),
    envelope: splice(body, [{ ...message, text: 'null' }]),
    model: undefined,
  };
}

const MESSAGE = ['output', 'message'];

/** `inputTokens` does not include tokens that were read from or written to the cache. */
export function readUsage(value: unknown, native: string | undefined): Usage | undefined {
  if (!isObject(value) || native === undefined) return undefined;
  const details = Array.isArray(value.cacheDetails) ? value.cacheDetails : [];
  const written = count(value, 'cacheWriteInputTokens');
  const longer = details.filter((detail) => isObject(detail) && detail.ttl === '1h');
  const cacheWrite1h = Math.min(
    written,
    longer.reduce((sum, detail) => sum + count(detail, 'inputTokens'), 0),
  );
  return {
    input: count(value, 'inputTokens'),
    cacheRead: count(value, 'cacheReadInputTokens'),
    cacheWrite5m: written - cacheWrite1h,
    cacheWrite1h,
    output: count(value, 'outputTokens'),
    // It is part of the output, and not told apart.
    reasoning: 0,
    native,
  };
}

const REASONS: Readonly<Record<string, StopReason>> = {
  end_turn: 'end',
  tool_use: 'tool-use',
  max_tokens: 'length',
  model_context_window_exceeded: 'length',
  stop_sequence: 'stop-sequence',
  guardrail_intervened: 'filter',
  content_filtered: 'filter',
  malformed_model_output: 'error',
  malformed_tool_use: 'error',
};

export function readStop(native: unknown): Stop {
  if (typeof native !== 'string') return { reason: 'unknown', native: undefined };
  return { reason: Object.hasOwn(REASONS, native) ? REASONS[native]! : 'unknown', native };
}

/** Reads `{"role":…,"content":[…]}`. A user message that consists of tool results is a tool message. */
export function view(raw: string, origin: Origin): MessageView {
  const value = parseJson(raw);
  if (!isObject(value)) throw new ProtocolError(DIALECT, 'the message is not a JSON object', raw);
  const content = Array.isArray(value.content) ? value.content : [];
  return {
    role: readRole(value.role, content),
    content: readBlocks(raw, value, raw),
    needs: findNeeds(content, value.role === 'user', origin.cut === true),
  };
}

function readRole(role: unknown, content: readonly unknown[]): Role {
  const said = content.filter((block) => !isCachePoint(block));
  if (role === 'user') return said.length > 0 && said.every(isToolResult) ? 'tool' : 'user';
  return role === 'assistant' || role === 'system' ? role : 'other';
}

function findNeeds(content: readonly unknown[], isUser: boolean, cut: boolean): Need[] {
  const incomplete = content.filter((block) => isIncomplete(block, content, cut));
  const firstOther = content.findIndex((block) => !isToolResult(block));
  const inner = content.flatMap((block) =>
    isToolResult(block) && Array.isArray(block.toolResult.content) ? block.toolResult.content : [],
  );
  const needs: [Need, boolean][] = [
    ['empty', saysNothing(content) || [...content, ...inner].some(isBlankText) || content.some(failsSilently)],
    ['arguments', content.some((block) => hasBadInput(block) && !incomplete.includes(block))],
    ['cut', incomplete.length > 0],
    ['cache', content.some(isCachePoint)],
    ['bound', content.some((block) => findReasoning(block) && !incomplete.includes(block))],
    ['mixed', isUser && firstOther >= 0 && content.findLastIndex(isToolResult) > firstOther],
  ];
  return needs.filter(([, is]) => is).map(([need]) => need);
}

/** The blocks of a content. Cache points are marks, not content. */
function readBlocks(text: string, value: JsonObject, raw: string): ContentBlock[] {
  return mapElements(text, value, 'content', (block, native, index) => {
    if (isCachePoint(block)) return [];
    return [(isObject(block) && readBlock(block, native, index, raw)) || ({ type: 'unknown', native } as const)];
  }).flat();
}

/** A block has one member, which names its kind. */
function readBlock(value: JsonObject, native: string, index: number, raw: string): ContentBlock | undefined {
  const { text, toolUse, toolResult, citationsContent, guardContent, json } = value;
  if (typeof text === 'string') return { type: 'text', text };
  if (json !== undefined) return { type: 'text', text: textAt(native, ['json'])! };
  if (isObject(toolUse) && typeof toolUse.name === 'string' && !isServerTool(value)) {
    const { toolUseId: id, name, input } = toolUse;
    return {
      type: 'tool-use',
      id: isText(id) ? id : viewId(raw, index),
      name,
      parameters: isObject(input) ? input : {},
      // A string holds arguments that never became an object, exactly as the model wrote them.
      rawParameters: typeof input === 'string' ? input : (textAt(native, ['toolUse', 'input']) ?? ''),
    };
  }
  if (isObject(toolResult) && !isServerTool(value))
    return {
      type: 'tool-result',
      toolCallId: typeof toolResult.toolUseId === 'string' ? toolResult.toolUseId : `skn_fn_${index}_`,
      content: readBlocks(textAt(native, ['toolResult'])!, toolResult, raw),
      isError: toolResult.status === 'error',
    };
  if (isObject(guardContent) && isObject(guardContent.text) && typeof guardContent.text.text === 'string')
    return { type: 'text', text: guardContent.text.text };
  if (isObject(citationsContent)) return readCited(citationsContent, textAt(native, ['citationsContent'])!);
  const thought = findReasoning(value);
  if (!thought) return readMedia(value);
  const { reasoningText } = thought;
  const said = isObject(reasoningText) ? reasoningText.text : undefined;
  return { type: 'reasoning', text: typeof said === 'string' ? said : '', redacted: 'redactedContent' in thought };
}

/** Text with its sources. */
function readCited(value: JsonObject, native: string): ContentBlock {
  const texts = Array.isArray(value.content) ? value.content.filter(isObject).map((part) => part.text) : [];
  const citations = mapElements(native, value, 'citations', readCitation);
  const text = texts.filter((part) => typeof part === 'string').join('');
  return { type: 'text', text, ...(citations.length > 0 && { citations }) };
}

function readCitation(value: unknown, native: string): Citation {
  if (!isObject(value)) return { native };
  const web = isObject(value.location) && isObject(value.location.web) ? value.location.web : {};
  const [quoted] = Array.isArray(value.sourceContent) ? value.sourceContent.filter(isObject) : [];
  return {
    ...(isText(web.url) && { url: web.url }),
    ...(isText(value.title) && { title: value.title }),
    ...(isText(quoted?.text) && { quote: quoted.text }),
    native,
  };
}

/** The media types of formats whose name is not that of the type. */
const DOCUMENT_TYPES: Readonly<Record<string, string>> = {
  pdf: 'application/pdf',
  csv: 'text/csv',
  doc: 'application/msword',
  docx: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  xls: 'application/vnd.ms-excel',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  html: 'text/html',
  txt: 'text/plain',
  md: 'text/markdown',
};

/** The format of a media type, by the kind of block that holds it. */
export function mediaFormat(mediaType: string): { readonly kind: string; readonly format: string } | undefined {
  const format = Object.keys(DOCUMENT_TYPES).find((name) => DOCUMENT_TYPES[name] === mediaType);
  if (format) return { kind: 'document', format };
  const [kind = '', name = ''] = mediaType.split('/');
  if (name === '' || name === '*' || !MEDIA.includes(kind)) return undefined;
  return { kind, format: name === '3gpp' ? 'three_gp' : name === 'quicktime' ? 'mov' : name };
}

const MEDIA = ['image', 'video', 'audio'];

function readMedia(value: JsonObject): ContentBlock | undefined {
  const kind = ['document', ...MEDIA].find((name) => isObject(value[name]));
  const media = kind === undefined ? undefined : (value[kind] as JsonObject);
  const source = media && readSource(media.source);
  if (!kind || !source || typeof media.format !== 'string') return undefined;
  const mediaType = kind === 'document' ? (DOCUMENT_TYPES[media.format] ?? 'application/*') : `${kind}/${media.format}`;
  return { type: 'media', mediaType, source, ...(typeof media.name === 'string' && { name: media.name }) };
}

/** Bytes, or a place in Amazon S3; documents that are text or blocks are not media. */
function readSource(source: unknown): MediaSource | undefined {
  if (!isObject(source)) return undefined;
  if (typeof source.bytes === 'string') return { kind: 'base64', data: source.bytes };
  const { s3Location: place } = source;
  return isObject(place) && typeof place.uri === 'string' ? { kind: 'url', url: place.uri } : undefined;
}
