import { elementsOf, endOfValue, membersOf, skipSpace } from '../../json/index.ts';
import { inElement, inMember, type SchemaPlace } from './schema-place.ts';

/** Whether a JSON text may hold an integer that a double cannot: cheap, and mostly false. */
export function mayHoldLargeIntegers(text: string): boolean {
  return /\d{16}/.test(text);
}

/** What becomes of a large integer; `number` rounds it, for checkers that know nothing else. */
export type IntegerForm = 'bigint' | 'digits' | 'number';

/**
 * The value of a JSON text, in which integers outside of ±(2^53 − 1) have the form that `formOf` gives for their place
 * in the schema.
 */
export function exactValue(
  text: string,
  place: SchemaPlace,
  formOf: (place: SchemaPlace) => IntegerForm,
  start = skipSpace(text, 0),
): unknown {
  if (text[start] === '{') {
    return Object.fromEntries(
      membersOf(text, start).map((member) => [
        member.name,
        exactValue(text, inMember(place, member.name), formOf, member.start),
      ]),
    );
  }
  if (text[start] === '[') {
    return elementsOf(text, start).map((range, index) =>
      exactValue(text, inElement(place, index), formOf, range.start),
    );
  }
  const scalar = text.slice(start, endOfValue(text, start));
  const value: unknown = JSON.parse(scalar);
  if (typeof value !== 'number' || Number.isSafeInteger(value) || !/^-?\d+$/.test(scalar)) return value;
  const form = formOf(place);
  if (form === 'number') return value;
  return form === 'bigint' ? BigInt(scalar) : scalar;
}
