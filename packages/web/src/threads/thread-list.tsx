import { useQuery } from '@tanstack/react-query';
import { Archive, Bookmark, ListFilter, Trash2, TreePine } from 'lucide-react';
import { type ChangeEvent, type KeyboardEvent, type MouseEvent, useMemo, useRef, useState } from 'react';
import { base, navigate } from '../api/base.ts';
import { queries } from '../api/queries.ts';
import type { Thread } from '../api/types.ts';
import { type Command, useCommandList } from '../commands/registry.ts';
import { type ListRow, type GroupRow as Row, setUnfolded, useListRows } from '../state/thread-rows.ts';
import { isArchived } from '../state/thread-state.ts';
import { Button } from '../ui/button.tsx';
import { ago } from '../ui/format.ts';
import { OpenMenu } from '../ui/menu.tsx';
import { Empty, Failed, Loading } from '../ui/states.tsx';
import { VirtualList } from '../ui/virtual-list.tsx';
import { t } from '../words/words.ts';
import { filterThreads, type ListView } from './list-address.ts';
import { NO_FILTERS, SelectionBar, ThreadFilters } from './list-bar.tsx';
import type { ListPartProps } from './screen-head.tsx';
import { describeGroup, GroupToggle } from './thread-group.tsx';
import { deleteWithUndo, restoreDeleted, ThreadMarksDialog, useThreadMenu } from './thread-menu.tsx';
import { INDENTS, ThreadRow } from './thread-row.tsx';

/** The list of conversations, of the archived or of the deleted ones. */
export function ThreadList({ address, onChange, threads }: ListPartProps) {
  const isDeleted = address.view === 'deleted';
  const deleted = useQuery({ ...queries.threads({ deleted: true }), enabled: isDeleted });
  const listed = isDeleted ? deleted.data?.items : threads;
  const all = useMemo(
    () =>
      (listed ?? []).filter((thread) =>
        isDeleted ? thread.deleted : isArchived(thread) === (address.view === 'archived'),
      ),
    [listed, isDeleted, address.view],
  );
  const { sort, tag, rating, source, title } = address;
  const shown = useMemo(
    () =>
      filterThreads(all, {
        sort,
        text: title,
        source,
        ...(tag && { tag }),
        ...(rating && { rating: Number(rating) }),
      }),
    [all, sort, tag, rating, source, title],
  );
  const rows = useListRows(shown);
  const { selected, chosen, select, selectOnly } = useSelection(shown, rows);
  useCommandList(
    isDeleted || shown.length === 0
      ? []
      : [
          {
            id: 'threads.select-all',
            title: t('selection.all', { count: shown.length }),
            group: 'forest',
            run: () => selectOnly(shown.map(({ id }) => id)),
          },
        ],
  );
  if (isDeleted && deleted.isPending) return <Loading lines={6} />;
  if (isDeleted && deleted.isError) return <Failed error={deleted.error} onRetry={() => void deleted.refetch()} />;
  return (
    <section aria-label={LABELS[address.view]} className="flex grow flex-col gap-2">
      {chosen.length > 0 && !isDeleted ? (
        <SelectionBar chosen={chosen} shown={shown} onSelect={selectOnly} />
      ) : (
        <ThreadFilters address={address} onChange={onChange} threads={all} />
      )}
      {shown.length === 0 ? (
        <NoneShown view={address.view} isFiltered={all.length > 0} onClear={() => onChange(NO_FILTERS)} />
      ) : (
        <Rows rows={rows} shown={shown} selected={selected} onSelect={select} />
      )}
    </section>
  );
}

const LABELS = {
  conversations: t('threads.conversations'),
  archived: t('threads.archived-list'),
  bookmarks: t('threads.bookmarks'),
  deleted: t('threads.deleted-list'),
} as const;

const EMPTY = {
  conversations: { title: t('threads.none-here'), about: t('threads.none-here-about'), Icon: TreePine },
  archived: { title: t('threads.none-archived'), about: t('threads.none-archived-about'), Icon: Archive },
  bookmarks: { title: t('threads.no-bookmarks'), about: '', Icon: Bookmark },
  deleted: { title: t('threads.none-deleted'), about: t('threads.none-deleted-about'), Icon: Trash2 },
} as const;

interface NoneShownProps {
  readonly view: ListView;
  /** Whether there are conversations that the filters hide. */
  readonly isFiltered: boolean;
  readonly onClear: () => void;
}

function NoneShown({ view, isFiltered, onClear }: NoneShownProps) {
  const { title, about, Icon } = EMPTY[view];
  if (!isFiltered)
    return (
      <Empty title={title} icon={<Icon size={20} />}>
        {about}
      </Empty>
    );
  return (
    <Empty title={t('threads.none-fits')} icon={<ListFilter size={20} />}>
      <Button small className="mt-2" onClick={onClear}>
        {t('ui.no-filters')}
      </Button>
    </Empty>
  );
}

/** The selected conversations. With Shift, everything from the last one that was selected. */
function useSelection(shown: readonly Thread[], rows: readonly ListRow[]) {
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const last = useRef<string>(undefined);
  const chosen = useMemo(() => shown.filter(({ id }) => selected.has(id)), [shown, selected]);
  const select = (id: string, isOn: boolean, isRange: boolean) => {
    const order = rows.flatMap((row) => (row.kind === 'thread' ? [row.thread.id] : []));
    const [from, to] = [order.indexOf(last.current ?? ''), order.indexOf(id)].sort((a, b) => a - b);
    const ids = isRange && from! >= 0 ? order.slice(from, to! + 1) : [id];
    last.current = id;
    setSelected((before) => {
      const after = new Set(before);
      for (const one of ids) isOn ? after.add(one) : after.delete(one);
      return after;
    });
  };
  return { selected, chosen, select, selectOnly: (ids: readonly string[]) => setSelected(new Set(ids)) };
}

interface RowsProps {
  readonly rows: readonly ListRow[];
  readonly shown: readonly Thread[];
  readonly selected: ReadonlySet<string>;
  readonly onSelect: (id: string, isOn: boolean, isRange: boolean) => void;
}

const THREAD_HEIGHT = 60;
const GROUP_HEIGHT = 44;

/** The rows and what can be done with them. One handler serves all rows. */
function Rows({ rows, shown, selected, onSelect }: RowsProps) {
  const [renaming, setRenaming] = useState<string>();
  const [open, setOpen] = useState<{ readonly thread: Thread; readonly button: HTMLElement }>();
  const [marking, setMarking] = useState<Thread>();
  const stopRenaming = useRef(() => setRenaming(undefined)).current;
  const items = useThreadMenu({ onRename: ({ id }) => setRenaming(id), onMark: setMarking });
  const threadAt = (target: EventTarget) => {
    const id = (target as Element).closest<HTMLElement>('[data-thread]')?.dataset.thread;
    return shown.find((thread) => thread.id === id);
  };
  const actOf = (target: EventTarget) => (target as Element).closest<HTMLElement>('[data-act]');
  const onClick = (event: MouseEvent) => {
    const { target } = event;
    openTitle(event);
    const act = actOf(target);
    const thread = act && threadAt(target);
    if (!thread) return;
    if (act.dataset.act === 'menu') setOpen({ thread, button: act });
    if (act.dataset.act === 'restore') restoreDeleted(thread);
  };
  const onChange = ({ target, nativeEvent }: ChangeEvent<HTMLInputElement>) => {
    const thread = actOf(target)?.dataset.act === 'select' ? threadAt(target) : undefined;
    if (thread)
      onSelect(thread.id, target.checked, (nativeEvent as unknown as { shiftKey?: boolean }).shiftKey === true);
  };
  const list = useRef<HTMLDivElement>(null);
  const keys = useMemo(() => rows.map((row) => (row.kind === 'group' ? row.group : row.thread.id)), [rows]);
  const estimate = (index: number) => (rows[index]!.kind === 'group' ? GROUP_HEIGHT : THREAD_HEIGHT);
  /** A command on the row that has the focus. Where none has it, the first one gets it. */
  const onRow = (id: string, title: string, key: string, act: (thread: Thread, row: HTMLElement) => void): Command => ({
    id: `threads.${id}`,
    title,
    group: 'forest',
    keys: [key],
    run: () => {
      const row = list.current?.contains(document.activeElement) ? document.activeElement : null;
      const thread = row && threadAt(row);
      if (!thread) list.current?.querySelector<HTMLElement>('[data-title]')?.focus();
      else if (!thread.deleted) act(thread, row as HTMLElement);
    },
  });
  useCommandList([
    onRow('rename', t('threads.rename-focused'), 'F2', ({ id }) => setRenaming(id)),
    onRow('delete', t('threads.delete-focused'), 'Delete', (thread) => deleteWithUndo([thread])),
    onRow('select', t('threads.select-focused'), 'x', ({ id }) => onSelect(id, !selected.has(id), false)),
    onRow('select-range', t('threads.select-up-to'), 'X', ({ id }) => onSelect(id, true, true)),
    onRow('menu', t('threads.menu-focused'), '.', (thread, button) => setOpen({ thread, button })),
  ]);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the rows have buttons and links of their own
    <div
      ref={list}
      onKeyDown={moveFocus}
      onClick={onClick}
      onChange={onChange as unknown as React.FormEventHandler}
      onDoubleClick={({ target }) => {
        const thread = (target as Element).closest('a, button, label') ? undefined : threadAt(target);
        if (thread && !thread.deleted) setRenaming(thread.id);
      }}
    >
      <div
        {...(selected.size > 0 && { 'data-selecting': '' })}
        className="group/list overflow-clip rounded-lg border border-line bg-surface *:-mb-px"
      >
        <VirtualList keys={keys} estimate={estimate}>
          {(index) => {
            const row = rows[index]!;
            return row.kind === 'group' ? (
              <GroupRow row={row} />
            ) : (
              <ThreadRow
                thread={row.thread}
                depth={row.depth}
                isSelected={selected.has(row.thread.id)}
                isRenaming={renaming === row.thread.id}
                onRenamed={stopRenaming}
              />
            );
          }}
        </VirtualList>
      </div>
      {open && (
        <OpenMenu
          button={{ current: open.button }}
          title={open.thread.title || t('threads.untitled')}
          items={items(open.thread)}
          onClose={() => setOpen(undefined)}
        />
      )}
      {marking && <ThreadMarksDialog thread={marking} onClose={() => setMarking(undefined)} />}
    </div>
  );
}

/** Follows a title without loading the page again, unless the reader asks for another tab. */
function openTitle(event: MouseEvent): void {
  const link = (event.target as Element).closest<HTMLAnchorElement>('a[data-title]');
  if (!link || event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
  event.preventDefault();
  navigate(link.pathname.slice(base.length));
}

/** The up and down arrows move the focus from title to title. */
function moveFocus(event: KeyboardEvent<HTMLElement>): void {
  if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return;
  const titles = [...event.currentTarget.querySelectorAll<HTMLElement>('[data-title]')];
  const at = titles.indexOf(event.target as HTMLElement);
  if (at < 0) return;
  const next = titles[at + (event.key === 'ArrowDown' ? 1 : -1)];
  if (!next) return;
  event.preventDefault();
  next.focus();
}

/** A group of conversations, one row until it is unfolded. */
function GroupRow({ row }: { readonly row: Row }) {
  const { what, group, thread, members, depth, isOpen } = row;
  const name = what === 'side' ? t('threads.side-calls') : thread.title || t('threads.untitled');
  const words = describeGroup(row);
  const updatedAt = members.reduce((latest, one) => Math.max(latest, one.updatedAt), 0);
  return (
    <GroupToggle
      isOpen={isOpen}
      onChange={(isNowOpen) => setUnfolded(group, isNowOpen)}
      className={`flex min-h-11 w-full items-center gap-2 border-b border-line py-2 pr-11 text-left sm:gap-3 hover:bg-hover/40 ${INDENTS[depth]}`}
    >
      <span className="flex min-w-0 grow flex-wrap items-center gap-x-2 gap-y-0.5">
        <span className={`max-w-full truncate ${what === 'side' ? 'text-soft' : 'font-medium'}`}>{name}</span>
        <span className="rounded-full bg-sunken px-2 text-xs text-soft">{words}</span>
      </span>
      <span className="shrink-0 text-xs text-faint tabular-nums max-sm:hidden">{ago(updatedAt)}</span>
    </GroupToggle>
  );
}
