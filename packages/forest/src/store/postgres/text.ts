/**
 * PostgreSQL's text refuses U+0000, and a lone surrogate has no UTF-8 form. Such code units are written as an escape:
 * U+001B and their four hexadecimal digits; U+001B itself, too. No JSON text has any of them raw, lone surrogates
 * aside, so what is stored is the text itself.
 */
const ESCAPE = '\u001b';
const UNSTORABLE = new RegExp(`[${String.raw`\0\u001b`}]|\\p{Surrogate}`, 'gu');
const ESCAPED = new RegExp(`${ESCAPE}([0-9a-f]{4})`, 'g');

/** A text as PostgreSQL can hold it; the same text unless it has one of those code units. */
export function toStored(text: string): string {
  return text.replace(UNSTORABLE, (unit) => `${ESCAPE}${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** The text that `toStored` was given. */
export function fromStored(text: string): string {
  if (!text.includes(ESCAPE)) return text;
  return text.replace(ESCAPED, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 16)));
}
