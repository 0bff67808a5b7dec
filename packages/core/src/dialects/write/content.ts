import { isObject, type JsonObject, parseJson } from '../../json/index.ts';
import type { ContentBlock, MediaBlock, Message } from '../../message/index.ts';
import { dropped, type LossNote, type LossReason, rewritten } from '../loss.ts';
import { takesMedia } from '../provider.ts';
import type { Target } from './writer.ts';

/** A string as JSON text. Lone surrogates, which APIs refuse (`surrogate`), become U+FFFD, with a note. */
export function toJsonString(text: string, path: string, losses: LossNote[]): string {
  const whole = text.toWellFormed();
  if (whole !== text) losses.push(rewritten(path, 'surrogate'));
  return JSON.stringify(whole);
}

/** The separator of texts that become one. */
const SEPARATOR = '\n\n';

/** Joins JSON strings into one, separated from each other except where `isApart` says that they are one text. */
export function joinTexts(texts: readonly string[], isApart: (index: number) => boolean = () => true): string {
  const between = JSON.stringify(SEPARATOR).slice(1, -1);
  return `"${texts.map((text, index) => (index > 0 && isApart(index) ? between : '') + text.slice(1, -1)).join('')}"`;
}

/** The texts of the text blocks, separated from each other. */
export function readTexts(content: readonly ContentBlock[]): string {
  return content.flatMap((block) => (block.type === 'text' && block.text !== '' ? [block.text] : [])).join(SEPARATOR);
}

/** A note for a block that the target has no form for. */
export function noteLeftOut(block: ContentBlock, path: string): LossNote {
  return dropped(path, reasonFor(block));
}

function reasonFor(block: ContentBlock): LossReason {
  switch (block.type) {
    case 'reasoning':
      return 'foreign-reasoning';
    case 'media':
      return 'unsupported-media';
    case 'text':
    case 'refusal':
      return 'empty';
    case 'unknown':
      return isServerTool(block.native) ? 'server-tool' : 'unknown-block';
    default:
      return 'unknown-block';
  }
}

/** Providers name such blocks in `type`, or by the member that holds them. */
function isServerTool(native: string): boolean {
  const value = parseJson(native);
  if (!isObject(value)) return false;
  const kind = typeof value.type === 'string' ? value.type : Object.keys(value).join(' ');
  return /tool|call|search|fetch|code|exec|mcp|shell|computer/i.test(kind);
}

/** Media in the form that the target takes, with data URLs as data; undefined if the target does not take it. */
export function acceptMedia(
  block: MediaBlock,
  accepted: readonly string[],
  message: Message,
  target: Target,
): MediaBlock | undefined {
  const media = inlineDataUrl(block);
  const isSent =
    !isForeignFile(block, message, target) && isTaken(accepted, media.mediaType) && isReachable(media, message);
  return isSent ? media : undefined;
}

/** Whether media is a file that another provider stores. In a message of a person, a file id means one of the target's. */
export function isForeignFile({ source }: MediaBlock, { origin }: Message, { provider }: Target): boolean {
  return source.kind === 'file' && origin.dialect !== 'blocks' && origin.issuer !== provider.issuer;
}

/** Turns media with a `data:` URL into media with data. */
export function inlineDataUrl(block: MediaBlock): MediaBlock {
  const match = block.source.kind === 'url' ? /^data:([^;,]+)[^,]*;base64,(.*)$/s.exec(block.source.url) : null;
  return match ? { ...block, mediaType: match[1]!, source: { kind: 'base64', data: match[2]! } } : block;
}

/** Whether the target can fetch an address; one inside another provider's cloud (`gs://…`) it cannot. */
function isReachable({ source }: MediaBlock, { origin }: Message): boolean {
  return source.kind !== 'url' || origin.dialect === 'blocks' || /^https?:/i.test(source.url);
}

/** Whether a type is accepted. If only its kind is known (`image/*`), any accepted type of that kind will do. */
function isTaken(accepted: readonly string[], mediaType: string): boolean {
  if (takesMedia(accepted, mediaType)) return true;
  return mediaType.endsWith('/*') && accepted.some((known) => known.startsWith(mediaType.slice(0, -1)));
}

export function toDataUrl(mediaType: string, data: string): string {
  return `data:${mediaType};base64,${data}`;
}

/** Parses a JSON object; undefined if the text is anything else. */
export function parseObject(text: string): JsonObject | undefined {
  try {
    const value = parseJson(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Whether tool arguments are a JSON object, as every API requires. Blank text means no arguments. */
export function areArguments(raw: string): boolean {
  return raw.trim() === '' || parseObject(raw) !== undefined;
}

/** Tool arguments as the text of a JSON object: as the model wrote them, or an object that quotes what it wrote. */
export function toArguments(raw: string, path: string, losses: LossNote[]): string {
  if (raw.trim() === '') return '{}';
  if (areArguments(raw)) return raw;
  losses.push(rewritten(path, 'malformed-arguments'));
  return `{"_malformed_arguments":${JSON.stringify(raw)}}`;
}
