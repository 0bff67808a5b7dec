import { createHash, hash } from 'node:crypto';
import { canonical } from '@skein/core';
import type { TakeRecord } from './records.ts';

/** The empty history, parent of every first message. It has no record. */
export const ROOT = '0'.repeat(40);

/** Length of an id in hexadecimal digits. */
export const ID_LENGTH = 40;

/**
 * Id rule 1: the first 40 hexadecimal digits of the SHA-256 of four lines: the rule, the parent's id, the dialect,
 * and the SHA-256 of the message's exact text. Ids outlive code: this never changes (docs/forest-rules.md).
 *
 * @example
 * const id = nodeId(ROOT, message.origin.dialect, message.facts.digest);
 */
export function nodeId(parent: string, dialect: string, digest: string): string {
  return sha256(`skein-node/1\n${parent}\n${dialect}\n${digest}`).slice(0, ID_LENGTH);
}

/** Whether a text looks like an id or a prefix of one. */
export function isIdPrefix(text: string): boolean {
  return /^[0-9a-f]{4,40}$/.test(text);
}

/**
 * Makes a take with its id. The same facts give the same id, wherever they are written.
 *
 * @example
 * const take = createTake({ node, at: Date.now(), author: 'person', via: 'append', origin: message.origin });
 */
export function createTake(facts: Omit<TakeRecord, 'k' | 'id'>): TakeRecord {
  const id = sha256(`skein-take/1\n${canonicalText(facts)}`).slice(0, 32);
  return { k: 'take', id, ...facts };
}

/** The same as `canonical(JSON.stringify(value))`, but without writing and parsing the JSON text: every message has a take. */
export function canonicalText(value: unknown): string {
  if (typeof value === 'string') return quoted(value);
  if (typeof value === 'boolean') return value ? 'true' : 'false';
  if (Number.isSafeInteger(value)) return integerText(value as number);
  if (typeof value !== 'object' || value === null) return canonical(JSON.stringify(value));
  let text = '';
  if (Array.isArray(value)) {
    for (const one of value) text += `${text && ','}${canonicalText(one ?? null)}`;
    return `[${text}]`;
  }
  const members = value as Readonly<Record<string, unknown>>;
  for (const name of inOrder(Object.keys(members))) {
    const member = members[name];
    if (member !== undefined) text += `${text && ','}${quoted(name)}:${canonicalText(member)}`;
  }
  return `{${text}}`;
}

/** Sorts by code units. For the few names of most objects, this is faster than `sort`. */
function inOrder(names: string[]): string[] {
  if (names.length > FEW) return names.sort();
  for (let from = 1; from < names.length; from++) {
    const name = names[from]!;
    let to = from;
    for (; to > 0 && names[to - 1]! > name; to--) names[to] = names[to - 1]!;
    names[to] = name;
  }
  return names;
}

const FEW = 32;

/**
 * The same as `JSON.stringify(text)` in half the time, because most texts need few escapes. A very long text goes to
 * `JSON.stringify`: it may need millions of escapes, and as many pieces would cost more memory than the text. So does one with
 * surrogates, of which only those without their other half are escaped.
 */
export function quoted(text: string): string {
  if (text.length > VERY_LONG) return JSON.stringify(text);
  let [done, from] = ['"', 0];
  ESCAPED.lastIndex = 0;
  while (ESCAPED.test(text)) {
    const at = ESCAPED.lastIndex - 1;
    const escaped = ESCAPES[text.charCodeAt(at)];
    if (escaped === undefined) return JSON.stringify(text);
    done += text.slice(from, at) + escaped;
    from = at + 1;
  }
  return `${done}${text.slice(from)}"`;
}

const VERY_LONG = 2 ** 20;
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are escaped, too.
const ESCAPED = /["\\\u0000-\u001f\ud800-\udfff]/g;
const ESCAPES = Array.from({ length: 128 }, (_, code) => JSON.stringify(String.fromCharCode(code)).slice(1, -1));

/** Writes an integer without trailing zeros, with an exponent: `1200` is `12e2`. */
function integerText(value: number): string {
  if (value % 10 !== 0) return String(value);
  if (value === 0) return '0';
  let [digits, exponent] = [value / 10, 1];
  for (; digits % 10 === 0; digits /= 10) exponent += 1;
  return `${digits}e${exponent}`;
}

/**
 * The SHA-256 of a text's UTF-8 bytes, or of bytes, in hex; of a text, the same as `digest` of core.
 *
 * @example
 * sha256('abc'); // 'ba7816bf8f01cfea…'
 */
export function sha256(text: string | Uint8Array): string {
  return hash('sha256', text, 'hex');
}

/** The SHA-256 of texts that follow each other, without joining them: none of them ends inside a surrogate pair. */
export function sha256OfPieces(texts: readonly (string | Uint8Array)[]): string {
  const state = createHash('sha256');
  for (const text of texts) state.update(text);
  return state.digest('hex');
}
