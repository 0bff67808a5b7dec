import { expect, test } from 'vitest';
import { groupByDay } from './side-list.tsx';

const now = new Date(2026, 4, 15, 10, 30).getTime();
const titles = (...dates: readonly Date[]) =>
  groupByDay(dates, (date) => date.getTime(), now).map(({ title, items }) => `${title} ${items.length}`);

test('today begins at midnight, not a day ago', () => {
  expect(titles(new Date(2026, 4, 15, 0, 1), new Date(2026, 4, 14, 23, 59))).toEqual(['Today 1', 'Yesterday 1']);
});

test('older ones are grouped by month, and by year where it is another', () => {
  expect(
    titles(
      new Date(2026, 4, 11, 9),
      new Date(2026, 4, 2, 9),
      new Date(2026, 4, 1, 9),
      new Date(2026, 0, 1, 9),
      new Date(2025, 4, 1, 9),
    ),
  ).toEqual(['The last seven days 1', 'May 2', 'January 1', 'May 2025 1']);
});

test('a clock that is ahead is still today', () => {
  expect(titles(new Date(2026, 4, 15, 11))).toEqual(['Today 1']);
});
