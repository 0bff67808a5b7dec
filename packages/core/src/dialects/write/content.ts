import { isObject, type JsonObject, parseJson } from '../../json/index.ts';
import type { ContentBlock, MediaBlock, Message } from '../../message/index.ts';
import { dropped, type LossNote, type LossReason, rewritten } from '../loss.ts';
import { takesMedia } from '../provider.ts';
import type { Target } from './writer.ts';

/** A string as JSON text. Half a character, which APIs refuse (`surrogate`), becomes U+FFFD and a note. */
export function toJsonString(text: string, path: string, losses: LossNote[]): string {
  const whole = text.toWellFormed();
  if (whole !== text) losses.push(rewritten(path, 'surrogate'));
  return JSON.stringify(whole);
}

/** What separates texts that become one. */
const BETWEEN = '\n\n';

/** Several JSON strings as one. Each stays apart from the one before it, unless `isApart` says that they are one text. */
export function joinTexts(texts: readonly string[], isApart: (index: number) => boolean = () => true): string {
  const between = JSON.stringify(BETWEEN).slice(1, -1);
  return `"${texts.map((text, index) => (index > 0 && isApart(index) ? between : '') + text.slice(1, -1)).join('')}"`;
}

/** What the text blocks say, each apart from the others. */
export function readTexts(content: readonly ContentBlock[]): string {
  return content.flatMap((block) => (block.type === 'text' && block.text !== '' ? [block.text] : [])).join(BETWEEN);
}

/** Why a block without a place in the target is left out. */
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

/** Providers name such blocks by their `type`, or by the one member that holds them. */
function isServerTool(native: string): boolean {
  const value = parseJson(native);
  if (!isObject(value)) return false;
  const kind = typeof value.type === 'string' ? value.type : Object.keys(value).join(' ');
  return /tool|call|search|fetch|code|exec|mcp|shell|computer/i.test(kind);
}

/** Media as the target can be asked to take it, data addresses as data; undefined when it is not taken. */
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

/** A file that another provider holds; what a person wrote names a file of whoever it is sent to. */
export function isForeignFile({ source }: MediaBlock, { origin }: Message, { provider }: Target): boolean {
  return source.kind === 'file' && origin.dialect !== 'blocks' && origin.issuer !== provider.issuer;
}

/** `data:` addresses are data. */
export function inlineDataUrl(block: MediaBlock): MediaBlock {
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

export function toDataUrl(mediaType: string, data: string): string {
  return `data:${mediaType};base64,${data}`;
}

/** The object that a text says; undefined when it says none. */
export function parseObject(text: string): JsonObject | undefined {
  try {
    const value = parseJson(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Whether tool arguments are what every API wants: a JSON object. Blank stands for no arguments. */
export function areArguments(raw: string): boolean {
  return raw.trim() === '' || parseObject(raw) !== undefined;
}

/** Arguments as object text: as the model wrote them, or a valid stand-in that shows what it wrote. */
export function toArguments(raw: string, path: string, losses: LossNote[]): string {
  if (raw.trim() === '') return '{}';
  if (areArguments(raw)) return raw;
  losses.push(rewritten(path, 'malformed-arguments'));
  return `{"_malformed_arguments":${JSON.stringify(raw)}}`;
}
