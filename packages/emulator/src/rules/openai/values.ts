export type Fields = Readonly<Record<string, unknown>>;

export const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The objects of a list; anything else is left to the rule that looks at types. */
export function* eachFields(value: unknown): Iterable<readonly [number, Fields]> {
  if (!Array.isArray(value)) return;
  for (const [index, entry] of value.entries()) if (isFields(entry)) yield [index, entry];
}

export const text = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

/** Optional fields may be sent as null. */
export const isSet = (value: unknown): boolean => value !== undefined && value !== null;

/** The kind of a value as OpenAI's type errors name it. */
export function kindOf(value: unknown): string {
  if (value === null || value === undefined) return 'null';
  if (Array.isArray(value)) return 'an array';
  if (typeof value === 'number') return Number.isInteger(value) ? 'an integer' : 'a decimal';
  if (typeof value === 'object') return 'an object';
  return `a ${typeof value}`;
}

/** `'a', 'b', and 'c'`, as OpenAI lists supported values. */
export function quotedList(values: readonly string[]): string {
  const quoted = values.map((value) => `'${value}'`);
  const last = quoted.pop() ?? '';
  if (quoted.length === 0) return last;
  return quoted.length === 1 ? `${quoted[0]} and ${last}` : `${quoted.join(', ')}, and ${last}`;
}
