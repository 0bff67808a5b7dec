import { JsonTextError } from './error.ts';
import { MAX_DEPTH } from './limits.ts';
import { CLOSE_BRACE, CLOSE_BRACKET, COLON, COMMA, OPEN_BRACE, OPEN_BRACKET, QUOTE, skipSpace } from './scan.ts';

const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const LITERAL = /true|false|null/y;
// Bounded, because an unbounded repetition overflows the regular expression engine on long strings.
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what JSON strings may not hold
const STRING_PIECE = /(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})){1,4096}/y;

/**
 * The first place where a text stops being JSON, or undefined. Slow and exact: the native parser decides whether
 * a text is valid, this says where it is not.
 */
export function findJsonError(text: string): JsonTextError | undefined {
  try {
    const end = skipSpace(text, new Checker(text).document());
    return end === text.length ? undefined : new JsonTextError('text follows the value', end);
  } catch (error) {
    if (error instanceof JsonTextError) return error;
    throw error;
  }
}

class Checker {
  readonly #text: string;
  /** Closing brackets that are still to come, innermost last. */
  readonly #open: number[] = [];

  constructor(text: string) {
    this.#text = text;
  }

  document(): number {
    let at = this.#value(skipSpace(this.#text, 0));
    while (this.#open.length > 0) at = this.#next(skipSpace(this.#text, at));
    return at;
  }

  /** Reads a scalar, or opens an array or object and reads up to its first scalar. */
  #value(start: number): number {
    let at = start;
    for (;;) {
      const code = this.#text.charCodeAt(at);
      if (code !== OPEN_BRACE && code !== OPEN_BRACKET) return this.#scalar(at, code);
      const close = code === OPEN_BRACE ? CLOSE_BRACE : CLOSE_BRACKET;
      if (this.#open.length >= MAX_DEPTH) throw new JsonTextError(`nested deeper than ${MAX_DEPTH} levels`, at);
      at = skipSpace(this.#text, at + 1);
      if (this.#text.charCodeAt(at) === close) return at + 1;
      this.#open.push(close);
      if (close === CLOSE_BRACE) at = this.#key(at);
    }
  }

  /** After a complete value: a comma and the next value, or the end of the innermost array or object. */
  #next(at: number): number {
    const code = this.#text.charCodeAt(at);
    const close = this.#open[this.#open.length - 1];
    if (code === close) {
      this.#open.pop();
      return at + 1;
    }
    if (code !== COMMA)
      throw new JsonTextError(close === CLOSE_BRACE ? "',' or '}' expected" : "',' or ']' expected", at);
    const start = skipSpace(this.#text, at + 1);
    return this.#value(close === CLOSE_BRACE ? this.#key(start) : start);
  }

  #key(at: number): number {
    if (this.#text.charCodeAt(at) !== QUOTE) throw new JsonTextError('a key in double quotes expected', at);
    const colon = skipSpace(this.#text, this.#string(at));
    if (this.#text.charCodeAt(colon) !== COLON) throw new JsonTextError("':' expected", colon);
    return skipSpace(this.#text, colon + 1);
  }

  #scalar(at: number, code: number): number {
    if (code === QUOTE) return this.#string(at);
    for (const pattern of [NUMBER, LITERAL]) {
      pattern.lastIndex = at;
      if (pattern.test(this.#text)) return pattern.lastIndex;
    }
    throw new JsonTextError(
      at >= this.#text.length ? 'the text ends where a value is expected' : 'a value expected',
      at,
    );
  }

  #string(start: number): number {
    let at = start + 1;
    for (;;) {
      STRING_PIECE.lastIndex = at;
      if (!STRING_PIECE.test(this.#text)) break;
      at = STRING_PIECE.lastIndex;
    }
    if (this.#text.charCodeAt(at) === QUOTE) return at + 1;
    throw new JsonTextError(at >= this.#text.length ? 'the string does not end' : 'not allowed in a string', at);
  }
}
