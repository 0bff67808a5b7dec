import { expect, test } from 'vitest';
import { readAddress, screenTitle, toAddress } from './address.ts';

test('an address names a conversation and a message of it', () => {
  expect(readAddress(toAddress('older:root-1:node-1', 'ab12'))).toEqual({
    thread: 'older:root-1:node-1',
    node: 'ab12',
  });
  expect(readAddress(toAddress('t1'))).toEqual({ thread: 't1' });
});

test('a message alone has the address that it always had', () => {
  expect(toAddress(undefined, 'ab12')).toBe('/c/ab12');
  expect(readAddress('/c/ab12')).toEqual({ node: 'ab12' });
  expect(readAddress('/settings')).toBeUndefined();
  expect(readAddress('/t/')).toBeUndefined();
});

test('every screen has a name, and a conversation has its own', () => {
  expect(screenTitle('/', '', undefined)).toBe('Forest · Skein');
  expect(screenTitle('/', 'q=blue+tile', undefined)).toBe('“blue tile” · Skein');
  expect(screenTitle('/c/9f3c', '', undefined)).toBe('Conversation · Skein');
  expect(screenTitle('/t/1/9f3c', '', 'A tile')).toBe('A tile · Skein');
  expect(screenTitle('/recordings/x', 'q=no', 'A tile')).toBe('Recordings · Skein');
  expect(screenTitle('/nowhere', '', undefined)).toBe('Skein');
});
