import { expect, test } from 'vitest';
import type { DailyUsage } from '../api/types.ts';
import { daysSince, stackDays, sumByName } from './stack-days.ts';

const used = (day: string, name: string, cost: number): DailyUsage => ({
  ...{ day, name, cost },
  ...{ replies: 1, input: 10, cached: 5, output: 2, withoutPrice: 0, saved: 1 },
});

test('costs are stacked by day, and a day without any is there, too', () => {
  const items = [used('2026-11-01', 'a', 1), used('2026-11-01', 'b', 3), used('2026-11-03', 'a', 1)];
  const { names, stacks } = stackDays(items, ['2026-11-01', '2026-11-02', '2026-11-03'], 'others');
  expect(names).toEqual(['b', 'a']);
  expect(stacks).toEqual([
    [3, 0, 0],
    [4, 0, 1],
  ]);
  expect(sumByName(items)[1]).toMatchObject({ name: 'a', cost: 2, replies: 2, cached: 10 });
});

test('what is beyond the sixth name is put together, and nothing is lost', () => {
  const items = [...'abcdefgh'].map((name, index) => used('2026-11-01', name, index + 1));
  const { names, stacks } = stackDays(items, ['2026-11-01'], 'others');
  expect(names).toEqual(['h', 'g', 'f', 'e', 'd', 'others']);
  expect(stacks.at(-1)).toEqual([36]);
});

test('today is the last day', () => {
  const now = new Date(2026, 10, 17, 23, 30).getTime();
  expect(daysSince(new Date(2026, 10, 15, 1).getTime(), now)).toEqual(['2026-11-15', '2026-11-16', '2026-11-17']);
  expect(daysSince(new Date(2026, 10, 15, 1).getTime(), new Date(2026, 10, 17, 0, 5).getTime()).at(-1)).toBe(
    '2026-11-17',
  );
});
