import { elementTexts, isObject, parseJson, textAt } from '../../json/index.ts';
import type { Unit } from '../write/writer.ts';
import { isToolResult } from './flaws.ts';
import { messageText, textPart } from './forms.ts';

/** User and tool units as one user message, tool results first (`tool-result-not-first`). Other roles stay apart. */
export function gather(units: readonly Unit[]): Unit | undefined {
  if (units.some((unit) => unit.role !== 'user' && unit.role !== 'tool')) return undefined;
  const parts = units.flatMap(partsOf);
  const isResult = parts.map((part) => isToolResult(parseJson(part)));
  const ordered = [...parts.filter((_, index) => isResult[index]), ...parts.filter((_, index) => !isResult[index])];
  return {
    role: units.every((unit) => unit.role === 'tool') ? 'tool' : 'user',
    text: messageText('user', ordered),
    calls: [],
    results: units.flatMap((unit) => unit.results),
    parts: ordered,
    losses: units.flatMap((unit) => unit.losses),
  };
}

/** Own texts are taken apart only here, where they are needed in parts. */
function partsOf(unit: Unit): readonly string[] {
  if (unit.parts) return unit.parts;
  const value = parseJson(unit.text);
  const content = textAt(unit.text, ['content']) ?? '[]';
  return isObject(value) && Array.isArray(value.content) ? elementTexts(content) : [textPart(content)];
}
