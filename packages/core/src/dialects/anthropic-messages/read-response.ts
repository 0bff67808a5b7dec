import { find, isObject, isText, type JsonObject, mapElements, parseJson, splice, textAt } from '../../json/index.ts';
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
import { viewId } from '../write/drafts.ts';
import { DIALECT } from './provider.ts';
import {
  anyBlock,
  hasBadInput,
  isEmptyText,
  isIncomplete,
  isSignedSummary,
  isThinking,
  isToolResult,
  isVisible,
  saysNothing,
  setsOutput,
} from './rules.ts';

/** Reads a response: its `content` becomes the message, the rest is the envelope. */
export function readReply(body: string): RawReply {
  const value = parseJson(body);
  if (!isObject(value)) throw new ProtocolError(DIALECT, 'the response is not a JSON object', body);
  if (value.type === 'error') throw new ProtocolError(DIALECT, 'it is an error response', body);
  const content = find(body, ['content']);
  if (!content || (!Array.isArray(value.content) && typeof value.content !== 'string' && value.content !== null))
    throw new ProtocolError(DIALECT, 'the response has no "content"', body);
  const text = value.content === null ? '[]' : body.slice(content.start, content.end);
  const envelope = splice(body, [{ ...content, text: 'null' }]);
  return toReply(envelope, value, text, readStop(value.stop_reason, value.content));
}

/** Builds the reply from an envelope, its parsed value and the text of the content. */
export function toReply(envelope: string, { usage, model }: JsonObject, content: string, stop: Stop): RawReply {
  return {
    choices: [{ raw: `{"role":${textAt(envelope, ['role']) ?? '"assistant"'},"content":${content}}`, stop }],
    usage: readUsage(usage, textAt(envelope, ['usage'])),
    envelope,
    model,
  };
}

/**
 * `input_tokens` does not include tokens that were read from or written to the cache. The top level does not include
 * compaction by the same model, either (recorded), so it is added. The tokens of an advisor model stay in `native`,
 * because they have other prices.
 */
function readUsage(value: unknown, native: string | undefined): Usage | undefined {
  if (!isObject(value) || native === undefined) return undefined;
  const iterations = Array.isArray(value.iterations) ? value.iterations : [];
  const all = [value, ...iterations.filter((item) => isObject(item) && item.type === 'compaction')].map(readBuckets);
  const sum = (name: keyof Buckets): number => all.reduce((total, each) => total + each[name], 0);
  return {
    input: sum('input'),
    cacheRead: sum('cacheRead'),
    cacheWrite5m: sum('cacheWrite5m'),
    cacheWrite1h: sum('cacheWrite1h'),
    output: sum('output'),
    reasoning: sum('reasoning'),
    native,
  };
}

type Buckets = Omit<Usage, 'native'>;

function readBuckets(value: JsonObject): Buckets {
  const { cache_creation: created, output_tokens_details: details } = value;
  const cacheWrite1h = count(created, 'ephemeral_1h_input_tokens');
  // The end of a stream repeats the total, but not its parts.
  const written = Math.max(
    count(value, 'cache_creation_input_tokens'),
    cacheWrite1h + count(created, 'ephemeral_5m_input_tokens'),
  );
  const output = count(value, 'output_tokens');
  const reasoning = Math.min(count(details, 'thinking_tokens'), output);
  return {
    input: count(value, 'input_tokens'),
    cacheRead: count(value, 'cache_read_input_tokens'),
    cacheWrite5m: written - cacheWrite1h,
    cacheWrite1h,
    output: output - reasoning,
    reasoning,
  };
}

const REASONS: Readonly<Record<string, StopReason>> = {
  end_turn: 'end',
  tool_use: 'tool-use',
  max_tokens: 'length',
  model_context_window_exceeded: 'length',
  stop_sequence: 'stop-sequence',
  refusal: 'refusal',
  pause_turn: 'pause',
  // The reply holds only a compaction block; the conversation continues behind it.
  compaction: 'pause',
};

export function readStop(native: unknown, content: unknown): Stop {
  if (typeof native !== 'string') return { reason: 'unknown', native: undefined };
  // A summary that was asked for is the whole answer.
  if (native === 'compaction' && Array.isArray(content) && content.some(isSignedSummary))
    return { reason: 'end', native };
  return { reason: Object.hasOwn(REASONS, native) ? REASONS[native]! : 'unknown', native };
}

/** Reads `{"role":…,"content":…}`. A user message that consists of tool results is a tool message. */
export function view(raw: string, origin: Origin): MessageView {
  const value = parseJson(raw);
  if (!isObject(value)) throw new ProtocolError(DIALECT, 'the message is not a JSON object', raw);
  const { content } = value;
  if (!Array.isArray(content)) {
    const blocks: ContentBlock[] = typeof content === 'string' ? [{ type: 'text', text: content }] : [];
    const needs: Need[] = isVisible(content) || setsOutput(value) ? [] : ['empty'];
    return { role: readRole(value.role, []), content: blocks, needs };
  }
  return {
    role: readRole(value.role, content),
    content: readBlocks(raw, value, raw),
    needs: findNeeds(content, value.role === 'user', origin.cut === true),
  };
}

function readRole(role: unknown, content: readonly unknown[]): Role {
  if (role === 'user') return content.length > 0 && content.every(isToolResult) ? 'tool' : 'user';
  return role === 'assistant' || role === 'system' ? role : 'other';
}

function findNeeds(content: readonly unknown[], isUser: boolean, cut: boolean): Need[] {
  const incomplete = content.filter((block) => isIncomplete(block, content, cut));
  const firstOther = content.findIndex((block) => !isToolResult(block));
  const needs: [Need, boolean][] = [
    ['empty', saysNothing(content) || anyBlock(content, isEmptyText)],
    ['arguments', content.some((block) => hasBadInput(block) && !incomplete.includes(block))],
    ['cut', incomplete.length > 0],
    ['cache', anyBlock(content, (block) => 'cache_control' in block)],
    ['bound', content.some((block) => isThinking(block) && !incomplete.includes(block))],
    ['mixed', isUser && firstOther >= 0 && content.findLastIndex(isToolResult) > firstOther],
  ];
  return needs.filter(([, is]) => is).map(([need]) => need);
}

/** The blocks in the `content` of a value. `raw` is the whole message. */
function readBlocks(text: string, value: JsonObject, raw: string): ContentBlock[] {
  return mapElements(text, value, 'content', (block, native, index) => {
    return (isObject(block) && readBlock(block, native, index, raw)) || { type: 'unknown', native };
  });
}

function readBlock(value: JsonObject, native: string, index: number, raw: string): ContentBlock | undefined {
  const { type, text, thinking, id, name, input, content } = value;
  switch (type) {
    case 'text': {
      const citations = mapElements(native, value, 'citations', (citation, source) => readCitation(source, citation));
      return typeof text === 'string' ? { type, text, ...(citations.length > 0 && { citations }) } : undefined;
    }
    case 'thinking':
      return { type: 'reasoning', text: typeof thinking === 'string' ? thinking : '', redacted: false };
    case 'redacted_thinking':
      return { type: 'reasoning', text: '', redacted: true };
    case 'tool_use':
      if (typeof name !== 'string') return undefined;
      return {
        type: 'tool-use',
        id: isText(id) ? id : viewId(raw, index),
        name,
        parameters: isObject(input) ? input : {},
        // A string holds arguments that never became an object, exactly as the model wrote them.
        rawParameters: typeof input === 'string' ? input : (textAt(native, ['input']) ?? ''),
      };
    case 'tool_result':
      return {
        type: 'tool-result',
        toolCallId: typeof value.tool_use_id === 'string' ? value.tool_use_id : `skn_fn_${index}_`,
        content: typeof content === 'string' ? [{ type: 'text', text: content }] : readBlocks(native, value, raw),
        isError: value.is_error === true,
      };
    default:
      return readMedia(value);
  }
}

/** Reads an image or document; undefined for other sources, such as documents made of blocks. */
function readMedia(value: JsonObject): MediaBlock | undefined {
  if (value.type !== 'image' && value.type !== 'document') return undefined;
  const found = isObject(value.source) ? readSource(value.source, value.type) : undefined;
  if (!found) return undefined;
  const name = typeof value.title === 'string' ? { name: value.title } : {};
  return { type: 'media', ...found, ...name };
}

function readSource(
  source: JsonObject,
  kind: 'image' | 'document',
): { mediaType: string; source: MediaSource } | undefined {
  const { type, media_type: mediaType, data, url, file_id: id } = source;
  if (type === 'base64' && typeof data === 'string' && typeof mediaType === 'string')
    return { mediaType, source: { kind: 'base64', data } };
  if (type === 'text' && typeof data === 'string')
    return { mediaType: 'text/plain', source: { kind: 'base64', data: toBase64(data) } };
  // Of documents, only PDF can be given by URL.
  if (type === 'url' && typeof url === 'string')
    return { mediaType: kind === 'image' ? 'image/*' : 'application/pdf', source: { kind: 'url', url } };
  if (type === 'file' && typeof id === 'string')
    return { mediaType: kind === 'image' ? 'image/*' : 'application/*', source: { kind: 'file', id } };
  return undefined;
}

/** Encodes text as base64: text documents carry plain text, media blocks carry bytes. */
function toBase64(text: string): string {
  let binary = '';
  for (const byte of new TextEncoder().encode(text)) binary += String.fromCharCode(byte);
  return btoa(binary);
}

/** Decodes base64 of UTF-8 text; undefined for anything else. */
export function fromBase64(data: string): string | undefined {
  try {
    const bytes = Uint8Array.from(atob(data), (char) => char.charCodeAt(0));
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
