import { expect, test } from 'vitest';
import { readHex, readHexBytes } from './hex.ts';

const digits = '0123456789abcdef';
const bytes = [0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef];

test('digits are read from an offset to the end', () => {
  const into = new Uint8Array(9).fill(7);
  expect([readHex(`1:${digits}`, 2, into, 8), ...into]).toEqual([true, ...bytes, 7]);
  expect(readHex('ff', 0, into, 1)).toBe(true);
  expect(into[0]).toBe(255);
});

test('the id of the root, which is zeros, is one', () => {
  const into = new Uint8Array(2).fill(7);
  expect([readHex('0000', 0, into, 2), ...into]).toEqual([true, 0, 0]);
  expect(readHexBytes(Buffer.from('0000'), 0, into, 2)).toBe(true);
});

test.each([
  ['a text that is too short', digits.slice(1)],
  ['a text that is too long', `${digits}0`],
  ['upper case', digits.toUpperCase()],
  ['another first character', `g${digits.slice(1)}`],
  ['another last character', `${digits.slice(0, -1)}g`],
  ['a first character whose lower byte is a digit', `\u0130${digits.slice(1)}`],
  ['a last character whose lower byte is a digit', `${digits.slice(0, -1)}\u0130`],
])('%s is refused', (_, text) => {
  expect(readHex(text, 0, new Uint8Array(8), 8)).toBe(false);
});

test('digits are read from bytes, which may have more behind them', () => {
  const into = new Uint8Array(9).fill(7);
  expect([readHexBytes(Buffer.from(`"${digits}"`), 1, into, 8), ...into]).toEqual([true, ...bytes, 7]);
  for (const text of [`g${digits.slice(1)}`, `${digits.slice(0, -1)}g`, digits.toUpperCase()])
    expect(readHexBytes(Buffer.from(text), 0, into, 8), text).toBe(false);
});
