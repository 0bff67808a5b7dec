import type { Edit } from './splice.ts';

/** Both halves of a character, one half (the group), or another escape. */
const ESCAPE = /\\(?:u[dD][89abAB]..\\u[dD][c-fC-F]..|u([dD][89a-fA-F]..)|.)/gs;

/** Edits that replace each escaped half of a character (`\ud83d` without its partner) by `\ufffd`. */
export function loneSurrogates(text: string): Edit[] {
  if (!/\\u[dD]/.test(text)) return [];
  return [...text.matchAll(ESCAPE)].flatMap(({ index, 1: half }) =>
    half === undefined ? [] : [{ start: index, end: index + 6, text: '\\ufffd' }],
  );
}
