/**
 * Signatures and ciphertexts that carry what they stand for, encrypted and authenticated, as the real ones do: nothing
 * has to be stored, and with the same secret they outlive the process.
 */
import { createCipheriv, createDecipheriv, createHash } from 'node:crypto';
import { isObject, parseJson } from '../json.ts';
import type { Issued } from '../rules/verdict.ts';

export interface Sealer {
  /** The nonce keeps two seals of the same content apart. */
  seal(issued: Issued, nonce: string): string;
  open(value: string): Issued | undefined;
}

const ALGORITHM = 'aes-256-gcm';
const IV = 12;
const TAG = 16;
const digest = (text: string): Buffer => createHash('sha256').update(text).digest();

export function createSealer(secret: string): Sealer {
  const key = digest(secret);
  return {
    seal(issued, nonce) {
      const content = JSON.stringify(issued);
      const iv = digest(JSON.stringify([secret, nonce, content])).subarray(0, IV);
      const cipher = createCipheriv(ALGORITHM, key, iv);
      const sealed = Buffer.concat([cipher.update(content, 'utf8'), cipher.final()]);
      return Buffer.concat([iv, cipher.getAuthTag(), sealed]).toString('base64');
    },
    open(value) {
      const bytes = Buffer.from(value, 'base64');
      // Base64 can be altered without altering the bytes: a signature is its exact text.
      if (bytes.length < IV + TAG || bytes.toString('base64') !== value) return undefined;
      try {
        const decipher = createDecipheriv(ALGORITHM, key, bytes.subarray(0, IV));
        decipher.setAuthTag(bytes.subarray(IV, IV + TAG));
        const opened = parseJson(
          Buffer.concat([decipher.update(bytes.subarray(IV + TAG)), decipher.final()]).toString('utf8'),
        );
        return isObject(opened) ? opened : undefined;
      } catch {
        return undefined;
      }
    },
  };
}
