import type { JsonObject } from '../../json/index.ts';
import type { MediaBlock, MediaSource } from '../../message/index.ts';

/** The media in an `input_image`, `input_file`, `input_audio` or `computer_screenshot` part, if that is what it is. */
export function mediaOf(part: JsonObject): MediaBlock | undefined {
  if (part.type === 'input_image' || part.type === 'computer_screenshot')
    return media('image/*', [part.image_url], part.file_id, undefined);
  if (part.type === 'input_file')
    return media('application/*', [part.file_data, part.file_url], part.file_id, part.filename);
  return part.type === 'input_audio' ? audioOf(part.input_audio) : undefined;
}

function media(kind: string, urls: readonly unknown[], fileId: unknown, name: unknown): MediaBlock | undefined {
  const url = urls.find((candidate): candidate is string => typeof candidate === 'string' && candidate !== '');
  const named = typeof name === 'string' ? { name } : {};
  if (url !== undefined) return { type: 'media', ...fromUrl(url, kind), ...named };
  if (typeof fileId !== 'string') return undefined;
  return { type: 'media', mediaType: kind, source: { kind: 'file', id: fileId }, ...named };
}

function fromUrl(url: string, kind: string): { mediaType: string; source: MediaSource } {
  const comma = url.startsWith('data:') ? url.indexOf(';base64,') : -1;
  if (comma > 0)
    return {
      mediaType: url.slice('data:'.length, comma),
      source: { kind: 'base64', data: url.slice(comma + ';base64,'.length) },
    };
  const isPdf = kind === 'application/*' && /\.pdf(?:[?#]|$)/i.test(url);
  return { mediaType: isPdf ? 'application/pdf' : kind, source: { kind: 'url', url } };
}

function audioOf(audio: unknown): MediaBlock | undefined {
  const { data, format } = (audio ?? {}) as { data?: unknown; format?: unknown };
  if (typeof data !== 'string' || typeof format !== 'string') return undefined;
  return { type: 'media', mediaType: `audio/${format}`, source: { kind: 'base64', data } };
}
