import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sha256 } from './digest.ts';
import { canonical, digest } from './index.ts';

const expected = (text: string): string => createHash('sha256').update(text, 'utf8').digest('hex');

describe.each([
  ['the digest', digest],
  ['the digest where the platform has none', sha256],
])('%s', (_, hash) => {
  it('is the SHA-256 of the UTF-8 bytes, as every other implementation has it', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 300 }), (text) => {
        expect(hash(text)).toBe(expected(text));
      }),
    );
  });

  it('is right at every length of the last block, and however much a text grows', () => {
    for (let length = 0; length < 200; length++) expect(hash('a'.repeat(length))).toBe(expected('a'.repeat(length)));
    // Each of these characters is three bytes.
    for (let length = 1_020; length < 1_400; length++)
      expect(hash('€'.repeat(length))).toBe(expected('€'.repeat(length)));
  });
});

// Saved hashes are made of these texts: if one changed, what is recorded would no longer be recognised.
it.each([
  ['[ 1 , [2.50,null],{} ,true]', '[1,[25e-1,null],{},true]'],
  ['{ "b" : [1, 2], "a" : "x", "b" : false }', '{"a":"x","b":false}'],
  ['{"\\u0062":1,"a\\"":2,"B":3}', '{"B":3,"a\\"":2,"b":1}'],
  ['"\\u0061\\/é"', '"a/é"'],
  ['-0', '0'],
  ['0.00e7', '0'],
  ['7', '7'],
  ['90', '9e1'],
  ['1020', '102e1'],
  ['0.00120', '12e-4'],
  ['-12.50e3', '-125e2'],
  ['1.5E+1', '15'],
  ['-2512292042121000001', '-2512292042121000001'],
  ['1e-99999999999999999999', '1e-99999999999999999999'],
])('the canonical text of %s is %s', (text, is) => {
  expect(canonical(text)).toBe(is);
});
