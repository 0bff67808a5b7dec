import type { SseEvent } from './events-of.ts';
import { isRecord, numberText, parseSource, type Source } from './source-json.ts';

export interface Leaf {
  /** Where it stands, such as `choices[].delta.content`. */
  readonly path: string;
  readonly text: string;
  readonly isNumber: boolean;
}

export function leavesOf(value: Source, path = ''): Leaf[] {
  if (Array.isArray(value)) return value.flatMap((item) => leavesOf(item, `${path}[]`));
  const number = numberText(value);
  if (number !== undefined) return [{ path, text: number, isNumber: true }];
  if (isRecord(value))
    return Object.entries(value).flatMap(([name, member]) => leavesOf(member, path === '' ? name : `${path}.${name}`));
  return typeof value === 'string' && value !== '' ? [{ path, text: value, isNumber: false }] : [];
}

/**
 * The leaves of events that are nowhere in these texts, as themselves or as a piece of a longer string, apart from
 * those whose event type and path match.
 */
export function unheld(events: readonly SseEvent[], texts: readonly string[], apart: readonly RegExp[]): string[] {
  const held = texts.flatMap((text) => leavesOf(parseSource(text)));
  const numbers = new Set(held.filter((leaf) => leaf.isNumber).map((leaf) => leaf.text));
  const strings = held.flatMap((leaf) => (leaf.isNumber ? [] : [leaf.text])).join('\u0000');
  const seen = new Map<string, boolean>();
  const holds = ({ text, isNumber }: Leaf): boolean => {
    if (isNumber) return numbers.has(text);
    const known = seen.get(text) ?? strings.includes(text);
    seen.set(text, known);
    return known;
  };
  return events.flatMap(({ data }) => {
    if (data === '[DONE]') return [];
    const value = parseSource(data);
    const type = isRecord(value) && typeof value.type === 'string' ? `${value.type} ` : '';
    return leavesOf(value)
      .filter((leaf) => !apart.some((pattern) => pattern.test(type + leaf.path)) && !holds(leaf))
      .map((leaf) => `${type}${leaf.path}: ${leaf.text.slice(0, 80)}`);
  });
}
