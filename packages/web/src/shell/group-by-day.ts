export interface DayGroup<T> {
  readonly title: string;
  readonly items: readonly T[];
}

const DAY = 86_400_000;

/** Things that are sorted from new to old, under the days people speak of. */
export function groupByDay<T>(
  items: readonly T[],
  timeOf: (item: T) => number,
  now = Date.now(),
): readonly DayGroup<T>[] {
  const groups: { title: string; items: T[] }[] = [];
  const today = new Date(now).setHours(0, 0, 0, 0);
  for (const item of items) {
    const title = dayOf(timeOf(item), today);
    const last = groups.at(-1);
    if (last?.title === title) last.items.push(item);
    else groups.push({ title, items: [item] });
  }
  return groups;
}

function dayOf(at: number, today: number): string {
  if (at >= today) return 'Today';
  // Days with another number of hours, twice a year, are near enough.
  if (at >= today - DAY) return 'Yesterday';
  if (at >= today - 7 * DAY) return 'The last seven days';
  const date = new Date(at);
  const isThisYear = date.getFullYear() === new Date(today).getFullYear();
  return date.toLocaleDateString('en', { month: 'long', ...(!isThisYear && { year: 'numeric' }) });
}
