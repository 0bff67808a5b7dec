import type { MediaBlock, Message } from '../../message/index.ts';
import type { LossNote } from '../loss.ts';
import { takesMedia } from '../provider.ts';
import { dropped } from '../write/notes.ts';
import { stringText } from '../write/text.ts';
import type { Target } from '../write/writer.ts';
import { quirk } from './quirks.ts';

/** A media block as a content part, or a note why there is none. */
export function mediaPart(
  block: MediaBlock,
  message: Message,
  target: Target,
  path: string,
  losses: LossNote[],
): string | undefined {
  const { source, mediaType } = block;
  if (source.kind === 'file') {
    const { dialect, issuer } = message.origin;
    // What a person wrote names a file of whoever it is sent to.
    if (dialect === 'blocks' || issuer === target.provider.issuer)
      return `{"type":"file","file":{"file_id":${stringText(source.id, path, losses)}}}`;
    losses.push(dropped(path, 'foreign-file', `the file ${source.id} is held by ${issuer}`));
    return undefined;
  }
  const taken = takesMedia(target.provider.policies.media.user, mediaType) && isHeard(mediaType, target);
  const part = taken ? writtenPart(block, path, losses) : undefined;
  if (part === undefined) {
    const form = source.kind === 'url' ? `${mediaType} by address` : mediaType;
    losses.push(dropped(path, 'unsupported-media', `${form} is not taken here`));
  }
  return part;
}

function isHeard(mediaType: string, target: Target): boolean {
  return !mediaType.startsWith('audio/') || quirk('audio', target) === true;
}

const AUDIO_FORMATS: ReadonlyMap<string, string> = new Map([
  ['audio/wav', 'wav'],
  ['audio/mpeg', 'mp3'],
]);

/** Images go by address or as data; sounds and documents as data only. */
function writtenPart({ source, mediaType, name }: MediaBlock, path: string, losses: LossNote[]): string | undefined {
  if (source.kind === 'file') return undefined;
  const url = source.kind === 'url' ? source.url : `data:${mediaType};base64,${source.data}`;
  if (mediaType.startsWith('image/'))
    return `{"type":"image_url","image_url":{"url":${stringText(url, path, losses)}}}`;
  if (source.kind === 'url') return undefined;
  if (mediaType.startsWith('audio/')) {
    const format = AUDIO_FORMATS.get(mediaType) ?? mediaType.slice('audio/'.length);
    return `{"type":"input_audio","input_audio":{"data":${stringText(source.data, path, losses)},"format":${JSON.stringify(format)}}}`;
  }
  const filename = name ?? `document.${mediaType.slice(mediaType.lastIndexOf('/') + 1)}`;
  return `{"type":"file","file":{"filename":${stringText(filename, path, losses)},"file_data":${stringText(url, path, losses)}}}`;
}
