import fc from 'fast-check';
import { expect, test } from 'vitest';
import { textPieces } from './utf8.ts';

test('a text in pieces has all its characters, and none is split', () => {
  const text = fc.string({ unit: 'binary', maxLength: 60 });
  fc.assert(
    fc.property(text, fc.integer({ min: 4, max: 20 }), (given, size) => {
      const whole = given.toWellFormed();
      const pieces = [...textPieces(Buffer.from(whole), size)];
      expect(pieces.join('')).toBe(whole);
      expect(pieces.every((piece) => piece !== '' && Buffer.byteLength(piece) <= size)).toBe(true);
    }),
  );
});
