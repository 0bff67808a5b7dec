import type { LossNote } from '../loss.ts';
import { rewritten } from './notes.ts';

// A pair is consumed whole, so that only halves are left to match the second alternative.
const SURROGATES = /[\ud800-\udbff][\udc00-\udfff]|[\ud800-\udfff]/g;

/** A string as JSON text. Half a character, which APIs refuse (`surrogate`), becomes U+FFFD and a note. */
export function stringText(text: string, path: string, losses: LossNote[]): string {
  const json = JSON.stringify(text);
  // Half a character is the only thing that is printed in this way.
  if (!json.includes('\\ud')) return json;
  const whole = text.replace(SURROGATES, (match) => (match.length === 2 ? match : '\ufffd'));
  if (whole !== text) losses.push(rewritten(path, 'surrogate'));
  return JSON.stringify(whole);
}
