import { elementsOf, find, isObject, parseJson, splice, textAt } from '../../json/index.ts';
import type { Unit } from '../write/writer.ts';
import { isThinking } from './flaws.ts';

/** White space at the end of a string's JSON text. */
const BLANK_END = /(?:\s|\\[nrtf])+"$/;

/** `trailing-space` */
export function trimEnd(unit: Unit): Unit | undefined {
  const content = find(unit.text, ['content'])!;
  const last = unit.text[content.start] === '[' ? elementsOf(unit.text, content.start).at(-1) : undefined;
  const range = last ? find(unit.text, ['text'], last.start) : content;
  const text = range && unit.text.slice(range.start, range.end);
  if (!text?.startsWith('"') || !BLANK_END.test(text)) return undefined;
  const { pieces: _, ...rest } = unit;
  return { ...rest, text: splice(unit.text, [{ ...range!, text: text.replace(BLANK_END, '"') }]) };
}

/** Whether the turn in progress, up to the results at the end, began with an assistant message without thinking (`thinking-first`). */
export function beginsUnthought(units: readonly Unit[]): boolean {
  if (units.at(-1)?.role !== 'tool') return false;
  const asked = units.findLastIndex((unit) => unit.role === 'user' || unit.role === 'system');
  const first = units.slice(asked + 1).find((unit) => unit.role === 'assistant');
  const content: unknown = first && parseJson(textAt(first.text, ['content']) ?? 'null');
  return Array.isArray(content) && isObject(content[0]) && !isThinking(content[0]);
}
