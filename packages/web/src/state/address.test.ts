import { expect, test } from 'vitest';
import { addressOf, placeAt, titleOf } from './address.ts';

test('an address names a conversation and a message of it', () => {
  expect(placeAt(addressOf('older:root-1:node-1', 'ab12'))).toEqual({ thread: 'older:root-1:node-1', node: 'ab12' });
  expect(placeAt(addressOf('t1'))).toEqual({ thread: 't1' });
});

test('a message alone has the address that it always had', () => {
  expect(addressOf(undefined, 'ab12')).toBe('/c/ab12');
  expect(placeAt('/c/ab12')).toEqual({ node: 'ab12' });
  expect(placeAt('/settings')).toBeUndefined();
  expect(placeAt('/t/')).toBeUndefined();
});

test('every screen has a name, and a conversation has its own', () => {
  expect(titleOf('/', '', undefined)).toBe('Forest · Skein');
  expect(titleOf('/', 'q=blue+tile', undefined)).toBe('“blue tile” · Skein');
  expect(titleOf('/c/9f3c', '', undefined)).toBe('Conversation · Skein');
  expect(titleOf('/t/1/9f3c', '', 'A tile')).toBe('A tile · Skein');
  expect(titleOf('/recordings/x', 'q=no', 'A tile')).toBe('Recordings · Skein');
  expect(titleOf('/nowhere', '', undefined)).toBe('Skein');
});
