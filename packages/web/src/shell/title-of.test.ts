import { expect, test } from 'vitest';
import { titleOf } from './title-of.ts';

test('every screen has a name, and a conversation has its own', () => {
  expect(titleOf('/', '', undefined)).toBe('Forest · Skein');
  expect(titleOf('/', 'q=blue+tile', undefined)).toBe('“blue tile” · Skein');
  expect(titleOf('/c/9f3c', '', undefined)).toBe('Conversation · Skein');
  expect(titleOf('/t/1/9f3c', '', 'A tile')).toBe('A tile · Skein');
  expect(titleOf('/recordings/x', 'q=no', 'A tile')).toBe('Recordings · Skein');
  expect(titleOf('/nowhere', '', undefined)).toBe('Skein');
});
