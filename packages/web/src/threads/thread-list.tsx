import { useQuery } from '@tanstack/react-query';
import { Download, Trash2 } from 'lucide-react';
import { type KeyboardEvent, type ReactElement, useLayoutEffect, useRef, useState } from 'react';
import { Virtualizer } from 'virtua';
import { queries } from '../api/queries.ts';
import { listTags } from '../api/tags.ts';
import type { Thread } from '../api/types.ts';
import { openExport } from '../state/overlays.ts';
import { type GroupRow as Row, setUnfolded, useListRows } from '../state/thread-rows.ts';
import { Button } from '../ui/button.tsx';
import { ChoiceField, namedChoices } from '../ui/field.tsx';
import { ago, pluralize } from '../ui/format.ts';
import { Empty, Failed, Loading } from '../ui/states.tsx';
import { filterThreads } from './list-address.ts';
import type { ListPartProps } from './screen-head.tsx';
import { describeGroup, GroupToggle } from './thread-group.tsx';
import { deleteWithUndo } from './thread-menu.tsx';
import { INDENTS, ThreadRow } from './thread-row.tsx';

/** The list of conversations, or of the deleted ones. */
export function ThreadList({ address, onChange, threads }: ListPartProps) {
  const isDeleted = address.view === 'deleted';
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const deleted = useQuery({ ...queries.threads({ deleted: true }), enabled: isDeleted });
  const all = isDeleted ? (deleted.data?.items ?? []).filter((thread) => thread.deleted) : threads;
  const { sort, tag, rating } = address;
  const shown = filterThreads(all, { sort, ...(tag && { tag }), ...(rating && { rating: Number(rating) }) });
  const rows = useListRows(shown);
  if (isDeleted && deleted.isPending) return <Loading lines={6} />;
  if (isDeleted && deleted.isError) return <Failed error={deleted.error} onRetry={() => void deleted.refetch()} />;
  const select = (id: string, isOn: boolean) =>
    setSelected((before) => {
      const after = new Set(before);
      if (isOn) after.add(id);
      else after.delete(id);
      return after;
    });
  const chosen = shown.filter(({ id }) => selected.has(id));
  return (
    <section aria-label={isDeleted ? 'Deleted conversations' : 'Conversations'} className="flex grow flex-col gap-2">
      {chosen.length > 0 && !isDeleted ? (
        <SelectionBar chosen={chosen} shown={shown} onSelect={(ids) => setSelected(new Set(ids))} />
      ) : (
        <ThreadFilters address={address} onChange={onChange} threads={all} />
      )}
      {shown.length === 0 ? (
        <Empty title={all.length > 0 ? 'No conversation fits these filters' : 'Nothing was deleted'}>
          {all.length === 0 && 'Deleted conversations stay here and can be restored until the store is cleaned up.'}
        </Empty>
      ) : (
        // biome-ignore lint/a11y/noStaticElementInteractions: arrow keys are a shorter way; Tab works
        <div onKeyDown={moveFocus}>
          <ScreenList items={rows} itemSize={60}>
            {(row) =>
              row.kind === 'group' ? (
                <GroupRow key={row.group} row={row} />
              ) : (
                <ThreadRow
                  key={row.thread.id}
                  thread={row.thread}
                  depth={row.depth}
                  isSelected={selected.has(row.thread.id)}
                  onSelect={(isOn) => select(row.thread.id, isOn)}
                />
              )
            }
          </ScreenList>
        </div>
      )}
    </section>
  );
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

/** A long list within a scrolling screen. Only the visible rows are rendered. */
function ScreenList<T>({
  items,
  itemSize,
  children,
}: {
  readonly items: readonly T[];
  readonly itemSize: number;
  readonly children: (item: T) => ReactElement;
}) {
  const holder = useRef<HTMLDivElement>(null);
  const scroller = useRef<HTMLElement | null>(null);
  const [start, setStart] = useState<number>();
  useLayoutEffect(() => {
    scroller.current = document.getElementById('forest-scroll');
    const measure = () => {
      const outer = scroller.current;
      if (holder.current && outer)
        setStart(holder.current.getBoundingClientRect().top - outer.getBoundingClientRect().top + outer.scrollTop);
    };
    measure();
    const observer = new ResizeObserver(measure);
    // The content above it may grow, such as import cards and filters.
    if (holder.current?.parentElement?.parentElement) observer.observe(holder.current.parentElement.parentElement);
    return () => observer.disconnect();
  }, []);
  return (
    <div ref={holder} className="rounded-lg border border-line bg-surface">
      {start !== undefined && (
        <Virtualizer as="ul" item="li" scrollRef={scroller} startMargin={start} data={items} itemSize={itemSize}>
          {children}
        </Virtualizer>
      )}
    </div>
  );
}

/** A group of conversations, one row until it is unfolded. */
function GroupRow({ row }: { readonly row: Row }) {
  const { what, group, thread, members, depth, isOpen } = row;
  const name = what === 'side' ? 'Side calls' : thread.title || 'Untitled';
  const words = describeGroup(row);
  const updatedAt = Math.max(...members.map((one) => one.updatedAt));
  return (
    <GroupToggle
      isOpen={isOpen}
      onChange={(open) => setUnfolded(group, open)}
      className={`flex min-h-11 w-full items-center gap-2 border-b border-line py-2 pr-10 text-left hover:bg-hover/30 ${INDENTS[depth]}`}
    >
      <span className="flex min-w-0 grow flex-wrap items-center gap-x-2 gap-y-0.5">
        <span className={`max-w-full truncate ${what === 'side' ? 'text-soft' : 'font-medium'}`}>{name}</span>
        <span className="rounded-full bg-sunken px-2 text-xs text-soft">{words}</span>
      </span>
      <span className="shrink-0 text-xs text-faint tabular-nums max-sm:hidden">{ago(updatedAt)}</span>
    </GroupToggle>
  );
}

const SORTINGS = [
  { value: '', title: 'Last changed' },
  { value: 'created', title: 'Newest' },
  { value: 'title', title: 'Title' },
  { value: 'rating', title: 'Rating' },
] as const;

const RATINGS = [
  { value: '', title: 'Any rating' },
  ...[5, 4, 3, 2, 1].map((stars) => ({
    value: String(stars),
    title: `${pluralize(stars, 'star')}${stars === 5 ? '' : ' or more'}`,
  })),
];

function ThreadFilters({ address, onChange, threads }: ListPartProps) {
  const tags = listTags(threads);
  return (
    <div className="flex items-center gap-2 *:min-w-0 max-sm:*:flex-auto">
      <ChoiceField
        label="Sort by"
        choices={SORTINGS}
        value={address.sort === 'changed' ? '' : address.sort}
        onChoose={(sort) => onChange({ sort })}
      />
      {(tags.length > 0 || address.tag) && (
        <ChoiceField
          label="With the tag"
          value={address.tag}
          onChoose={(tag) => onChange({ tag })}
          choices={namedChoices('Any tag', [...tags, ...(address.tag ? [address.tag] : [])])}
        />
      )}
      <ChoiceField label="Rated" choices={RATINGS} value={address.rating} onChoose={(rating) => onChange({ rating })} />
    </div>
  );
}

interface SelectionBarProps {
  readonly chosen: readonly Thread[];
  readonly shown: readonly Thread[];
  readonly onSelect: (ids: readonly string[]) => void;
}

/** Actions on the selected conversations. */
function SelectionBar({ chosen, shown, onSelect }: SelectionBarProps) {
  return (
    <div role="toolbar" aria-label="Selected conversations" className="flex min-h-8 flex-wrap items-center gap-2">
      <span className="mr-2 font-medium">{chosen.length} selected</span>
      <Button onClick={() => openExport({ kind: 'threads', ids: chosen.map(({ id }) => id) })}>
        <Download size={14} aria-hidden />
        Export
      </Button>
      <Button
        look="danger"
        onClick={() => {
          onSelect([]);
          deleteWithUndo(chosen);
        }}
      >
        <Trash2 size={14} aria-hidden />
        Delete
      </Button>
      <span className="grow" />
      {chosen.length < shown.length && (
        <Button look="quiet" onClick={() => onSelect(shown.map(({ id }) => id))}>
          Select all {shown.length}
        </Button>
      )}
      <Button look="quiet" onClick={() => onSelect([])}>
        Select none
      </Button>
    </div>
  );
}
