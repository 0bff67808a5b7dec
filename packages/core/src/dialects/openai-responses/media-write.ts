import type { MediaBlock, MediaSource, Message } from '../../message/index.ts';
import type { LossNote } from '../loss.ts';
import { takesMedia } from '../provider.ts';
import { dropped } from '../write/notes.ts';
import { stringText } from '../write/text.ts';
import type { Target } from '../write/writer.ts';

/** An image or document as a part, or nothing and a note. */
export function mediaPart(
  block: MediaBlock,
  accepted: readonly string[],
  message: Message,
  target: Target,
  path: string,
  losses: LossNote[],
): string | undefined {
  if (!takesMedia(accepted, block.mediaType)) {
    losses.push(dropped(path, 'unsupported-media', `${block.mediaType} is not taken here`));
    return undefined;
  }
  if (block.source.kind === 'file' && !isHeldBy(message, target)) {
    losses.push(dropped(path, 'foreign-file', 'the file is held by another provider'));
    return undefined;
  }
  return block.mediaType.startsWith('image/')
    ? `{"type":"input_image","detail":"auto",${imageSource(block.source, block.mediaType, path, losses)}}`
    : `{"type":"input_file",${fileSource(block, path, losses)}}`;
}

/** What a person wrote names a file of the provider they write to. */
function isHeldBy({ origin }: Message, { provider }: Target): boolean {
  return origin.dialect === 'blocks' || origin.issuer === provider.issuer;
}

function imageSource(source: MediaSource, mediaType: string, path: string, losses: LossNote[]): string {
  if (source.kind === 'file') return `"file_id":${stringText(source.id, path, losses)}`;
  const url = source.kind === 'url' ? source.url : dataUrl(mediaType, source.data);
  return `"image_url":${stringText(url, path, losses)}`;
}

function fileSource({ source, mediaType, name }: MediaBlock, path: string, losses: LossNote[]): string {
  if (source.kind === 'file') return `"file_id":${stringText(source.id, path, losses)}`;
  if (source.kind === 'url') return `"file_url":${stringText(source.url, path, losses)}`;
  const filename = name ?? `document.${mediaType.slice(mediaType.indexOf('/') + 1)}`;
  const data = stringText(dataUrl(mediaType, source.data), path, losses);
  return `"filename":${stringText(filename, path, losses)},"file_data":${data}`;
}

function dataUrl(mediaType: string, data: string): string {
  return `data:${mediaType};base64,${data}`;
}
