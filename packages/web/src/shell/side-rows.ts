import type { Bookmark, Thread } from '../api/types.ts';
import { groupByDay } from './group-by-day.ts';

export type SideRow =
  | { readonly kind: 'heading'; readonly key: string; readonly title: string }
  | { readonly kind: 'thread'; readonly key: string; readonly thread: Thread }
  | { readonly kind: 'bookmark'; readonly key: string; readonly bookmark: Bookmark };

/** One flat list, so that thousands can be scrolled. */
export function sideRows(threads: readonly Thread[], bookmarks: readonly Bookmark[]): readonly SideRow[] {
  const marked: SideRow[] = bookmarks.map((bookmark) => ({ kind: 'bookmark', key: `b/${bookmark.id}`, bookmark }));
  const days = groupByDay(threads, ({ updatedAt }) => updatedAt).flatMap(({ title, items }): SideRow[] => [
    heading(title),
    ...items.map((thread): SideRow => ({ kind: 'thread', key: `t/${thread.id}`, thread })),
  ]);
  return [...(marked.length > 0 ? [heading('Bookmarks'), ...marked] : []), ...days];
}

function heading(title: string): SideRow {
  return { kind: 'heading', key: `h/${title}`, title };
}
