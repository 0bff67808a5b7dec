import {
  COLON,
  COMMA,
  endOfScalar,
  endOfValue,
  expect,
  JsonTextError,
  MAX_DEPTH,
  MAX_LENGTH,
  OPEN_BRACE,
  OPEN_BRACKET,
  QUOTE,
  skipSpace,
  tooDeep,
} from './scan.ts';

/**
 * Parses a JSON text within the limits; throws a `JsonTextError` that names the offset of the first mistake. Numbers
 * that a double cannot hold are rounded, so the result is only for looking at: what is stored and sent is the text.
 */
export function parseJson(text: string): unknown {
  if (text.length > MAX_LENGTH) throw new JsonTextError(`longer than ${MAX_LENGTH} characters`, MAX_LENGTH);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw findJsonError(text) ?? new JsonTextError('not JSON', 0);
  }
  // A shorter text cannot nest too deep, and most messages are short.
  if (text.length >= 2 * MAX_DEPTH) endOfValue(text, skipSpace(text, 0));
  return value;
}

/** Whether a text is one complete JSON value within the limits. */
export function isJson(text: string): boolean {
  try {
    parseJson(text);
    return true;
  } catch {
    return false;
  }
}

/** A parsed JSON object. */
export type JsonObject = { readonly [key: string]: unknown };

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Whether a value is a non-empty string. Many providers send optional members as `""`, which means the same as absent. */
export function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

// Bounded, because an unbounded repetition overflows the regular expression engine on long strings.
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what JSON strings may not hold
const STRING_PIECE = /(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})){1,4096}/y;

/**
 * The first mistake in a JSON text, or undefined when there is none. The native parser decides whether a text is valid;
 * this slower scan finds the offset of the mistake.
 */
export function findJsonError(text: string): JsonTextError | undefined {
  try {
    const end = skipSpace(text, checkValue(text, skipSpace(text, 0), 0));
    return end === text.length ? undefined : new JsonTextError('text follows the value', end);
  } catch (error) {
    return error as JsonTextError;
  }
}

/** The offset behind the value at `start`, after validating every character of it. */
function checkValue(text: string, start: number, depth: number): number {
  const open = text.charCodeAt(start);
  if (open === QUOTE) return checkString(text, start);
  if (open !== OPEN_BRACE && open !== OPEN_BRACKET) return endOfScalar(text, start);
  if (depth >= MAX_DEPTH) throw tooDeep(start);
  let at = skipSpace(text, start + 1);
  if (text.charCodeAt(at) === open + 2) return at + 1;
  for (;;) {
    if (open === OPEN_BRACE) {
      const keyEnd = checkString(text, expect(text, at, QUOTE));
      at = skipSpace(text, expect(text, skipSpace(text, keyEnd), COLON) + 1);
    }
    at = skipSpace(text, checkValue(text, at, depth + 1));
    if (text.charCodeAt(at) === open + 2) return at + 1;
    at = skipSpace(text, expect(text, at, COMMA) + 1);
  }
}

function checkString(text: string, start: number): number {
  let at = start + 1;
  for (STRING_PIECE.lastIndex = at; STRING_PIECE.test(text); ) at = STRING_PIECE.lastIndex;
  if (text[at] === '"') return at + 1;
  throw new JsonTextError(at >= text.length ? 'the string does not end' : 'not allowed in a string', at);
}
