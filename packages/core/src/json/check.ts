import { JsonTextError } from './error.ts';
import { MAX_DEPTH } from './limits.ts';
import { skipSpace } from './scan.ts';

const SCALAR = /true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
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
    if (error instanceof JsonTextError) return error;
    throw error;
  }
}

/** The offset after the value at `start`, every character of which was looked at. */
function checkValue(text: string, start: number, depth: number): number {
  if (text[start] === '"') return checkString(text, start);
  const close = text[start] === '{' ? '}' : text[start] === '[' ? ']' : undefined;
  if (!close) return checkScalar(text, start);
  if (depth >= MAX_DEPTH) throw new JsonTextError(`nested deeper than ${MAX_DEPTH} levels`, start);
  let at = skipSpace(text, start + 1);
  if (text[at] === close) return at + 1;
  for (;;) {
    if (close === '}') at = checkKey(text, at);
    at = skipSpace(text, checkValue(text, at, depth + 1));
    if (text[at] === close) return at + 1;
    at = after(text, at, ',', `',' or '${close}'`);
  }
}

function checkKey(text: string, at: number): number {
  if (text[at] !== '"') throw new JsonTextError('a key in double quotes expected', at);
  return after(text, skipSpace(text, checkString(text, at)), ':', "':'");
}

function checkScalar(text: string, at: number): number {
  SCALAR.lastIndex = at;
  if (SCALAR.test(text)) return SCALAR.lastIndex;
  throw new JsonTextError(at >= text.length ? 'the text ends where a value is expected' : 'a value expected', at);
}

function checkString(text: string, start: number): number {
  let at = start + 1;
  for (STRING_PIECE.lastIndex = at; STRING_PIECE.test(text); ) at = STRING_PIECE.lastIndex;
  if (text[at] === '"') return at + 1;
  throw new JsonTextError(at >= text.length ? 'the string does not end' : 'not allowed in a string', at);
}

function after(text: string, at: number, sign: string, what: string): number {
  if (text[at] !== sign) throw new JsonTextError(`${what} expected`, at);
  return skipSpace(text, at + 1);
}
