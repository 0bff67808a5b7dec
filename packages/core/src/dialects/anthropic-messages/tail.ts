import { elementsOf, find, isObject, parseJson, splice, textAt } from '../../json/index.ts';
import type { Unit } from '../write/index.ts';
import { isThinking } from './flaws.ts';

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
  const { pieces: _, ...rest } = unit;
  return { ...rest, text: splice(unit.text, [{ ...range!, text: JSON.stringify(trimmed) }]) };
}

/** Whether the turn in progress, up to the results at the end, began with an assistant message without thinking (`thinking-first`). */
export function beginsUnthought(units: readonly Unit[]): boolean {
  if (units.at(-1)?.role !== 'tool') return false;
  const asked = units.findLastIndex((unit) => unit.role === 'user' || unit.role === 'system');
  const first = units.slice(asked + 1).find((unit) => unit.role === 'assistant');
  const content: unknown = first && parseJson(textAt(first.text, ['content']) ?? 'null');
  return Array.isArray(content) && isObject(content[0]) && !isThinking(content[0]);
}
