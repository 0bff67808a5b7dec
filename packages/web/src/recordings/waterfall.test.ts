import { expect, test } from 'vitest';
import { layOutBars } from './waterfall.tsx';

test('calls that run at the same time overlap, and a long pause between calls is short', () => {
  const calls = [
    { start: 1000, firstByte: 1200, end: 3000 },
    { start: 1500, end: 2500 },
    { start: 600_000, end: 601_000 },
  ];
  const { bars, length, parallel } = layOutBars(calls);
  expect(bars).toEqual([
    { from: 0, answered: 200, to: 2000 },
    { from: 500, answered: 1500, to: 1500 },
    { from: 4000, answered: 5000, to: 5000 },
  ]);
  expect({ length, parallel }).toEqual({ length: 5000, parallel: 2 });
});

test('a call under way ends now', () => {
  expect(layOutBars([{ start: 1000 }], 4000).bars[0]).toEqual({ from: 0, answered: 3000, to: 3000 });
});
