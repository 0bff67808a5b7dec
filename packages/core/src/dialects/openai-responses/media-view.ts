import { isObject, type JsonObject } from '../../json/index.ts';
import type { MediaBlock, MediaSource } from '../../message/index.ts';
import { inlined } from '../write/index.ts';

/** The media in an `input_image`, `input_file`, `input_audio` or `computer_screenshot` part, if that is what it is. */
export function mediaOf(part: JsonObject): MediaBlock | undefined {
  const { type, input_audio: audio, filename } = part;
  if (type === 'input_audio' && isObject(audio) && typeof audio.data === 'string' && typeof audio.format === 'string')
    return { type: 'media', mediaType: `audio/${audio.format}`, source: { kind: 'base64', data: audio.data } };
  const isImage = type === 'input_image' || type === 'computer_screenshot';
  const source = isImage || type === 'input_file' ? sourceOf(part) : undefined;
  if (!source) return undefined;
  const isPdf = source.kind === 'url' && /\.pdf(?:[?#]|$)/i.test(source.url);
  return inlined({
    type: 'media',
    mediaType: isImage ? 'image/*' : isPdf ? 'application/pdf' : 'application/*',
    source,
    ...(typeof filename === 'string' && { name: filename }),
  });
}

/** What is empty is not meant. */
function sourceOf({ image_url, file_data, file_url, file_id: id }: JsonObject): MediaSource | undefined {
  const url = image_url || file_data || file_url;
  if (typeof url === 'string') return { kind: 'url', url };
  return typeof id === 'string' ? { kind: 'file', id } : undefined;
}
