import {
  type Edit,
  find,
  isObject,
  isText,
  type JsonObject,
  mapElements,
  type Path,
  parseJson,
  splice,
  textAt,
} from '../../json/index.ts';
import {
  type ContentBlock,
  type MediaBlock,
  type MediaSource,
  type MessageView,
  type Need,
  type Origin,
  type Role,
  readCitation,
} from '../../message/index.ts';
import type { RawReply } from '../dialect.ts';
import { count, ProtocolError, type Stop, type StopReason, type Usage } from '../reply.ts';
import { errorMessage } from '../stream.ts';
import { inlineDataUrl } from '../write/translate.ts';
import { DIALECT } from './provider.ts';
import { callProblem, EMPTY_MESSAGE, nativeCalls, saysNothing } from './rules.ts';

export function readReply(body: string): RawReply {
  const value = parseJson(body);
  if (!isObject(value) || !Array.isArray(value.choices) || value.choices.length === 0) {
    const { error, choices } = isObject(value) ? value : {};
    const problem = choices ? '"choices" is empty' : 'the body has no "choices"';
    throw new ProtocolError(DIALECT, error ? errorMessage(error) : problem, body);
  }
  const edits: Edit[] = [];
  const choices = value.choices.map((choice: unknown, index) => {
    const { message, finish_reason: word } = isObject(choice) ? choice : {};
    const range = isObject(message) ? find(body, ['choices', index, 'message']) : undefined;
    if (range) edits.push({ start: range.start, end: range.end, text: 'null' });
    const raw = range ? body.slice(range.start, range.end) : EMPTY_MESSAGE;
    return { raw, stop: readStop(word, raw, range && message) };
  });
  return toReply(value, choices, splice(body, edits));
}

export function toReply({ model, provider }: JsonObject, choices: RawReply['choices'], envelope: string): RawReply {
  // OpenRouter names the upstream in `provider`.
  return { choices, usage: readUsage(envelope), envelope, model, upstream: provider };
}

/** Where usage stands: Groq puts that of a stream under `x_groq`, Moonshot into the choice. */
const PLACES: readonly Path[] = [['usage'], ['x_groq', 'usage'], ['choices', 0, 'usage']];

/** Reads the usage in an envelope. */
export function readUsage(envelope: string): Usage | undefined {
  let native: string | undefined;
  for (const path of PLACES) if (!native?.startsWith('{')) native = textAt(envelope, path);
  if (!native?.startsWith('{')) return undefined;
  const usage = parseJson(native) as JsonObject;
  const { prompt_tokens_details: given, completion_tokens_details: spent } = usage;
  const prompt = count(usage.prompt_tokens);
  const completion = count(usage.completion_tokens);
  // Names of DeepSeek, Moonshot and Mistral; OpenAI's is in the details.
  const cached = [usage.prompt_cache_hit_tokens, usage.cached_tokens, usage.num_cached_tokens].map((one) => count(one));
  const cacheRead = Math.min(prompt, Math.max(count(given, 'cached_tokens'), ...cached));
  const cacheWrite5m = Math.min(prompt - cacheRead, count(given, 'cache_write_tokens'));
  const thought = count(spent, 'reasoning_tokens');
  // xAI counts reasoning beside the completion, everyone else inside it; the total tells which.
  const isBeside = thought > 0 && count(usage.total_tokens) === prompt + completion + thought;
  const reasoning = isBeside ? thought : Math.min(completion, thought);
  return {
    input: prompt - cacheRead - cacheWrite5m,
    cacheRead,
    cacheWrite5m,
    cacheWrite1h: 0,
    output: isBeside ? completion : completion - reasoning,
    reasoning,
    native,
  };
}

/** OpenAI's words, and those of compatible providers. */
const REASONS: readonly (readonly [StopReason, ...words: string[]])[] = [
  ['end', 'stop', 'eos_token'],
  ['tool-use', 'tool_calls', 'function_call'],
  ['length', 'length', 'max_tokens', 'model_length'],
  ['stop-sequence', 'stop_sequence'],
  ['filter', 'content_filter'],
  ['refusal', 'refusal'],
  ['error', 'error'],
];

/**
 * Reads why a complete message ended. `stop` also comes with forced calls and with refusals, and some compatible
 * providers give no reason at all, so the message itself is read, too; `parsed`, if the caller has parsed it.
 */
export function readStop(word: unknown, raw: string, parsed?: unknown): Stop {
  const native = typeof word === 'string' ? word : undefined;
  const reason = native ? (REASONS.find(([, ...words]) => words.includes(native))?.[0] ?? 'unknown') : 'end';
  const message = reason === 'end' ? (parsed ?? parseJson(raw)) : undefined;
  if (!isObject(message)) return { reason, native };
  if (Array.isArray(message.tool_calls) && message.tool_calls.length > 0) return { reason: 'tool-use', native };
  return { reason: isText(message.refusal) ? 'refusal' : 'end', native };
}

const ROLES: ReadonlyMap<unknown, Role> = new Map([
  ['system', 'system'],
  ['developer', 'system'],
  ['user', 'user'],
  ['assistant', 'assistant'],
  ['tool', 'tool'],
  ['function', 'tool'],
]);

/** Reads a Chat Completions message: reasoning, then content, refusal and calls. */
export function view(raw: string, origin: Origin): MessageView {
  const message = parseJson(raw);
  if (!isObject(message)) throw new ProtocolError(DIALECT, 'a message is an object', raw);
  const role = ROLES.get(message.role) ?? 'other';
  const said = contentBlocks(raw, message);
  const needs: Need[] = raw.includes('"cache_control"') ? ['cache'] : [];
  if (role === 'tool') {
    const { tool_call_id: id, name } = message;
    const toolCallId = isText(id) ? id : `skn_fn_0_${isText(name) ? name : ''}`;
    return { role, content: [{ type: 'tool-result', toolCallId, content: said, isError: false }], needs };
  }
  const calls = nativeCalls(raw, message);
  const content: ContentBlock[] = [
    ...reasoningBlocks(raw, message),
    ...said,
    ...mapElements(raw, message, 'images', readPart),
    ...audioBlocks(message),
    ...(isText(message.refusal) ? [{ type: 'refusal', text: message.refusal } as const] : []),
    ...calls.map((call) => call.block),
  ];
  // An empty string beside other content is not a block; alone it is the empty answer.
  if (content.length === 0 && message.content === '') content.push({ type: 'text', text: '' });
  const problems = calls.map((call, index) => callProblem(call, index === calls.length - 1, origin.cut === true));
  if (problems.includes('arguments')) needs.push('arguments');
  if (problems.includes('cut')) needs.push('cut');
  if (hasOpaqueReasoning(message)) needs.push('bound');
  const hasNoCalls = Array.isArray(message.tool_calls) && message.tool_calls.length === 0;
  if (hasNoCalls || saysNothing(role, content)) needs.push('empty');
  return { role, content, needs };
}

function readPart(value: unknown, native: string): ContentBlock {
  return partBlock(value) ?? { type: 'unknown', native };
}

/** The blocks of `content`. `annotations` belong to the whole text; the URL of a citation is one level down. */
function contentBlocks(raw: string, message: JsonObject): ContentBlock[] {
  const { content } = message;
  const isOne = isText(content) || isObject(content);
  const blocks = isOne
    ? [readPart(content, textAt(raw, ['content'])!)]
    : mapElements(raw, message, 'content', readPart);
  const citations = mapElements(raw, message, 'annotations', (value, text) =>
    readCitation(text, isObject(value) && isObject(value.url_citation) ? value.url_citation : value),
  );
  const cited = citations.length > 0 ? blocks.find((block) => block.type === 'text') : undefined;
  return blocks.map((block) => (block === cited ? { ...cited, citations } : block));
}

/** The blocks of a spoken answer: the audio, or the id under which the provider stores it, and the transcript. */
function audioBlocks({ audio }: JsonObject): ContentBlock[] {
  if (!isObject(audio) || !isText(audio.id)) return [];
  const sound: ContentBlock = isText(audio.data)
    ? { type: 'media', mediaType: soundType(audio.data), source: { kind: 'base64', data: joined(audio.data) } }
    : { type: 'media', mediaType: 'audio/*', source: { kind: 'file', id: audio.id } };
  return isText(audio.transcript) ? [sound, { type: 'text', text: audio.transcript }] : [sound];
}

/** The first characters of audio formats in base64. Only the request names the format; `pcm16` has no header. */
const SOUNDS: readonly (readonly [RegExp, string])[] = [
  [/^UklGR/, 'wav'],
  [/^SUQz|^\/\/[I-Po-v]/, 'mpeg'],
  [/^\/\/[A-Hg-n]/, 'aac'],
  [/^T2dnU/, 'ogg'],
  [/^ZkxhQ/, 'flac'],
];

function soundType(data: string): string {
  return `audio/${SOUNDS.find(([head]) => head.test(data))?.[1] ?? 'pcm'}`;
}

/** Joins the base64 pieces of a stream, each of which may be padded. */
function joined(data: string): string {
  if (!/=[^=]/.test(data)) return data;
  try {
    return btoa(data.replace(/[^=]+=*/g, (piece) => atob(piece)));
  } catch {
    return data;
  }
}

/** Reads a content part, whose value is the member named after its type; undefined if the type is unknown. */
export function partBlock(part: unknown): ContentBlock | undefined {
  if (typeof part === 'string') return { type: 'text', text: part };
  if (!isObject(part)) return undefined;
  const { type } = part;
  const given = part[String(type)];
  if ((type === 'text' || type === 'refusal') && typeof given === 'string') return { type, text: given };
  if (type === 'thinking') return { type: 'reasoning', text: thinkingText(given), redacted: false };
  return mediaBlock(part, given);
}

/** Mistral's reasoning: a string, or a list of parts. */
function thinkingText(thinking: unknown): string {
  const parts: unknown[] = Array.isArray(thinking) ? thinking : [{ text: thinking }];
  return parts.map((part) => (isObject(part) && typeof part.text === 'string' ? part.text : '')).join('');
}

const KINDS: ReadonlyMap<unknown, string> = new Map([
  ['image_url', 'image/*'],
  ['video_url', 'video/*'],
  ['document_url', 'application/*'],
  ['file', 'application/*'],
  ['input_audio', 'audio/'],
]);

/** Reads media. `given` is an object, or only the URL, as some compatible providers write it. */
function mediaBlock({ type, document_name: title }: JsonObject, given: unknown): MediaBlock | undefined {
  const kind = KINDS.get(type);
  const media = isObject(given) ? given : { url: given };
  const source = readSource(media);
  if (!kind || !source) return undefined;
  const format = kind === 'audio/' ? (media.format === 'mp3' ? 'mpeg' : (media.format ?? '*')) : '';
  const name = media.filename ?? title;
  return inlineDataUrl({ type: 'media', mediaType: `${kind}${format}`, source, ...(isText(name) && { name }) });
}

/** Ignores empty members. */
function readSource({ data, url, file_data, file_id: id }: JsonObject): MediaSource | undefined {
  if (typeof data === 'string') return { kind: 'base64', data };
  const address = url || file_data;
  if (typeof address === 'string') return { kind: 'url', url: address };
  return typeof id === 'string' ? { kind: 'file', id } : undefined;
}

/**
 * The reasoning of a message, without repetitions: compatible providers send it as `reasoning_content` or `reasoning`,
 * and OpenRouter sends the same text again in pieces, as `reasoning_details`.
 */
function reasoningBlocks(raw: string, message: JsonObject): ContentBlock[] {
  const texts = new Set([message.reasoning_content, message.reasoning].filter(isText));
  const details = mapElements(raw, message, 'reasoning_details', (detail, native): ContentBlock => {
    return detailBlock(detail) ?? { type: 'unknown', native };
  });
  return [
    ...[...texts].map((text): ContentBlock => ({ type: 'reasoning', text, redacted: false })),
    ...details.filter((block) => texts.size === 0 || block.type !== 'reasoning' || block.redacted),
  ];
}

export function detailBlock(detail: unknown): ContentBlock | undefined {
  const { type, text, summary } = isObject(detail) ? detail : {};
  if (!/^reasoning\.(?:text|summary|encrypted)$/.test(String(type))) return undefined;
  const said = text ?? summary;
  return { type: 'reasoning', text: isText(said) ? said : '', redacted: type === 'reasoning.encrypted' };
}

/** Whether the reasoning has a signature or ciphertext. */
function hasOpaqueReasoning({ reasoning_details: details }: JsonObject): boolean {
  return (
    Array.isArray(details) &&
    details.some((detail: unknown) => isObject(detail) && (isText(detail.signature) || isText(detail.data)))
  );
}
