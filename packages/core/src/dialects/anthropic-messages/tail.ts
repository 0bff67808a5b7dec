import { elementsOf, find, type JsonObject, parseJson, splice } from '../../json/index.ts';
import type { Unit } from '../write/index.ts';
import { isThinking, isToolResult } from './flaws.ts';

/** `trailing-space` */
export function trimEnd(unit: Unit): Unit | undefined | null {
  const content = find(unit.text, ['content'])!;
  const last = unit.text[content.start] === '[' ? elementsOf(unit.text, content.start).at(-1) : undefined;
  const range = last ? find(unit.text, ['text'], last.start) : content;
  const text = range && unit.text.slice(range.start, range.end);
  const said = text?.startsWith('"') ? String(parseJson(text)) : '';
  const trimmed = said.trimEnd();
  if (trimmed === said) return undefined;
  if (trimmed === '') return null;
  return { ...unit, pieces: undefined, text: splice(unit.text, [{ ...range!, text: JSON.stringify(trimmed) }]) };
}

/**
 * Whether the tool loop that the request is in, or the answer that it ends with, began without thinking
 * (`thinking-first`). The API joins neighbours of one role: the loop goes back as long as there are results among what
 * the user says.
 */
export function beginsUnthought(count: number, textOf: (index: number) => string): boolean {
  let start: unknown;
  let isUser = true;
  // An answer that is to be continued is looked at as if results stood behind it.
  let hasResults = count > 0 && (parseJson(textOf(count - 1)) as JsonObject).role === 'assistant';
  for (let at = count - 1; at >= 0; at--) {
    const { role, content } = parseJson(textOf(at)) as JsonObject;
    const blocks = Array.isArray(content) ? content : [content];
    if (role === 'assistant') {
      if (!hasResults) break;
      start = blocks[0];
      isUser = false;
    } else {
      hasResults = (isUser && hasResults) || blocks.some(isToolResult);
      isUser = true;
    }
  }
  return start !== undefined && !isThinking(start);
}
