import { afterEach, expect, test, vi } from 'vitest';
import { foldDigits, keyLabel, keyName } from './keys.ts';

afterEach(() => vi.unstubAllGlobals());

const pressed = (key: string, ...held: readonly ('ctrl' | 'meta' | 'alt' | 'shift')[]) =>
  keyName({
    key,
    ctrlKey: held.includes('ctrl'),
    metaKey: held.includes('meta'),
    altKey: held.includes('alt'),
    shiftKey: held.includes('shift'),
  });

test('a pressed key is named as commands write it', () => {
  expect(pressed('e')).toBe('e');
  expect(pressed(' ')).toBe('Space');
  expect(pressed('ArrowUp', 'alt')).toBe('Alt+ArrowUp');
  expect(pressed('Enter', 'ctrl', 'shift')).toBe('Ctrl+Shift+Enter');
});

test('shift is part of the sign it makes, and named only where it makes none', () => {
  expect(pressed('?', 'shift')).toBe('?');
  expect(pressed('K', 'ctrl', 'shift')).toBe('Ctrl+Shift+k');
  expect(pressed('Tab', 'shift')).toBe('Shift+Tab');
});

test('Cmd is Ctrl, and a key that only modifies is none', () => {
  expect(pressed('k', 'meta')).toBe('Ctrl+k');
  for (const key of ['Control', 'Shift', 'Alt', 'Meta']) expect(pressed(key)).toBeUndefined();
});

test('a key is shown in signs, and with the name it has on a Mac', () => {
  vi.stubGlobal('navigator', { platform: 'Linux x86_64' });
  expect(keyLabel('Alt+ArrowUp')).toBe('Alt+↑');
  expect(keyLabel('g 3')).toBe('g then 3');
  expect(keyLabel('Ctrl+k')).toBe('Ctrl+K');
  vi.stubGlobal('navigator', { platform: 'MacIntel' });
  expect(keyLabel('Ctrl+k')).toBe('⌘+K');
});

test('rows that differ in a digit alone become one', () => {
  const rows = [
    { id: 'again', title: 'Answer again', keys: ['g'] },
    ...[2, 3, 4].map((n) => ({ id: `again-${n}`, title: `Answer again ${n} times`, keys: [`g ${n}`] })),
    { id: 'edit', title: 'Edit', keys: ['e'] },
  ];
  expect(foldDigits(rows)).toEqual([
    rows[0],
    { id: 'again-2', title: 'Answer again 2–4 times', keys: ['g 2–4'] },
    rows[4],
  ]);
});
