import { endOfValue, findElements, findMembers, skipSpace } from '../../json/index.ts';
import { allowsType, inElement, inMember, type SchemaPlace } from './schema-place.ts';

/** Whether a JSON text may hold an integer that a double cannot: cheap, and mostly false. */
export function mayHoldLargeIntegers(text: string): boolean {
  return /\d{16}/.test(text);
}

/** An integer in a value. */
export interface IntegerAt {
  readonly place: SchemaPlace;
  readonly path: readonly (string | number)[];
  /** Outside of ±(2^53 − 1). */
  readonly isLarge: boolean;
}

/** What becomes of an integer; `number` rounds a large one, for checkers that know nothing else. */
export type IntegerForm = 'bigint' | 'digits' | 'number';

/** What a tool gets: large ones as `bigint` where the schema has an integer, else as their digits; others as numbers. */
export function toolForm({ place, isLarge }: IntegerAt): IntegerForm {
  if (!isLarge) return 'number';
  return allowsType(place, 'integer') ? 'bigint' : 'digits';
}

/** The value of a JSON text, in which each integer has the form that `formOf` gives it. */
export function exactValue(
  text: string,
  place: SchemaPlace,
  formOf: (integer: IntegerAt) => IntegerForm,
  path: IntegerAt['path'] = [],
  start = skipSpace(text, 0),
): unknown {
  if (text[start] === '{') {
    return Object.fromEntries(
      findMembers(text, start).map(({ name, start: at }) => [
        name,
        exactValue(text, inMember(place, name), formOf, [...path, name], at),
      ]),
    );
  }
  if (text[start] === '[') {
    return findElements(text, start).map((range, index) =>
      exactValue(text, inElement(place, index), formOf, [...path, index], range.start),
    );
  }
  const scalar = text.slice(start, endOfValue(text, start));
  const value: unknown = JSON.parse(scalar);
  if (typeof value !== 'number' || !/^-?\d+$/.test(scalar)) return value;
  const form = formOf({ place, path, isLarge: !Number.isSafeInteger(value) });
  if (form === 'number') return value;
  return form === 'bigint' ? BigInt(scalar) : scalar;
}
