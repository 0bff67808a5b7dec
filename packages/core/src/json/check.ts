import { JsonTextError } from './error.ts';
import { MAX_DEPTH } from './limits.ts';
import { COLON, COMMA, endOfScalar, expect, OPEN_BRACE, OPEN_BRACKET, QUOTE, skipSpace, tooDeep } from './scan.ts';

// Bounded, because an unbounded repetition overflows the regular expression engine on long strings.
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what JSON strings may not hold
const STRING_PIECE = /(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})){1,4096}/y;

/**
 * The first place where a text stops being JSON, or undefined. Slow and exact: the native parser decides whether
 * a text is valid, this says where it is not.
 */
export function findJsonError(text: string): JsonTextError | undefined {
  try {
    const end = skipSpace(text, checkValue(text, skipSpace(text, 0), 0));
    return end === text.length ? undefined : new JsonTextError('text follows the value', end);
  } catch (error) {
    return error as JsonTextError;
  }
}

/** The offset after the value at `start`, every character of which was looked at. */
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
