import { canonical } from '@skein/core';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { canonicalText, quoted } from './ids.ts';

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

test('texts are quoted as JSON.stringify does, with surrogates and without', () => {
  const letters = ['a', '"', '\\', '\n', '\u0000', '\u007f', 'é', '—', '😀', '\ud83d', '\ude00', '\ufffd', '\u2028'];
  for (const first of letters)
    for (const second of letters)
      for (const text of [`${first}${second}`, `xx${first}yy${second}zz`, `${second}xx${first}`])
        expect(quoted(text)).toBe(JSON.stringify(text));
});
