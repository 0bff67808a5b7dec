import { isObject, type JsonObject } from '../../json/index.ts';
import type { ContentBlock, MediaBlock } from '../../message/index.ts';
import { inlined } from '../write/media.ts';
import { isText } from './native-message.ts';

/** What a content part shows; undefined for one of unknown kind. */
export function partBlock(part: unknown): ContentBlock | undefined {
  if (typeof part === 'string') return { type: 'text', text: part };
  if (!isObject(part)) return undefined;
  const { type, text, refusal, thinking } = part;
  if (type === 'text' && typeof text === 'string') return { type, text };
  if (type === 'refusal' && typeof refusal === 'string') return { type, text: refusal };
  if (type === 'thinking') return { type: 'reasoning', text: thinkingText(thinking), redacted: false };
  return mediaBlock(part);
}

/** Mistral's thoughts: a string, or parts of their own. */
function thinkingText(thinking: unknown): string {
  const parts: unknown[] = Array.isArray(thinking) ? thinking : [{ text: thinking }];
  return parts.map((part) => (isObject(part) && typeof part.text === 'string' ? part.text : '')).join('');
}

/** Parts that give an address, as `{"url":…}` or, as some compatible providers write it, by itself. */
const LINKED: ReadonlyMap<unknown, string> = new Map([
  ['image_url', 'image/*'],
  ['video_url', 'video/*'],
  ['document_url', 'application/*'],
]);

function mediaBlock(part: JsonObject): MediaBlock | undefined {
  const { type, input_audio: audio, file } = part;
  const kind = LINKED.get(type);
  if (kind !== undefined) {
    const link = part[String(type)];
    return linked(isObject(link) ? link.url : link, kind, part.document_name);
  }
  if (type === 'input_audio' && isObject(audio) && typeof audio.data === 'string') {
    const format = audio.format === 'mp3' ? 'mpeg' : isText(audio.format) ? audio.format : '*';
    return { type: 'media', mediaType: `audio/${format}`, source: { kind: 'base64', data: audio.data } };
  }
  if (type !== 'file' || !isObject(file)) return undefined;
  const { file_data: data, file_id: id, filename } = file;
  if (typeof id !== 'string' || data) return linked(data, 'application/*', filename);
  return named({ type: 'media', mediaType: 'application/*', source: { kind: 'file', id } }, filename);
}

function linked(url: unknown, mediaType: string, name: unknown): MediaBlock | undefined {
  if (typeof url !== 'string') return undefined;
  return named(inlined({ type: 'media', mediaType, source: { kind: 'url', url } }), name);
}

function named(block: MediaBlock, name: unknown): MediaBlock {
  return isText(name) ? { ...block, name } : block;
}
