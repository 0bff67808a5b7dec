import { hash } from '@stablelib/sha256';

const encoder = /* @__PURE__ */ new TextEncoder();

/** SHA-256 of a text's UTF-8 bytes, in hex. */
export function digest(text: string): string {
  let hex = '';
  for (const byte of hash(encoder.encode(text))) hex += (byte + 0x100).toString(16).slice(1);
  return hex;
}
