import fc from 'fast-check';
import { expect, test } from 'vitest';
import { fromStored, toStored } from './rows.ts';

const anyText = fc.string({ unit: fc.integer({ min: 0, max: 0xffff }).map((code) => String.fromCharCode(code)) });
const awkward = fc.string({
  unit: fc.constantFrom('\0', '\u001b', '\ud800', '\udc00', '0', '1', 'b', 'd', '8', '\\', '😀'),
});

test('every text of code units comes back, and what is stored is storable', () => {
  fc.assert(
    fc.property(fc.oneof(anyText, awkward), (text) => {
      const stored = toStored(text);
      expect(stored).not.toContain('\0');
      expect(Buffer.from(stored).toString()).toBe(stored);
      expect(fromStored(stored)).toBe(text);
    }),
  );
});

test('a JSON text is stored as it is', () => {
  const text = JSON.stringify({ a: '\u001b\0\ud800 ä😀', b: [1e21] });
  expect(toStored(text)).toBe(text);
});
