import { isObject, type JsonObject } from '../../json/index.ts';
import type { MediaBlock, MediaSource } from '../../message/index.ts';
import { toBase64 } from './base64.ts';

/** An image or document; undefined for sources that are not bytes, such as documents made of blocks. */
export function mediaOf(value: JsonObject): MediaBlock | undefined {
  if (value.type !== 'image' && value.type !== 'document') return undefined;
  const found = isObject(value.source) ? sourceOf(value.source, value.type) : undefined;
  if (!found) return undefined;
  const name = typeof value.title === 'string' ? { name: value.title } : {};
  return { type: 'media', ...found, ...name };
}

function sourceOf(
  source: JsonObject,
  kind: 'image' | 'document',
): { mediaType: string; source: MediaSource } | undefined {
  const { type, media_type: mediaType, data, url, file_id: id } = source;
  if (type === 'base64' && typeof data === 'string' && typeof mediaType === 'string')
    return { mediaType, source: { kind: 'base64', data } };
  if (type === 'text' && typeof data === 'string')
    return { mediaType: 'text/plain', source: { kind: 'base64', data: toBase64(data) } };
  // Only PDF documents can be given by address.
  if (type === 'url' && typeof url === 'string')
    return { mediaType: kind === 'image' ? 'image/*' : 'application/pdf', source: { kind: 'url', url } };
  if (type === 'file' && typeof id === 'string')
    return { mediaType: kind === 'image' ? 'image/*' : 'application/*', source: { kind: 'file', id } };
  return undefined;
}
