import { sha256 } from './hash.ts';

/** The empty history, parent of every first message. It has no record. */
export const ROOT = '0'.repeat(40);

/** Length of an id in hexadecimal digits. */
export const ID_LENGTH = 40;

/**
 * Id rule 1: the first 40 hexadecimal digits of the SHA-256 of four lines: the rule, the parent's id, the dialect,
 * and the SHA-256 of the message's exact text. Ids outlive code: this never changes (docs/forest-rules.md).
 */
export function nodeId(parent: string, dialect: string, digest: string): string {
  return sha256(`skein-node/1\n${parent}\n${dialect}\n${digest}`).slice(0, ID_LENGTH);
}

/** Whether it looks like an id or the beginning of one. */
export function isIdPrefix(text: string): boolean {
  return /^[0-9a-f]{4,40}$/.test(text);
}
