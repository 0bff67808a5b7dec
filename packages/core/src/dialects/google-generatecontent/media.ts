import type { MediaBlock } from '../../message/index.ts';
import { stringField } from './fields.ts';

/** The image, sound or document of a part, if it is one. */
export function mediaOf(part: unknown, issuer: string): MediaBlock | undefined {
  const data = stringField(part, 'inlineData', 'data');
  if (data !== undefined) return media(part, 'inlineData', '', { kind: 'base64', data: standardBase64(data) });
  const uri = stringField(part, 'fileData', 'fileUri');
  if (uri === undefined) return undefined;
  // An upload that only its issuer can read, or an address for anyone.
  const isUpload = uri.startsWith(`https://${issuer}/`);
  return media(part, 'fileData', uri, isUpload ? { kind: 'file', id: uri } : { kind: 'url', url: uri });
}

function media(part: unknown, kind: string, uri: string, source: MediaBlock['source']): MediaBlock {
  const isVideoPage = /^https?:\/\/(?:[a-z]+\.)?(?:youtube\.com|youtu\.be)\//.test(uri);
  const mediaType = stringField(part, kind, 'mimeType') || (isVideoPage ? 'video/*' : 'application/octet-stream');
  const name = stringField(part, kind, 'displayName');
  return { type: 'media', mediaType, ...(name && { name }), source };
}

/** Protocol buffers take both alphabets of base64; others take only the standard one. */
function standardBase64(data: string): string {
  if (!/[-_]/.test(data)) return data;
  const plain = data.replaceAll('-', '+').replaceAll('_', '/');
  return plain.padEnd(Math.ceil(plain.length / 4) * 4, '=');
}
