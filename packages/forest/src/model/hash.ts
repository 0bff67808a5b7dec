import { hash } from 'node:crypto';
import type { Message } from '@skein/core';

/** SHA-256 of a text's UTF-8 bytes, in hex; the same as `digest` of core. */
export function sha256(text: string): string {
  return hash('sha256', text, 'hex');
}

const digests = new WeakMap<Message, string>();

/** SHA-256 of a message's text, made once. Asking for the facts of a message would parse it, too. */
export function rawDigest(message: Message): string {
  let known = digests.get(message);
  if (known === undefined) {
    known = sha256(message.raw);
    digests.set(message, known);
  }
  return known;
}
