/** JSON values, and JSON text that is written unchanged. */

export type Json = Readonly<Record<string, unknown>>;

export const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export const objects = (value: unknown): readonly Json[] => (Array.isArray(value) ? value.filter(isObject) : []);

/** The objects of a list with their places in it; a value that is no list has none. */
export function* eachObject(value: unknown): Iterable<readonly [number, Json]> {
  if (!Array.isArray(value)) return;
  for (const [index, entry] of value.entries()) if (isObject(entry)) yield [index, entry];
}

export const asText = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

/** Optional fields may be sent as null. */
export const isSet = (value: unknown): boolean => value !== undefined && value !== null;

/** The value of a JSON text; undefined when the text is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** One half of a surrogate pair without the other. */
export const LONE_SURROGATE = /\p{Surrogate}/u;

/** Whether a value or one of its names contains a lone surrogate. JSON parsers in other languages refuse such a text. */
export function hasLoneSurrogate(value: unknown): boolean {
  if (typeof value === 'string') return LONE_SURROGATE.test(value);
  if (Array.isArray(value)) return value.some(hasLoneSurrogate);
  return (
    isObject(value) && Object.entries(value).some(([name, item]) => LONE_SURROGATE.test(name) || hasLoneSurrogate(item))
  );
}

const RAW = Symbol('raw JSON');

interface RawJson {
  readonly [RAW]: string;
}

/** A value given as JSON text, for numbers and escapes that JavaScript would rewrite: `rawJson('12345678901234567890')`. */
export const rawJson = (text: string): RawJson => ({ [RAW]: text });

const isRaw = (value: unknown): value is RawJson => typeof value === 'object' && value !== null && RAW in value;

/** Like `JSON.stringify`, but writes `rawJson` values unchanged. */
export function stringify(value: unknown): string {
  if (isRaw(value)) return value[RAW];
  if (Array.isArray(value)) return `[${value.map(stringify).join(',')}]`;
  if (!isObject(value)) return JSON.stringify(value ?? null);
  const fields = Object.entries(value).filter(([, item]) => item !== undefined);
  return `{${fields.map(([name, item]) => `${JSON.stringify(name)}:${stringify(item)}`).join(',')}}`;
}

/** The value as a client reads it: `rawJson` values parsed. */
export const plain = (value: unknown): unknown => JSON.parse(stringify(value));
