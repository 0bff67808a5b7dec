import { isObject, parseJson } from '../../json/index.ts';
import type { ContentBlock } from '../../message/index.ts';
import type { LossNote } from '../loss.ts';
import { dropped } from '../write/notes.ts';
import { stringText } from '../write/text.ts';

/** What stands between separate texts where one string has to hold them all. */
export const BETWEEN = '\n\n';

/** A content part on its way into a message: text, which may become plain string content, or any other part. */
export type Draft = { readonly text: string } | { readonly part: string };

/** Plain text as a string, anything else as an array of parts. */
export function contentText(drafts: readonly Draft[], path: string, losses: LossNote[]): string {
  const texts = drafts.flatMap((draft) => ('text' in draft ? [draft.text] : []));
  if (texts.length === drafts.length) return stringText(texts.join(BETWEEN), path, losses);
  const parts = drafts.map((draft) =>
    'text' in draft ? `{"type":"text","text":${stringText(draft.text, path, losses)}}` : draft.part,
  );
  return `[${parts.join(',')}]`;
}

/** The words of a block that is text here; undefined, with a note, for what is not. */
export function wordsOf(block: ContentBlock, path: string, alone: boolean, losses: LossNote[]): string | undefined {
  if (block.type === 'refusal') return block.text;
  if (block.type !== 'text') {
    losses.push(leftOut(block, path));
    return undefined;
  }
  if (block.citations && block.citations.length > 0)
    losses.push(dropped(path, 'citations', 'citations are not taken here'));
  if (block.text !== '') return block.text;
  if (!alone) losses.push(dropped(path, 'empty', 'an empty text is left out'));
  return undefined;
}

/** Why a block without a form here is left out. */
export function leftOut(block: ContentBlock, path: string): LossNote {
  if (block.type === 'reasoning')
    return dropped(path, 'foreign-reasoning', 'thoughts are not sent to anyone but their issuer');
  if (block.type === 'media') return dropped(path, 'unsupported-media', `${block.mediaType} is not taken here`);
  const isTool = block.type !== 'unknown' || looksLikeTool(block.native);
  return isTool
    ? dropped(path, 'server-tool', 'what a provider-side tool did is known only to its issuer')
    : dropped(path, 'unknown-block', 'a block of unknown kind is known only to its issuer');
}

/** By its type, or by its only telling member where the protocol has no types. */
function looksLikeTool(native: string): boolean {
  const value = parseJson(native);
  if (!isObject(value)) return false;
  const kind = typeof value.type === 'string' ? value.type : Object.keys(value).join(' ');
  return /tool|call|search|code|exec|mcp|shell|computer/i.test(kind);
}
