export interface KeyRow {
  readonly id: string;
  readonly title: string;
  readonly keys: readonly string[];
}

/** One row in place of those that differ in a digit alone: "Answer again 2 times" … 9 as "Answer again 2–9 times". */
export function foldDigits(rows: readonly KeyRow[]): readonly KeyRow[] {
  const groups = new Map<string, KeyRow[]>();
  for (const row of rows) {
    const shape = `${row.keys.join(',')}|${row.title}`.replace(/\d/g, '#');
    groups.set(shape, [...(groups.get(shape) ?? []), row]);
  }
  return [...groups.values()].map((group) => {
    const [first, last] = [group[0]!, group.at(-1)!];
    if (group.length === 1) return first;
    const from = digitOf(first);
    const upTo = digitOf(last);
    const fold = (text: string) => text.replace(from, `${from}–${upTo}`);
    return { id: first.id, title: fold(first.title), keys: first.keys.map(fold) };
  });
}

function digitOf({ keys }: KeyRow): string {
  return keys.join(' ').match(/\d/)?.[0] ?? '';
}
