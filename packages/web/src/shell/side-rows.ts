import type { ListRow } from '../api/fold-threads.ts';
import type { Bookmark } from '../api/types.ts';
import { groupByDay } from './group-by-day.ts';

export type SideRow =
  | { readonly kind: 'heading'; readonly key: string; readonly title: string }
  | { readonly kind: 'listed'; readonly key: string; readonly row: ListRow }
  | { readonly kind: 'bookmark'; readonly key: string; readonly bookmark: Bookmark };

/** One flat list, so that thousands can be scrolled. What a row unfolds to stands below it, whatever its own day. */
export function sideRows(rows: readonly ListRow[], bookmarks: readonly Bookmark[]): readonly SideRow[] {
  const marked: SideRow[] = bookmarks.map((bookmark) => ({ kind: 'bookmark', key: `b/${bookmark.id}`, bookmark }));
  const runs: { readonly at: number; readonly rows: ListRow[] }[] = [];
  for (const row of rows) {
    if (row.depth === 0) runs.push({ at: changedAt(row), rows: [row] });
    else runs.at(-1)!.rows.push(row);
  }
  const days = groupByDay(runs, ({ at }) => at).flatMap(({ title, items }): SideRow[] => [
    heading(title),
    ...items.flatMap((run) => run.rows.map(listed)),
  ]);
  return [...(marked.length > 0 ? [heading('Bookmarks'), ...marked] : []), ...days];
}

/** Side calls of no session stand last, below the last day. */
function changedAt(row: ListRow): number {
  if (row.kind === 'thread') return row.thread.updatedAt;
  const times = row.members.map(({ updatedAt }) => updatedAt);
  return row.what === 'side' ? Math.min(...times) : Math.max(...times);
}

function listed(row: ListRow): SideRow {
  return { kind: 'listed', key: row.kind === 'group' ? `g/${row.group}` : `t/${row.thread.id}`, row };
}

function heading(title: string): SideRow {
  return { kind: 'heading', key: `h/${title}`, title };
}
