import { useQuery } from '@tanstack/react-query';
import { Download, GitFork, Star, Trash2, Undo2 } from 'lucide-react';
import { type KeyboardEvent, type ReactElement, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { Virtualizer } from 'virtua';
import { Link } from 'wouter';
import { queries } from '../api/queries.ts';
import { listTags } from '../api/tags.ts';
import { changeThread } from '../api/threads.ts';
import type { Thread } from '../api/types.ts';
import { toAddress } from '../state/address.ts';
import { openExport } from '../state/overlays.ts';
import { type GroupRow as Row, setUnfolded, useListRows } from '../state/thread-rows.ts';
import { Button } from '../ui/button.tsx';
import { ChoiceField, namedChoices, RenameField } from '../ui/field.tsx';
import { ago, money, pluralize, shortNumber } from '../ui/format.ts';
import { Empty, Failed, Loading } from '../ui/states.tsx';
import { toastError } from '../ui/toasts.tsx';
import { filterThreads } from './list-address.ts';
import type { ListPartProps } from './screen-head.tsx';
import { describeGroup, GroupToggle } from './thread-group.tsx';
import { deleteWithUndo, restoreDeleted, ThreadMenu } from './thread-menu.tsx';

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

interface ThreadRowProps {
  readonly thread: Thread;
  /** The number of groups that it is nested in. */
  readonly depth: number;
  readonly isSelected: boolean;
  readonly onSelect: (isOn: boolean) => void;
}

/** One conversation of the list. Its size and cost are fetched when it is in view. */
function ThreadRow({ thread, depth, isSelected, onSelect }: ThreadRowProps) {
  const [isRenaming, setRenaming] = useState(false);
  const { id, title, tags, rating, updatedAt, deleted, forkedFrom } = thread;
  const { data } = useQuery({ ...queries.summary(id), enabled: useSettled() });
  const name = title || 'Untitled';
  return (
    <div
      className={`flex min-h-15 items-center gap-2 border-b border-line py-2 pr-1 hover:bg-hover/30 sm:gap-3 ${INDENTS[depth]}`}
    >
      {!deleted && (
        <input
          type="checkbox"
          aria-label={`Select ${name}`}
          checked={isSelected}
          onChange={(event) => onSelect(event.target.checked)}
          className="size-4 shrink-0 accent-accent"
        />
      )}
      <div className="min-w-0 grow">
        {isRenaming ? (
          <RenameField
            title={title}
            onRename={(news) => void changeThread(id, { title: news }).catch(toastError)}
            onDone={() => setRenaming(false)}
          />
        ) : (
          <div className="flex items-center gap-2">
            <Link
              data-title
              href={toAddress(id)}
              className="truncate font-medium hover:underline"
              onKeyDown={(event) => {
                if (event.key === 'F2' && !deleted) setRenaming(true);
                if (event.key === 'Delete' && !deleted) deleteWithUndo([thread]);
              }}
            >
              {name}
            </Link>
            {forkedFrom !== undefined && (
              <span className="flex shrink-0 items-center gap-1 text-xs text-faint">
                <GitFork size={12} aria-hidden /> fork
              </span>
            )}
            {tags.length > 0 && (
              <ul aria-label="Tags" className="flex min-w-0 shrink gap-1 overflow-hidden max-sm:hidden">
                {tags.map((tag) => (
                  <li key={tag} className="truncate rounded-full bg-sunken px-2 text-xs text-soft">
                    {tag}
                  </li>
                ))}
              </ul>
            )}
          </div>
        )}
        <p className="truncate text-xs text-soft">{data ? summaryLine(data, title) : ' '}</p>
        <p className="flex gap-2 text-xs text-faint sm:hidden">
          <Facts messages={data?.messages} cost={data?.cost ?? undefined} updatedAt={updatedAt} />
        </p>
      </div>
      {rating !== undefined && (
        <span className="flex shrink-0 items-center gap-0.5 text-xs text-warn">
          <Star size={12} aria-hidden className="fill-current" />
          <span className="sr-only">Rated</span>
          {rating}
        </span>
      )}
      <dl className="grid shrink-0 grid-cols-[6.5rem_4rem_6.5rem] gap-2 text-right text-xs text-faint tabular-nums max-sm:hidden">
        <Facts messages={data?.messages} cost={data?.cost ?? undefined} updatedAt={updatedAt} isTable />
      </dl>
      {deleted ? (
        <Button small onClick={() => restoreDeleted(thread)} aria-label={`Restore ${name}`}>
          <Undo2 size={14} aria-hidden />
          Restore
        </Button>
      ) : (
        <ThreadMenu thread={thread} onRename={() => setRenaming(true)} />
      )}
    </div>
  );
}

/** The beginning of a conversation, or its end if the title repeats the beginning. */
function summaryLine({ preview, last }: { readonly preview: string; readonly last: string }, title: string): string {
  const isSaid = preview.startsWith(title.replace(/…$/, ''));
  const words = (isSaid ? last : preview) || preview;
  // Removes the markdown of headings, lists and quotes.
  return words.replace(/(^|\s)(#+|[-*>])\s+/g, '$1') || 'No text';
}

interface FactsProps {
  readonly messages: number | undefined;
  readonly cost: number | undefined;
  readonly updatedAt: number;
  readonly isTable?: boolean;
}

function Facts({ messages, cost, updatedAt, isTable = false }: FactsProps) {
  const facts = [
    {
      name: 'Size',
      value: messages === undefined ? '' : `${shortNumber(messages)} ${messages === 1 ? 'message' : 'messages'}`,
    },
    { name: 'Cost', value: cost ? money(cost) : '' },
    { name: 'Last changed', value: ago(updatedAt) },
  ];
  return facts.map(({ name, value }) =>
    isTable ? (
      <div key={name}>
        <dt className="sr-only">{name}</dt>
        <dd>{value}</dd>
      </div>
    ) : (
      value && <span key={name}>{value}</span>
    ),
  );
}

const SETTLED_MS = 150;

/** True after a moment on screen, so that rows that scroll past fetch nothing. */
function useSettled(): boolean {
  const [isSettled, setSettled] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(true), SETTLED_MS);
    return () => clearTimeout(timer);
  }, []);
  return isSettled;
}

/** The indentation by depth. Class names are written out so that Tailwind finds them. */
const INDENTS: readonly string[] = ['pl-3', 'pl-9', 'pl-14'];
