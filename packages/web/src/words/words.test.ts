import { expect, test } from 'vitest';
import { en } from './en.ts';
import { t } from './words.ts';

test('values are filled in, numbers are written in the language, and one is not several', () => {
  expect(t('compare.branch', { number: 2 })).toBe('Branch 2');
  expect([1, 2, 1234].map((count) => t('compare.in-common', { count }))).toEqual([
    '1 message in common',
    '2 messages in common',
    '1,234 messages in common',
  ]);
});

test('every text is plain: no double space, no text without words', () => {
  for (const [key, entry] of Object.entries(en))
    for (const text of typeof entry === 'string' ? [entry] : Object.values(entry))
      expect(text, key).toMatch(/^(?!.* {2})\S(.*\S)?$/s);
});
