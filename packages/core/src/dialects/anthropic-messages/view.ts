import { isObject, isText, type JsonObject, mapElements, parseJson, textAt } from '../../json/index.ts';
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
import { ProtocolError } from '../reply.ts';
import { viewId } from '../write/drafts.ts';
import { DIALECT } from './provider.ts';
import {
  anyBlock,
  hasBadInput,
  isEmptyText,
  isIncomplete,
  isThinking,
  isToolResult,
  isVisible,
  saysNothing,
} from './rules.ts';

/** Reads `{"role":…,"content":…}`. A user message that consists of tool results is a tool message. */
export function view(raw: string, origin: Origin): MessageView {
  const value = parseJson(raw);
  if (!isObject(value)) throw new ProtocolError(DIALECT, 'the message is not a JSON object', raw);
  const { content } = value;
  if (!Array.isArray(content)) {
    const blocks: ContentBlock[] = typeof content === 'string' ? [{ type: 'text', text: content }] : [];
    return { role: readRole(value.role, []), content: blocks, needs: isVisible(content) ? [] : ['empty'] };
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
