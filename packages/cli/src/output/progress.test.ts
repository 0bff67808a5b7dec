import { expect, test } from 'vitest';
import { bar } from './progress.ts';

test('a bar is as wide at every share, and never overflows', () => {
  expect(bar(0)).toBe(`${'░'.repeat(24)}   0 %`);
  expect(bar(0.5)).toBe(`${'█'.repeat(12)}${'░'.repeat(12)}  50 %`);
  expect(bar(0.999)).toBe(`${'█'.repeat(24)}  99 %`);
  expect(bar(7)).toBe(`${'█'.repeat(24)} 100 %`);
});
