import { useQuery } from '@tanstack/react-query';
import { Bookmark as BookmarkIcon, GitFork, SquarePen } from 'lucide-react';
import { useMemo, useState } from 'react';
import { Link, useLocation } from 'wouter';
import { queries } from '../api/queries.ts';
import { listTags } from '../api/tags.ts';
import type { Bookmark } from '../api/types.ts';
import { toAddress } from '../state/address.ts';
import { useConversationAddress } from '../state/current-thread.ts';
import { type GroupRow, type ListRow, setUnfolded, useListRows } from '../state/thread-rows.ts';
import { isArchived, isPinned, plainTags } from '../state/thread-state.ts';
import { describeGroup, GroupToggle } from '../threads/thread-group.tsx';
import { ChoiceField } from '../ui/field.tsx';
import { Failed, Loading } from '../ui/states.tsx';
import { SCROLLER, VirtualList } from '../ui/virtual-list.tsx';
import { LANGUAGE, t } from '../words/words.ts';
import { SCREENS } from './screens.ts';

const NONE: readonly never[] = [];

export function SideContent() {
  const [tag, setTag] = useState('');
  const threads = useQuery(queries.threads());
  const bookmarks = useQuery(queries.bookmarks());
  const here = useConversationAddress()?.thread;
  const listed = threads.data?.items ?? NONE;
  const all = useMemo(() => listed.filter((thread) => !isArchived(thread)), [listed]);
  const tags = useMemo(() => listTags(all.map((thread) => ({ tags: [...plainTags(thread)] }))), [all]);
  const isKnown = tags.includes(tag);
  const shown = useMemo(() => (isKnown ? all.filter((thread) => thread.tags.includes(tag)) : all), [all, isKnown, tag]);
  const rows = useListRows(shown, here);
  const marked = isKnown ? NONE : (bookmarks.data?.items ?? NONE);
  const sides = useMemo(() => sideRows(rows, marked), [rows, marked]);
  return (
    <>
      <div className="flex shrink-0 flex-col gap-2 p-2 pb-0">
        <Link
          href="/new"
          className="flex h-8 items-center justify-center gap-2 rounded-md border border-line bg-surface font-medium shadow-xs hover:bg-hover pointer-coarse:h-11"
        >
          <SquarePen size={14} aria-hidden />
          {t('command.new')}
        </Link>
        <ScreenLinks />
        {tags.length > 0 && (
          <ChoiceField
            label={t('side.tag-label')}
            className="h-7 border-transparent bg-transparent text-xs text-soft"
            value={isKnown ? tag : ''}
            onChoose={setTag}
            choices={[
              { value: '', title: t('side.all-tags') },
              ...tags.map((one) => ({ value: one, title: t('side.tag', { one }) })),
            ]}
          />
        )}
      </div>
      {threads.isPending ? (
        <Loading lines={6} />
      ) : threads.isError ? (
        <Failed small error={threads.error} onRetry={() => void threads.refetch()} />
      ) : (
        <SideList rows={sides} />
      )}
    </>
  );
}

function ScreenLinks() {
  const [place] = useLocation();
  return (
    <ul aria-label={t('side.screens')}>
      {SCREENS.map(({ title, href, Icon }) => {
        const isHere = href === '/' ? place === '/' : place.startsWith(href);
        return (
          <li key={href}>
            <Link
              href={href}
              {...(isHere && { 'aria-current': 'page' as const })}
              className={`flex h-7 items-center gap-2 rounded-md px-2 pointer-coarse:h-11 ${isHere ? 'bg-hover font-medium text-ink' : 'text-soft hover:bg-hover/60 hover:text-ink'}`}
            >
              <Icon size={16} aria-hidden className={isHere ? 'text-accent' : ''} />
              {title}
            </Link>
          </li>
        );
      })}
    </ul>
  );
}

function SideList({ rows }: { readonly rows: readonly SideRow[] }) {
  const { thread, node } = useConversationAddress() ?? {};
  const keys = useMemo(() => rows.map(({ key }) => key), [rows]);
  if (rows.length === 0) return <p className="px-4 py-2 text-xs text-faint">{t('side.empty')}</p>;
  return (
    <div {...SCROLLER} className="min-h-0 grow overflow-y-auto px-2 pb-4 [overflow-anchor:none]">
      <VirtualList keys={keys} estimate={estimateRow}>
        {(index) => <Row row={rows[index]!} isHere={isHere(rows[index]!, node, thread)} />}
      </VirtualList>
    </div>
  );
}

const ROW_HEIGHT = 28;
function estimateRow(): number {
  return ROW_HEIGHT;
}

function isHere(row: SideRow, node: string | undefined, thread: string | undefined): boolean {
  if (row.kind === 'bookmark') return row.bookmark.node === node;
  if (row.kind === 'heading') return false;
  if (row.row.kind === 'thread') return row.row.thread.id === thread;
  return !row.row.isOpen && row.row.members.some(({ id }) => id === thread);
}

function Row({ row, isHere }: { readonly row: SideRow; readonly isHere: boolean }) {
  if (row.kind === 'heading') return <h2 className="px-2 pt-4 pb-1 text-xs font-medium text-faint">{row.title}</h2>;
  const look = `flex h-7 items-center pointer-coarse:h-11 gap-2 rounded-md px-2 ${isHere ? 'bg-hover font-medium' : 'hover:bg-hover/60'}`;
  const current = isHere && { 'aria-current': 'page' as const };
  if (row.kind === 'bookmark')
    return (
      <Link href={`/c/${row.bookmark.node}`} className={look} {...current}>
        <BookmarkIcon size={12} aria-hidden className="shrink-0 text-accent" />
        <span className="truncate">{row.bookmark.title || t('palette.untitled')}</span>
      </Link>
    );
  if (row.row.kind === 'group') return <Group row={row.row} isHere={isHere} look={look} />;
  const { thread, depth } = row.row;
  const { id, title, forkedFrom } = thread;
  return (
    <Link href={toAddress(id)} className={`${look} ${INDENTS[depth]}`} title={title} {...current}>
      {forkedFrom !== undefined && (
        <GitFork size={12} role="img" aria-label={t('side.fork')} className="shrink-0 text-faint" />
      )}
      <span className="grow truncate">{title || t('palette.untitled')}</span>
    </Link>
  );
}

/** Class names are written out so that Tailwind finds them. */
const INDENTS: readonly string[] = ['', 'pl-5', 'pl-8'];

function Group({ row, isHere, look }: { readonly row: GroupRow; readonly isHere: boolean; readonly look: string }) {
  const { what, group, thread, members, depth, isOpen } = row;
  const name = what === 'side' ? t('side.side-calls') : thread.title || t('palette.untitled');
  const words = describeGroup(row);
  return (
    <GroupToggle
      isOpen={isOpen}
      onChange={(open) => setUnfolded(group, open)}
      isHere={isHere}
      className={`${look} w-full text-left [&>svg]:order-last ${INDENTS[depth]}`}
    >
      <span className={`min-w-0 grow truncate ${what === 'side' ? 'text-soft' : ''}`} title={words}>
        {name}
      </span>
      <span aria-hidden className="shrink-0 rounded-full bg-hover px-1.5 text-[11px] text-soft tabular-nums">
        {members.length}
      </span>
      <span className="sr-only">{words}</span>
    </GroupToggle>
  );
}

type SideRow =
  | { readonly kind: 'heading'; readonly key: string; readonly title: string }
  | { readonly kind: 'listed'; readonly key: string; readonly row: ListRow }
  | { readonly kind: 'bookmark'; readonly key: string; readonly bookmark: Bookmark };

/** One flat list, so that thousands of rows can be virtualized. Members of an open group stand below it, whatever their day. */
function sideRows(rows: readonly ListRow[], bookmarks: readonly Bookmark[]): readonly SideRow[] {
  const marked: SideRow[] = bookmarks.map((bookmark) => ({ kind: 'bookmark', key: `b/${bookmark.id}`, bookmark }));
  const runs: { readonly at: number; readonly rows: ListRow[] }[] = [];
  const pinned = rows.filter((row) => row.kind === 'thread' && row.depth === 0 && isPinned(row.thread));
  for (const row of rows.slice(pinned.length)) {
    if (row.depth === 0) runs.push({ at: changedAt(row), rows: [row] });
    else runs.at(-1)!.rows.push(row);
  }
  const days = groupByDay(runs, ({ at }) => at).flatMap(({ title, items }): SideRow[] => [
    heading(title),
    ...items.flatMap((run) => run.rows.map(listed)),
  ]);
  return [
    ...(marked.length > 0 ? [heading(t('palette.bookmarks')), ...marked] : []),
    ...(pinned.length > 0 ? [heading(t('side.pinned')), ...pinned.map(listed)] : []),
    ...days,
  ];
}

/** The time that a row is sorted by. Side calls without a session sort last. */
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

interface DayGroup<T> {
  readonly title: string;
  readonly items: readonly T[];
}

const DAY = 86_400_000;

/** Groups items, sorted from new to old, under "Today", "Yesterday" and so on. */
export function groupByDay<T>(
  items: readonly T[],
  timeOf: (item: T) => number,
  now = Date.now(),
): readonly DayGroup<T>[] {
  const groups: { title: string; items: T[] }[] = [];
  const today = new Date(now).setHours(0, 0, 0, 0);
  // Writing a date is slow, and most neighbours share one.
  let [from, upTo, title] = [Infinity, -Infinity, ''];
  for (const item of items) {
    const at = timeOf(item);
    if (at < from || at >= upTo) {
      title = dayTitle(at, today);
      [from, upTo] = dayBounds(at);
    }
    const last = groups.at(-1);
    if (last?.title === title) last.items.push(item);
    else groups.push({ title, items: [item] });
  }
  return groups;
}

/** The first moment of the day of a time, and of the next day. */
function dayBounds(at: number): [number, number] {
  const day = new Date(at);
  const from = day.setHours(0, 0, 0, 0);
  return [from, day.setDate(day.getDate() + 1)];
}

function dayTitle(at: number, today: number): string {
  if (at >= today) return t('side.today');
  // Ignores the days of 23 or 25 hours, which come twice a year.
  if (at >= today - DAY) return t('side.yesterday');
  if (at >= today - 7 * DAY) return t('side.week');
  const date = new Date(at);
  const isThisYear = date.getFullYear() === new Date(today).getFullYear();
  return date.toLocaleDateString(LANGUAGE, { month: 'long', ...(!isThisYear && { year: 'numeric' }) });
}
