/** A violation of a rule, in the words of OpenAI's API. */
export interface Finding {
  readonly message: string;
  readonly param: string | null;
  readonly code: string | null;
  /** Default 400. */
  readonly status?: number;
  /** It is not certain that the real API refuses this: a warning, not a refusal. */
  readonly unsure?: boolean;
}

export const finding = (message: string, param: string | null, code: string | null = null): Finding => ({
  message,
  param,
  code,
});

export const unsure = (found: Finding): Finding => ({ ...found, unsure: true });

export const unknownParameter = (param: string): Finding =>
  finding(`Unknown parameter: '${param}'.`, param, 'unknown_parameter');

export const missingParameter = (param: string): Finding =>
  finding(`Missing required parameter: '${param}'.`, param, 'missing_required_parameter');

export const wrongType = (param: string, expected: string, got: unknown): Finding =>
  finding(
    `Invalid type for '${param}': expected ${expected}, but got ${describeKind(got)} instead.`,
    param,
    'invalid_type',
  );

export const unsupportedValue = (param: string, got: unknown, supported: readonly string[]): Finding =>
  finding(`Invalid value: '${String(got)}'. Supported values are: ${quotedList(supported)}.`, param, 'invalid_value');

export const emptyArray = (param: string): Finding =>
  finding(
    `Invalid '${param}': empty array. Expected an array with minimum length 1, but got an empty array instead.`,
    param,
    'empty_array',
  );

export function* tooLong(param: string, value: unknown, max: number): Iterable<Finding> {
  if (typeof value !== 'string' || value.length <= max) return;
  const message = `Invalid '${param}': string too long. Expected a string with maximum length ${max}, but got a string with length ${value.length} instead.`;
  yield finding(message, param, 'string_above_max_length');
}

export function* mismatch(param: string, value: unknown, pattern: RegExp): Iterable<Finding> {
  if (typeof value !== 'string' || pattern.test(value)) return;
  const message = `Invalid '${param}': string does not match pattern. Expected a string that matches the pattern '${pattern.source}'.`;
  yield finding(message, param, 'invalid_value');
}

/** The kind of a value as OpenAI's type errors name it. */
function describeKind(value: unknown): string {
  if (value === null || value === undefined) return 'null';
  if (Array.isArray(value)) return 'an array';
  if (typeof value === 'number') return Number.isInteger(value) ? 'an integer' : 'a decimal';
  if (typeof value === 'object') return 'an object';
  return `a ${typeof value}`;
}

/** `'a', 'b', and 'c'`, as OpenAI lists supported values. */
function quotedList(values: readonly string[]): string {
  const quoted = values.map((value) => `'${value}'`);
  const last = quoted.pop() ?? '';
  if (quoted.length === 0) return last;
  return quoted.length === 1 ? `${quoted[0]} and ${last}` : `${quoted.join(', ')}, and ${last}`;
}
