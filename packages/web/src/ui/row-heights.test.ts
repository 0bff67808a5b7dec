import { expect, test } from 'vitest';
import { createRowHeights } from './row-heights.ts';

const keysUpTo = (count: number) => Array.from({ length: count }, (_, at) => `row ${at}`);

test('rows begin where those before them end, measured or estimated', () => {
  const heights = createRowHeights();
  heights.setKeys(keysUpTo(4), () => 10);
  expect(heights.offsetOf(4)).toBe(40);
  expect(heights.measure(1, 25)).toBe(15);
  expect(heights.measure(1, 25)).toBe(0);
  expect([0, 1, 2, 3, 4].map(heights.offsetOf)).toEqual([0, 10, 35, 45, 55]);
  expect([-5, 0, 9, 10, 34, 35, 1000].map(heights.indexAt)).toEqual([0, 0, 0, 1, 1, 2, 3]);
});

test('a measured row keeps its height when rows come before it or leave', () => {
  const heights = createRowHeights();
  heights.setKeys(['a', 'b', 'c'], () => 10);
  heights.measure(1, 30);
  heights.setKeys(['new', 'a', 'b', 'c'], () => 10);
  expect(heights.offsetOf(3)).toBe(50);
  expect([1, 2].map(heights.isMeasured)).toEqual([false, true]);
  heights.setKeys(['b'], () => 10);
  expect(heights.offsetOf(1)).toBe(30);
  heights.setKeys([], () => 10);
  expect(heights.offsetOf(0)).toBe(0);
  expect(heights.indexAt(7)).toBe(0);
});

test('the estimate is asked for rows that are new, and never below one pixel', () => {
  const heights = createRowHeights();
  heights.setKeys(['a', 'b'], () => 0);
  expect(heights.offsetOf(2)).toBe(2);
  heights.setKeys(['a', 'b', 'c'], (index) => index * 10);
  expect(heights.offsetOf(3)).toBe(22);
});
