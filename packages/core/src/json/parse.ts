import { SkeinError } from '../error.ts';

/** How deep arrays and objects may nest. Deeper text is rejected, so that no recursive reader overflows the stack. */
export const MAX_DEPTH = 512;

/** The longest JSON text that is accepted, in UTF-16 code units. */
export const MAX_LENGTH = 256 * 1024 * 1024;

/** Thrown for text that is not valid JSON. `offset` counts UTF-16 code units from the start of the text. */
export class JsonTextError extends SkeinError {
  override readonly name = 'JsonTextError';
  readonly code = 'invalid_json';
  readonly offset: number;

  constructor(problem: string, offset: number) {
    super(`Invalid JSON at offset ${offset}: ${problem}`);
    this.offset = offset;
  }
}

/** The position of a value in a text: `text.slice(start, end)`. */
export interface Range {
  readonly start: number;
  readonly end: number;
}

export const QUOTE = 0x22;
export const COMMA = 0x2c;
const COLON = 0x3a;
export const OPEN_BRACKET = 0x5b;
const BACKSLASH = 0x5c;
export const CLOSE_BRACKET = 0x5d;
export const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

/** Returns `at` if the character there has that code; throws otherwise. */
function expect(text: string, at: number, code: number): number {
  if (text.charCodeAt(at) !== code) throw new JsonTextError(`'${String.fromCharCode(code)}' expected`, at);
  return at;
}

export function skipSpace(text: string, at: number): number {
  for (;;) {
    const code = text.charCodeAt(at);
    if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) return at;
    at++;
  }
}

/** The offset behind the closing quote of the string that opens at `start`. */
export function endOfString(text: string, start: number): number {
  let at = start + 1;
  for (;;) {
    const quote = text.indexOf('"', at);
    if (quote === -1) throw new JsonTextError('the string does not end', start);
    if (text.charCodeAt(quote - 1) !== BACKSLASH) return quote + 1;
    let slashes = 1;
    while (text.charCodeAt(quote - 1 - slashes) === BACKSLASH) slashes++;
    // The run of backslashes cannot reach past the opening quote, so an even number means that this quote is not escaped.
    if (slashes % 2 === 0) return quote + 1;
    at = quote + 1;
  }
}

/**
 * The offset behind the value that starts at `start`. Nested values are skipped without being validated: `parseJson`
 * validates each text once, when it comes in.
 */
export function endOfValue(text: string, start: number): number {
  const first = text.charCodeAt(start);
  if (first === QUOTE) return endOfString(text, start);
  if (first === OPEN_BRACE || first === OPEN_BRACKET) return endOfNested(text, start);
  return endOfScalar(text, start);
}

function endOfNested(text: string, start: number): number {
  let depth = 1;
  let at = start + 1;
  while (depth > 0) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) {
      at = endOfString(text, at);
      continue;
    }
    if (code === OPEN_BRACE || code === OPEN_BRACKET) {
      if (++depth > MAX_DEPTH) throw tooDeep(at);
    } else if (code === CLOSE_BRACE || code === CLOSE_BRACKET) depth--;
    else if (at >= text.length) throw new JsonTextError('the text ends inside an array or object', at);
    at++;
  }
  return at;
}

function tooDeep(at: number): JsonTextError {
  return new JsonTextError(`nested deeper than ${MAX_DEPTH} levels`, at);
}

const SCALAR = /true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;

/** The offset behind a number, `true`, `false` or `null`. This validates the scalar, too, because there is no cheaper way to find its end. */
function endOfScalar(text: string, start: number): number {
  SCALAR.lastIndex = start;
  if (SCALAR.test(text)) return SCALAR.lastIndex;
  throw new JsonTextError('a value expected', start);
}

/**
 * Parses a JSON text within the limits; throws a `JsonTextError` that names the offset of the first mistake. Numbers
 * that a double cannot hold are rounded, so the result is only for looking at: what is stored and sent is the text.
 *
 * @example
 * parseJson('{"a":[1,2]}'); // { a: [1, 2] }
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

/**
 * Whether a text is one complete JSON value within the limits.
 *
 * @example
 * isJson('{"a":1}'); // true
 * isJson('{"a":1,}'); // false
 */
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

/**
 * Whether a value is an object that is neither null nor an array.
 *
 * @example
 * isObject({}); // true
 * isObject([]); // false
 */
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

/** An element of an array, named by its index, or a member of an object, named by its key, with the position of its value. */
export interface Item extends Range {
  readonly name: string | number;
  /** The start of the member's key, or of the element itself. */
  readonly keyStart: number;
}

/** A member of an object, with the position of its value. */
interface Member extends Item {
  readonly name: string;
}

/** The way to a nested value: member names and array indexes. */
export type Path = readonly (string | number)[];

/**
 * The elements or members of the array or object that starts at `start`, in order and with duplicates, or only those of one name;
 * none for other values.
 */
export function findItems(text: string, start: number, wanted?: string | number): Item[] {
  const open = text.charCodeAt(start);
  const items: Item[] = [];
  let at = skipSpace(text, start + 1);
  if ((open !== OPEN_BRACE && open !== OPEN_BRACKET) || text.charCodeAt(at) === open + 2) return items;
  for (let index = 0; ; index++) {
    const keyStart = at;
    let name: string | number = index;
    if (open === OPEN_BRACE) {
      const keyEnd = endOfString(text, expect(text, at, QUOTE));
      name = readName(text, at, keyEnd);
      at = skipSpace(text, expect(text, skipSpace(text, keyEnd), COLON) + 1);
    }
    const end = endOfValue(text, at);
    if (wanted === undefined || name === wanted) items.push({ name, keyStart, start: at, end });
    at = skipSpace(text, end);
    if (text.charCodeAt(at) === open + 2) return items;
    at = skipSpace(text, expect(text, at, COMMA) + 1);
  }
}

/**
 * The members of the object that starts at `start`, in order and with duplicates.
 *
 * @example
 * findMembers('{"a":1,"b":2}').map(({ name }) => name); // ['a', 'b']
 */
export function findMembers(text: string, start = skipSpace(text, 0)): Member[] {
  return findItems(text, expect(text, start, OPEN_BRACE)) as Member[];
}

/** The positions of the elements of the array that starts at `start`, in order. */
export function findElements(text: string, start = skipSpace(text, 0)): Item[] {
  return findItems(text, expect(text, start, OPEN_BRACKET));
}

/**
 * The exact texts of an array's elements.
 *
 * @example
 * elementTexts('[1.0, "a"]'); // ['1.0', '"a"']
 */
export function elementTexts(text: string, start?: number): string[] {
  return findElements(text, start).map((range) => text.slice(range.start, range.end));
}

/** Calls `read` with the value and the exact text of each element of an object's list; returns [] when there is no list. */
export function mapElements<T>(
  text: string,
  object: JsonObject,
  name: string,
  read: (value: unknown, text: string, index: number) => T,
): T[] {
  const values = object[name];
  if (!Array.isArray(values)) return [];
  const texts = elementTexts(text, find(text, [name])!.start);
  return values.map((value: unknown, index) => read(value, texts[index]!, index));
}

/**
 * The position of the value at a path, or undefined when there is none. The last of duplicate members wins.
 *
 * @example
 * find('{"a":[10,20]}', ['a', 1]); // { start: 9, end: 11 }
 */
export function find(text: string, path: Path, start = skipSpace(text, 0)): Range | undefined {
  let at = start;
  let found: Range | undefined;
  for (const step of path) {
    found = findItems(text, at, step).at(-1);
    if (!found) return undefined;
    at = found.start;
  }
  return found ?? { start, end: endOfValue(text, start) };
}

/**
 * The exact text of the value at a path, or undefined when there is none.
 *
 * @example
 * textAt('{"a":[1.0]}', ['a', 0]); // '1.0'
 */
export function textAt(text: string, path: Path): string | undefined {
  const range = find(text, path);
  return range && text.slice(range.start, range.end);
}

function readName(text: string, start: number, end: number): string {
  for (let at = start + 1; at < end - 1; at++) {
    if (text.charCodeAt(at) === BACKSLASH) return JSON.parse(text.slice(start, end)) as string;
  }
  return text.slice(start + 1, end - 1);
}
