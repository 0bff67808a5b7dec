import type { MediaBlock, Message } from '../../message/index.ts';
import { takesMedia } from '../provider.ts';
import type { Target } from './writer.ts';

/** Media as the target can be asked to take it, data addresses as data; undefined when it is not taken. */
export function takenMedia(
  block: MediaBlock,
  accepted: readonly string[],
  message: Message,
  target: Target,
): MediaBlock | undefined {
  const media = inlined(block);
  const isSent =
    !isForeignFile(block, message, target) && isTaken(accepted, media.mediaType) && isReachable(media, message);
  return isSent ? media : undefined;
}

/** A file that another provider holds; what a person wrote names a file of whoever it is sent to. */
export function isForeignFile({ source }: MediaBlock, { origin }: Message, { provider }: Target): boolean {
  return source.kind === 'file' && origin.dialect !== 'blocks' && origin.issuer !== provider.issuer;
}

/** `data:` addresses are data. */
export function inlined(block: MediaBlock): MediaBlock {
  const match = block.source.kind === 'url' ? /^data:([^;,]+)[^,]*;base64,(.*)$/s.exec(block.source.url) : null;
  return match ? { ...block, mediaType: match[1]!, source: { kind: 'base64', data: match[2]! } } : block;
}

/** An address inside another provider's cloud (`gs://…`) leads nowhere. */
function isReachable({ source }: MediaBlock, { origin }: Message): boolean {
  return source.kind !== 'url' || origin.dialect === 'blocks' || /^https?:/i.test(source.url);
}

/** Where only the kind is known, any type of that kind will do. */
function isTaken(accepted: readonly string[], mediaType: string): boolean {
  if (takesMedia(accepted, mediaType)) return true;
  return mediaType.endsWith('/*') && accepted.some((known) => known.startsWith(mediaType.slice(0, -1)));
}

export function dataUrl(mediaType: string, data: string): string {
  return `data:${mediaType};base64,${data}`;
}
