import fc from 'fast-check';
import { anywhere, unknownValue } from '../../packages/core/test/properties/unknown-json.ts';

const JUNK = [
  '',
  '"',
  '\\',
  '{',
  '}',
  '[',
  ']',
  ',',
  ':',
  '\n',
  '\n\n',
  'null',
  '-',
  '1e999',
  '\u0000',
  '\ud800',
  '﻿',
  'é',
];
const junk = fc.oneof(fc.constantFrom(...JUNK), unknownValue, fc.string({ unit: 'binary', maxLength: 5 }));

interface Change {
  readonly at: number;
  readonly length: number;
  readonly what: 'remove' | 'repeat' | 'replace' | 'cut' | 'value';
  readonly by: string;
  /** In place of a value. */
  readonly value: string;
}

const change: fc.Arbitrary<Change> = fc.record({
  at: anywhere,
  length: fc.integer({ min: 0, max: 40 }),
  // Most changes keep the text valid JSON: other texts are refused early, and show little.
  what: fc.constantFrom('remove', 'repeat', 'replace', 'cut', ...Array.from({ length: 8 }, () => 'value' as const)),
  by: junk,
  value: fc.oneof(unknownValue, fc.constantFrom('null', '""', '[]', '{}', '0', '-1', 'true')),
});

/** One of these texts with a few pieces removed, duplicated or replaced, or with its end cut off. */
export function mutated(texts: readonly string[]): fc.Arbitrary<string> {
  return fc.tuple(fc.constantFrom(...texts), fc.array(change, { maxLength: 4 })).map(([text, changes]) => {
    let result = text;
    for (const one of changes) result = apply(result, one);
    return result;
  });
}

function apply(text: string, { at, length, what, by, value }: Change): string {
  if (what === 'value') return withValue(text, at, value);
  const start = Math.floor(at * text.length);
  const [before, piece, behind] = [text.slice(0, start), text.slice(start, start + length), text.slice(start + length)];
  if (what === 'cut') return before;
  if (what === 'remove') return before + behind;
  return before + (what === 'repeat' ? piece + piece : by) + behind;
}

/** Replaces a string, number or literal that is not a member name by another value. */
function withValue(text: string, at: number, value: string): string {
  const places = [...text.matchAll(/"(?:[^"\\]|\\.)*"(?!\s*:)|-?\d[\d.eE+-]*|\b(?:true|false|null)\b/g)];
  const place = places[Math.min(places.length - 1, Math.floor(at * places.length))];
  if (!place) return text + value;
  return text.slice(0, place.index) + value + text.slice(place.index + place[0].length);
}
