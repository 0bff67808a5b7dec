import { readFileSync } from 'node:fs';
import { SkeinError } from '@skein/core';
import { expect, test } from 'vitest';
import { bar, errorText } from './output.ts';

class WrongKeyError extends SkeinError {
  readonly code = 'authentication';
}

const caught = (act: () => unknown): unknown => {
  try {
    return act();
  } catch (error) {
    return error;
  }
};

test.each([
  ['a file that is not there', () => readFileSync('/nowhere/at/all'), 'There is no /nowhere/at/all.'],
  ['a folder', () => readFileSync('/'), 'EISDIR: illegal operation on a directory, read'],
  [
    'a file as a folder',
    () => readFileSync('/dev/null/x'),
    '/dev/null/x cannot be there: something above it is a file.',
  ],
])('%s', (_what, act, text) => {
  expect(errorText(caught(act))).toBe(text);
});

test('a taken port, a wrong key, and what is no error at all', () => {
  const taken = Object.assign(new Error('listen EADDRINUSE'), { code: 'EADDRINUSE', syscall: 'listen', port: 4141 });
  expect(errorText(taken)).toBe('Port 4141 is taken. Is Skein running already? --port takes another.');
  expect(errorText(new WrongKeyError('No.'))).toMatch(/^No\. Is the key right\? "skein models"/);
  expect(errorText(new WrongKeyError('Refused by toy.example'))).toMatch(/^Refused by toy\.example\. Is the key right/);
  expect(errorText(new WrongKeyError('It said "No."'))).toMatch(/^It said "No\." Is the key right/);
  const denied = { code: 'EACCES', syscall: 'scandir', path: '/store/writers' };
  expect(errorText(Object.assign(new Error('No.'), denied))).toContain('change its permissions, or give another path');
  expect(errorText('just so')).toBe('just so');
});

test('a bar is as wide at every share, and never overflows', () => {
  expect(bar(0)).toBe(`${'░'.repeat(24)}   0 %`);
  expect(bar(0.5)).toBe(`${'█'.repeat(12)}${'░'.repeat(12)}  50 %`);
  expect(bar(0.999)).toBe(`${'█'.repeat(24)}  99 %`);
  expect(bar(7)).toBe(`${'█'.repeat(24)} 100 %`);
});
