import { useQuery } from '@tanstack/react-query';
import { type KeyboardEvent, useState } from 'react';
import { queries } from '../api/queries.ts';
import { useListRows } from '../state/unfolded.ts';
import { Empty, Failed, Loading } from '../ui/states.tsx';
import { arrange } from './arrange.ts';
import type { ForestPartProps } from './forest-head.tsx';
import { GroupRow } from './group-row.tsx';
import { ScreenList } from './screen-list.tsx';
import { SelectionBar } from './selection-bar.tsx';
import { ThreadFilters } from './thread-filters.tsx';
import { ThreadRow } from './thread-row.tsx';

/** Conversations, those that are there or those that were deleted. */
export function ThreadList({ address, onChange, threads }: ForestPartProps) {
  const isDeleted = address.view === 'deleted';
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const deleted = useQuery({ ...queries.threads({ deleted: true }), enabled: isDeleted });
  const all = isDeleted ? (deleted.data?.items ?? []).filter((thread) => thread.deleted) : threads;
  const { sort, tag, rating } = address;
  const shown = arrange(all, { sort, ...(tag && { tag }), ...(rating && { rating: Number(rating) }) });
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
          {all.length === 0 && 'What you delete stays here, and can be brought back, until the store is cleaned up.'}
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

/** Up and down go from one title to the next. */
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
