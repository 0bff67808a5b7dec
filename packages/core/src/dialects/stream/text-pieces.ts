import { find, type Path } from '../../json/index.ts';

/** For patterns of usual events: a string, quotes and all, and a number that counts. */
export const STRING = String.raw`("[ !#-[\]-\uffff]*(?:\\(?:["\\/bfnrt]|u[\dA-Fa-f]{4})[ !#-[\]-\uffff]*)*")`;
export const COUNT = String.raw`(0|[1-9]\d{0,8})`;

/**
 * What the pattern of a dialect's usual event takes out of it; nothing when the event is another, or long. Nearly all
 * events of a stream differ in one string only, and a pattern that accepts nothing but JSON reads them faster than a
 * parser does.
 */
export function usualParts(pattern: RegExp, data: string): readonly (string | undefined)[] {
  return (data.length < 4096 && pattern.exec(data)) || [];
}

/** The text between the quotes of a string; the value itself where that is the same, so as not to keep the event. */
export function pieceOf(json: string, value: string): string {
  return value.length + 2 === json.length ? value : json.slice(1, -1);
}

/**
 * The text between the quotes of a string in an event, escapes and all. Most events have no escapes: then it is the
 * parsed value. JSON has more than one spelling only for what is written as `\\u` or `\\/`, so without those it is what
 * the native printer makes of the value. Only else it is looked for.
 */
export function escapedPiece(data: string, path: Path, value: string): string {
  if (data.indexOf('\\') < 0) return value;
  if (data.indexOf('\\u') < 0 && data.indexOf('\\/') < 0) {
    const printed = JSON.stringify(value);
    // The printer escapes half a character, which the text then holds as it is.
    if (printed.indexOf('\\u') < 0) return printed.slice(1, -1);
  }
  const range = find(data, path);
  return range ? data.slice(range.start + 1, range.end - 1) : JSON.stringify(value).slice(1, -1);
}
