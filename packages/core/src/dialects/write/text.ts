import type { LossNote } from '../loss.ts';
import { rewritten } from './notes.ts';

/** A string as JSON text. Half a character, which APIs refuse (`surrogate`), becomes U+FFFD and a note. */
export function stringText(text: string, path: string, losses: LossNote[]): string {
  const whole = text.toWellFormed();
  if (whole !== text) losses.push(rewritten(path, 'surrogate'));
  return JSON.stringify(whole);
}
