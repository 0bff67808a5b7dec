import type { MediaBlock, Message } from '../../message/index.ts';
import type { LossNote } from '../loss.ts';
import { takesMedia } from '../provider.ts';
import { dropped } from '../write/notes.ts';
import { stringText } from '../write/text.ts';
import type { Target } from '../write/writer.ts';
import { fromBase64 } from './base64.ts';

/** Whether media of this type is taken; where only the kind is known, whether any of that kind is. */
export function isTaken(accepted: readonly string[], mediaType: string): boolean {
  if (takesMedia(accepted, mediaType)) return true;
  return mediaType.endsWith('/*') && accepted.some((known) => known.startsWith(mediaType.slice(0, -1)));
}

/** An image or document block, or a note why there is none. */
export function mediaPart(
  block: MediaBlock,
  message: Message,
  target: Target,
  path: string,
  losses: LossNote[],
): string | undefined {
  if (block.source.kind === 'file' && !isHeldBy(message, target)) {
    losses.push(dropped(path, 'foreign-file', 'the file is held by another provider'));
    return undefined;
  }
  const source = sourceText(block, path, losses);
  if (source === undefined) {
    losses.push(dropped(path, 'unsupported-media', `${block.mediaType} is not taken in this form`));
    return undefined;
  }
  if (block.mediaType.startsWith('image/')) return `{"type":"image","source":${source}}`;
  const title = block.name === undefined ? '' : `,"title":${stringText(block.name, path, losses)}`;
  return `{"type":"document","source":${source}${title}}`;
}

/** What a person wrote names files of the provider it is written for. */
function isHeldBy(message: Message, target: Target): boolean {
  return message.origin.dialect === 'blocks' || message.origin.issuer === target.provider.issuer;
}

function sourceText({ mediaType, source }: MediaBlock, path: string, losses: LossNote[]): string | undefined {
  switch (source.kind) {
    case 'file':
      return `{"type":"file","file_id":${JSON.stringify(source.id)}}`;
    case 'url':
      // Text documents cannot be given by address.
      return mediaType === 'text/plain' ? undefined : `{"type":"url","url":${stringText(source.url, path, losses)}}`;
    case 'base64': {
      if (mediaType.endsWith('/*')) return undefined;
      if (mediaType !== 'text/plain')
        return `{"type":"base64","media_type":${JSON.stringify(mediaType)},"data":${JSON.stringify(source.data)}}`;
      const text = fromBase64(source.data);
      return text === undefined
        ? undefined
        : `{"type":"text","media_type":"text/plain","data":${stringText(text, path, losses)}}`;
    }
  }
}
