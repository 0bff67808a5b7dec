import { elementTexts, isObject, type JsonObject } from '../../json/index.ts';
import type { ContentBlock, MediaBlock, MediaSource } from '../../message/index.ts';

/** The blocks of an array of content parts, which starts at `start`. */
export function partBlocks(raw: string, start: number, parts: readonly unknown[]): ContentBlock[] {
  const texts = elementTexts(raw, start);
  return parts.map((part, index) => partBlock(part) ?? { type: 'unknown', native: texts[index]! });
}

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
  if (typeof thinking === 'string') return thinking;
  if (!Array.isArray(thinking)) return '';
  return thinking.map((part: unknown) => (isObject(part) && typeof part.text === 'string' ? part.text : '')).join('');
}

const AUDIO_TYPES: ReadonlyMap<unknown, string> = new Map([
  ['mp3', 'audio/mpeg'],
  ['wav', 'audio/wav'],
]);

function mediaBlock(part: JsonObject): MediaBlock | undefined {
  switch (part.type) {
    case 'image_url':
      return linkedMedia(addressOf(part.image_url), 'image/*');
    case 'video_url':
      return linkedMedia(addressOf(part.video_url), 'video/*');
    case 'document_url':
      return linkedMedia(addressOf(part.document_url), 'application/*', part.document_name);
    case 'input_audio':
      return audioMedia(part.input_audio);
    case 'file':
      return isObject(part.file) ? fileMedia(part.file) : undefined;
    default:
      return undefined;
  }
}

/** `{"url":…}`, or the address itself as some compatible providers write it. */
function addressOf(value: unknown): string | undefined {
  const address = isObject(value) ? value.url : value;
  return typeof address === 'string' ? address : undefined;
}

function linkedMedia(address: string | undefined, kind: string, name?: unknown): MediaBlock | undefined {
  if (address === undefined) return undefined;
  const head = /^data:([^;,]*)(?:;[^,]*)?;base64,/.exec(address);
  const source: MediaSource = head
    ? { kind: 'base64', data: address.slice(head[0].length) }
    : { kind: 'url', url: address };
  return {
    type: 'media',
    mediaType: head?.[1] || kind,
    source,
    ...(typeof name === 'string' && name !== '' && { name }),
  };
}

function audioMedia(audio: unknown): MediaBlock | undefined {
  if (!isObject(audio) || typeof audio.data !== 'string') return undefined;
  const mediaType = AUDIO_TYPES.get(audio.format) ?? `audio/${typeof audio.format === 'string' ? audio.format : '*'}`;
  return { type: 'media', mediaType, source: { kind: 'base64', data: audio.data } };
}

function fileMedia(file: JsonObject): MediaBlock | undefined {
  const { file_data: data, file_id: id, filename } = file;
  if (typeof data === 'string') return linkedMedia(data, 'application/*', filename);
  if (typeof id !== 'string') return undefined;
  const name = typeof filename === 'string' && filename !== '' ? { name: filename } : {};
  return { type: 'media', mediaType: 'application/*', source: { kind: 'file', id }, ...name };
}
