import type { Edit } from './splice.ts';

const ESCAPE = /\\(?:u([dD][89a-fA-F][0-9a-fA-F]{2})|[\s\S])/g;

/** Edits that replace each escaped half of a character (`\ud83d` without its partner) by `\ufffd`. */
export function loneSurrogates(text: string): Edit[] {
  if (!/\\u[dD][89a-fA-F]/.test(text)) return [];
  const edits: Edit[] = [];
  let high: Edit | undefined;
  for (const match of text.matchAll(ESCAPE)) {
    if (match[1] === undefined) continue;
    const here: Edit = { start: match.index, end: match.index + 6, text: '\\ufffd' };
    const isHigh = /^[dD][89abAB]/.test(match[1]);
    if (!isHigh && high?.end === here.start) {
      edits.pop();
      high = undefined;
      continue;
    }
    edits.push(here);
    high = isHigh ? here : undefined;
  }
  return edits;
}
