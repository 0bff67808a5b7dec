import type { ContentBlock } from '../../message/index.ts';
import type { LossNote } from '../loss.ts';
import { rewritten } from './notes.ts';

/** A string as JSON text. Half a character, which APIs refuse (`surrogate`), becomes U+FFFD and a note. */
export function stringText(text: string, path: string, losses: LossNote[]): string {
  const whole = text.toWellFormed();
  if (whole !== text) losses.push(rewritten(path, 'surrogate'));
  return JSON.stringify(whole);
}

/** What separates texts that become one. */
const BETWEEN = '\n\n';

/** Several JSON strings as one. Each stays apart from the one before it, unless `isApart` says that they are one text. */
export function joinedTexts(texts: readonly string[], isApart: (index: number) => boolean = () => true): string {
  const between = JSON.stringify(BETWEEN).slice(1, -1);
  return `"${texts.map((text, index) => (index > 0 && isApart(index) ? between : '') + text.slice(1, -1)).join('')}"`;
}

/** What the text blocks say, each apart from the others. */
export function plainTexts(content: readonly ContentBlock[]): string {
  return content.flatMap((block) => (block.type === 'text' && block.text !== '' ? [block.text] : [])).join(BETWEEN);
}
