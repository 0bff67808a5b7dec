import type { LossNote } from '../loss.ts';
import { rewritten } from './notes.ts';

/** A string as JSON text. Half a character, which APIs refuse (`surrogate`), becomes U+FFFD and a note. */
export function stringText(text: string, path: string, losses: LossNote[]): string {
  const json = JSON.stringify(text);
  // Half a character is the only thing that is printed in this way.
  if (!json.includes('\\ud')) return json;
  // UTF-8 has no halves: encoders replace them.
  const whole = new TextDecoder('utf-8', { ignoreBOM: true }).decode(new TextEncoder().encode(text));
  if (whole !== text) losses.push(rewritten(path, 'surrogate'));
  return JSON.stringify(whole);
}
