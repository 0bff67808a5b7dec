import { find, type Path } from '../../json/index.ts';

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
