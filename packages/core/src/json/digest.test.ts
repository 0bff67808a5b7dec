import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { digest } from './index.ts';

it('a digest is the SHA-256 of the UTF-8 bytes, as every other implementation has it', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 300 }), (text) => {
      expect(digest(text)).toBe(createHash('sha256').update(text, 'utf8').digest('hex'));
    }),
  );
});
