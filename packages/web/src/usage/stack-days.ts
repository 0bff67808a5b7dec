import type { DailyUsage } from '../api/types.ts';

/** Costs by day, for stacked bars. */
export interface StackedDays {
  /** All days of the time, also those on which nothing was used. */
  readonly days: readonly string[];
  /** The dearest first; the last one may be all others together. */
  readonly names: readonly string[];
  /** The cost of each name on each day. */
  readonly costs: readonly (readonly number[])[];
  /** The cost of each name together with those before it. */
  readonly stacks: readonly (readonly number[])[];
}

/** Bars with more parts than this cannot be told apart. */
const MOST_NAMES = 6;

/** Adds up what was used by name, dearest first. */
export function sumByName(items: readonly DailyUsage[]): readonly Omit<DailyUsage, 'day'>[] {
  const sums = new Map<string, Omit<DailyUsage, 'day'>>();
  for (const { day: _day, ...one } of items) {
    const before = sums.get(one.name);
    sums.set(one.name, before ? add(before, one) : one);
  }
  return [...sums.values()].sort((a, b) => b.cost - a.cost || b.input - a.input);
}

function add(a: Omit<DailyUsage, 'day'>, b: Omit<DailyUsage, 'day'>): Omit<DailyUsage, 'day'> {
  return {
    name: a.name,
    replies: a.replies + b.replies,
    input: a.input + b.input,
    cached: a.cached + b.cached,
    output: a.output + b.output,
    cost: a.cost + b.cost,
    withoutPrice: a.withoutPrice + b.withoutPrice,
    saved: a.saved + b.saved,
  };
}

/** Stacks the costs of each day; names beyond the sixth are put together as `others`. */
export function stackDays(items: readonly DailyUsage[], days: readonly string[], others: string): StackedDays {
  const all = sumByName(items).map(({ name }) => name);
  const named = all.length > MOST_NAMES ? all.slice(0, MOST_NAMES - 1) : all;
  const names = all.length > MOST_NAMES ? [...named, others] : named;
  const place = new Map(days.map((day, index) => [day, index]));
  const costs = names.map(() => days.map(() => 0));
  for (const { day, name, cost } of items) {
    const at = place.get(day);
    const row = named.indexOf(name);
    if (at !== undefined) costs[row < 0 ? names.length - 1 : row]![at]! += cost;
  }
  const below = days.map(() => 0);
  const stacks = costs.map((row) =>
    row.map((cost, index) => {
      below[index]! += cost;
      return below[index]!;
    }),
  );
  return { days, names, costs, stacks };
}

/** The days from a time to today in the reader's own time zone, such as 2026-11-17. */
export function daysSince(since: number, now = Date.now()): readonly string[] {
  const days: string[] = [];
  const day = new Date(since);
  for (
    day.setHours(12, 0, 0, 0);
    day.getTime() <= now + 43_200_000 && days.length < 400;
    day.setDate(day.getDate() + 1)
  ) {
    const text = [day.getFullYear(), day.getMonth() + 1, day.getDate()].map((part) => String(part).padStart(2, '0'));
    days.push(text.join('-'));
  }
  return days;
}
