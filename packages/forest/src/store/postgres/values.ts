import { ROOT } from '../../model/ids.ts';

/**
 * PostgreSQL's text cannot hold U+0000, and a lone surrogate has no UTF-8 form. Such code units, and U+001B itself, are
 * escaped as U+001B and four hexadecimal digits. JSON texts have none of them raw except lone surrogates, so nearly all
 * texts are stored unchanged.
 */
const ESCAPE = '\u001b';
const UNSTORABLE = new RegExp(`[${String.raw`\0\u001b`}]|\\p{Surrogate}`, 'gu');
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for.
const CONTROL = /[\0\u001b]/;
const ESCAPED = new RegExp(`${ESCAPE}([0-9a-f]{4})`, 'g');

/** Escapes a text for PostgreSQL; most texts stay unchanged. */
export function toStored(text: string): string {
  if (text.isWellFormed() && !CONTROL.test(text)) return text;
  return text.replace(UNSTORABLE, (unit) => `${ESCAPE}${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** Undoes `toStored`. */
export function fromStored(text: string): string {
  if (!text.includes(ESCAPE)) return text;
  return text.replace(ESCAPED, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 16)));
}

/**
 * Ids and digests are hexadecimal, and stored as bytes: that is half the space, in the row and in every index. The root, which
 * is the parent or the lead of many nodes, is no byte at all. What is not hexadecimal, which no id of a record is by its rule, is its
 * text after more bytes than any of those has.
 */
const MOST_BYTES = 32;
const TEXT_MARK = Buffer.alloc(MOST_BYTES + 1);
const HEXADECIMAL = /^(?:[0-9a-f]{2}){1,32}$/;

export function idBytes(id: string): Buffer {
  if (id === ROOT) return Buffer.alloc(0);
  return HEXADECIMAL.test(id) ? Buffer.from(id, 'hex') : textBytes(id);
}

/** Reads the hexadecimal digits of the bytes of an id. */
export function readId(digits: string): string {
  if (digits.length === 0) return ROOT;
  return digits.length <= 2 * MOST_BYTES ? digits : readText(digits);
}

/** The bytes of the first and of the last id that can begin with some characters. */
export function idRange(prefix: string): [first: Buffer, last: Buffer] {
  if (!/^[0-9a-f]*$/.test(prefix))
    return [textBytes(prefix), Buffer.concat([textBytes(prefix), Buffer.from('\u{10ffff}')])];
  const first = prefix.length % 2 === 0 ? prefix : `${prefix}0`;
  return [Buffer.from(first, 'hex'), Buffer.from(prefix.padEnd(2 * MOST_BYTES, 'f'), 'hex')];
}

/** The bytes of an id of which the digits were read: a position in a list. */
export function digitBytes(digits: unknown): Buffer {
  return Buffer.from(String(digits), 'hex');
}

/** An echo is the version of its rule and a hash: `1:…`. */
const ECHO = /^\d:[0-9a-f]{32}$/;
const ECHO_DIGITS = 34;

export function echoBytes(echo: string): Buffer {
  return ECHO.test(echo) ? Buffer.from(`0${echo.charAt(0)}${echo.slice(2)}`, 'hex') : textBytes(echo);
}

export function readEcho(digits: string): string {
  return digits.length === ECHO_DIGITS ? `${digits.charAt(1)}:${digits.slice(2)}` : readText(digits);
}

function textBytes(text: string): Buffer {
  return Buffer.concat([TEXT_MARK, Buffer.from(toStored(text))]);
}

function readText(digits: string): string {
  return fromStored(Buffer.from(digits.slice(2 * TEXT_MARK.length), 'hex').toString());
}
