import { find, type Path } from '../../json/index.ts';

/**
 * The text between the quotes of a string in an event, escapes and all. Most events have no escapes: then it is the
 * parsed value, and nothing needs to be looked for.
 */
export function escapedPiece(data: string, path: Path, value: string): string {
  if (data.indexOf('\\') < 0) return value;
  const range = find(data, path);
  return range ? data.slice(range.start + 1, range.end - 1) : JSON.stringify(value).slice(1, -1);
}
