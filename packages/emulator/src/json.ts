/** JSON values, and JSON text that is written as it stands. */

export type Json = Readonly<Record<string, unknown>>;

export const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export const objects = (value: unknown): readonly Json[] => (Array.isArray(value) ? value.filter(isObject) : []);

export const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

/** The value of a JSON text; undefined when it is none. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** A surrogate without its other half. */
export const LONE_SURROGATE = /\p{Surrogate}/u;

/** Whether half a character stands in a value, names included. Parsers in other languages refuse such a text. */
export function holdsHalfCharacter(value: unknown): boolean {
  if (typeof value === 'string') return LONE_SURROGATE.test(value);
  if (Array.isArray(value)) return value.some(holdsHalfCharacter);
  return (
    isObject(value) &&
    Object.entries(value).some(([name, item]) => LONE_SURROGATE.test(name) || holdsHalfCharacter(item))
  );
}

const RAW = Symbol('raw JSON');

interface RawJson {
  readonly [RAW]: string;
}

/** A value given by its text, for numbers and escapes that JavaScript would rewrite: `rawJson('12345678901234567890')`. */
export const rawJson = (text: string): RawJson => ({ [RAW]: text });

const isRaw = (value: unknown): value is RawJson => typeof value === 'object' && value !== null && RAW in value;

/** Like `JSON.stringify`, with `rawJson` values as they stand. */
export function stringify(value: unknown): string {
  if (isRaw(value)) return value[RAW];
  if (Array.isArray(value)) return `[${value.map(stringify).join(',')}]`;
  if (!isObject(value)) return JSON.stringify(value ?? null);
  const fields = Object.entries(value).filter(([, item]) => item !== undefined);
  return `{${fields.map(([name, item]) => `${JSON.stringify(name)}:${stringify(item)}`).join(',')}}`;
}

/** The value as a client reads it. */
export const plain = (value: unknown): unknown => JSON.parse(stringify(value));
