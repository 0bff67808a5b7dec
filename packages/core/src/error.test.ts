import { inspect } from 'node:util';
import { expect, test, vi } from 'vitest';
import { isSkeinError, SkeinError } from './error.ts';

class Loud extends SkeinError {
  readonly code = 'timeout';
}

test('an error of ours is recognised by its code, and others are not', () => {
  const error: unknown = new Loud('No answer.');
  expect(isSkeinError(error)).toBe(true);
  expect(isSkeinError(error, 'timeout', 'quota')).toBe(true);
  expect(isSkeinError(error, 'quota')).toBe(false);
  expect(isSkeinError(new Error('No answer.'))).toBe(false);
  expect(isSkeinError({ code: 'timeout' })).toBe(false);
});

test('an error of another copy of the package is recognised', async () => {
  vi.resetModules();
  const other = await import('./error.ts');
  expect(other.SkeinError).not.toBe(SkeinError);
  class Other extends other.SkeinError {
    readonly code = 'quota';
  }
  expect(other.isSkeinError(new Loud('No answer.'), 'timeout')).toBe(true);
  expect(isSkeinError(new Other('No credit.'), 'quota')).toBe(true);
});

test('what marks an error as ours is not printed with it', () => {
  expect(inspect(new Loud('No answer.'))).not.toContain('Symbol');
});
