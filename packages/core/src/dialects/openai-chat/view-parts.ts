import { isObject, isText, type JsonObject } from '../../json/index.ts';
import type { ContentBlock, MediaBlock, MediaSource } from '../../message/index.ts';
import { inlined } from '../write/index.ts';

/** What a content part shows, which stands under the name of its type; undefined for one of unknown kind. */
export function partBlock(part: unknown): ContentBlock | undefined {
  if (typeof part === 'string') return { type: 'text', text: part };
  if (!isObject(part)) return undefined;
  const { type } = part;
  const given = part[String(type)];
  if ((type === 'text' || type === 'refusal') && typeof given === 'string') return { type, text: given };
  if (type === 'thinking') return { type: 'reasoning', text: thinkingText(given), redacted: false };
  return mediaBlock(part, given);
}

/** Mistral's thoughts: a string, or parts of their own. */
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

/** `given` is an object, or only the address as some compatible providers write it. */
function mediaBlock({ type, document_name: title }: JsonObject, given: unknown): MediaBlock | undefined {
  const kind = KINDS.get(type);
  const media = isObject(given) ? given : { url: given };
  const source = sourceOf(media);
  if (!kind || !source) return undefined;
  const format = kind === 'audio/' ? (media.format === 'mp3' ? 'mpeg' : (media.format ?? '*')) : '';
  const name = media.filename ?? title;
  return inlined({ type: 'media', mediaType: `${kind}${format}`, source, ...(isText(name) && { name }) });
}

/** What is empty is not meant. */
function sourceOf({ data, url, file_data, file_id: id }: JsonObject): MediaSource | undefined {
  if (typeof data === 'string') return { kind: 'base64', data };
  const address = url || file_data;
  if (typeof address === 'string') return { kind: 'url', url: address };
  return typeof id === 'string' ? { kind: 'file', id } : undefined;
}
