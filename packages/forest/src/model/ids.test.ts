import { canonical } from '@skein/core';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { canonicalText } from './ids.ts';

test('the text that the id of a take is made of is the canonical JSON text', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      expect(canonicalText(value)).toBe(canonical(JSON.stringify(value)));
    }),
  );
  fc.assert(
    fc.property(fc.maxSafeInteger(), fc.nat(15), (digits, zeros) => {
      const value = (digits % 10 ** (15 - zeros)) * 10 ** zeros;
      expect(canonicalText(value)).toBe(canonical(JSON.stringify(value)));
    }),
  );
  const many = Object.fromEntries(Array.from({ length: 40 }, (_, at) => [`name ${(at * 7) % 40}`, at]));
  expect(canonicalText(many)).toBe(canonical(JSON.stringify(many)));
  const facts = { b: undefined, a: [1000, 1.5e30, null, 'é\n'], '\u{1f642}': true, '\uffff': {} };
  expect(canonicalText(facts)).toBe(canonical(JSON.stringify(facts)));
});
