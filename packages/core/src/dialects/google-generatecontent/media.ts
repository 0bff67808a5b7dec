import type { JsonObject } from '../../json/index.ts';
import type { MediaBlock } from '../../message/index.ts';
import { objectField, stringField } from './fields.ts';

/** The image, sound or document of a part, if it is one. */
export function mediaOf(part: JsonObject, issuer: string): MediaBlock | undefined {
  const inline = objectField(part, 'inlineData');
  const data = inline && stringField(inline, 'data');
  if (inline && data !== undefined)
    return { ...described(inline, ''), source: { kind: 'base64', data: standardBase64(data) } };
  const file = objectField(part, 'fileData');
  const uri = file && stringField(file, 'fileUri');
  if (!file || uri === undefined) return undefined;
  const source = isFileOf(uri, issuer) ? ({ kind: 'file', id: uri } as const) : ({ kind: 'url', url: uri } as const);
  return { ...described(file, uri), source };
}

/** An upload that only its issuer can read. */
export function isFileOf(uri: string, issuer: string): boolean {
  return uri.startsWith(`https://${issuer}/`);
}

function described(value: JsonObject, uri: string): Pick<MediaBlock, 'type' | 'mediaType' | 'name'> {
  const mediaType = stringField(value, 'mimeType') || (isVideoPage(uri) ? 'video/*' : 'application/octet-stream');
  const name = stringField(value, 'displayName');
  return { type: 'media', mediaType, ...(name && { name }) };
}

function isVideoPage(uri: string): boolean {
  return /^https?:\/\/(?:[a-z]+\.)?(?:youtube\.com|youtu\.be)\//.test(uri);
}

/** Protocol buffers take both alphabets of base64; others take only the standard one. */
function standardBase64(data: string): string {
  if (!/[-_]/.test(data)) return data;
  const plain = data.replaceAll('-', '+').replaceAll('_', '/');
  return plain.padEnd(Math.ceil(plain.length / 4) * 4, '=');
}
