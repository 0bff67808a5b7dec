import { beforeEach, expect, test } from 'vitest';
import {
  chooseKey,
  currentKey,
  EVERYWHERE,
  effectiveKeys,
  findConflict,
  rememberCommands,
  resetKeys,
  useShortcuts,
} from './shortcuts.ts';

beforeEach(() => {
  useShortcuts.setState({ chosen: {}, known: {} });
  const remove = { id: 'remove', title: 'Delete a branch', group: 'branch', keys: ['x'] };
  rememberCommands([remove], 't');
  rememberCommands([{ id: 'help', title: 'Help', group: 'view', keys: ['?'] }], EVERYWHERE);
  rememberCommands([{ id: 'next', title: 'Next recording', group: 'forest', keys: ['j'] }], 'recordings');
});

test('a chosen key replaces the one that a command comes with, until it is reset', () => {
  chooseKey('help', 'F1');
  expect([effectiveKeys('help', ['?']), currentKey('?'), currentKey('x')]).toEqual([['F1'], 'F1', 'x']);
  resetKeys('help');
  expect(effectiveKeys('help', ['?'])).toEqual(['?']);
});

test('a key that another command of the same screen has is told, and can be taken from it', () => {
  expect(findConflict('remove', 'j')).toBeUndefined();
  const conflict = findConflict('help', 'x');
  expect(conflict?.title).toBe('Delete a branch');
  chooseKey('help', 'x', conflict);
  expect([effectiveKeys('help'), effectiveKeys('remove', ['x'])]).toEqual([['x'], []]);
  resetKeys();
  expect(effectiveKeys('remove', ['x'])).toEqual(['x']);
});
