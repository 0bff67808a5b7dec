import { Bookmark, GitFork } from 'lucide-react';
import { useRef } from 'react';
import { Virtualizer } from 'virtua';
import { Link } from 'wouter';
import type { GroupRow } from '../api/fold-threads.ts';
import { addressOf } from '../state/address.ts';
import { useAddressedPlace } from '../state/current-thread.ts';
import { setUnfolded } from '../state/unfolded.ts';
import { ago } from '../ui/format.ts';
import { GroupToggle } from '../ui/group-toggle.tsx';
import { groupInWords } from '../ui/group-words.ts';
import type { SideRow } from './side-rows.ts';

export function SideList({ rows }: { readonly rows: readonly SideRow[] }) {
  const scroller = useRef<HTMLDivElement>(null);
  const { thread, node } = useAddressedPlace() ?? {};
  if (rows.length === 0) return <p className="px-4 py-2 text-xs text-faint">No conversations yet.</p>;
  return (
    <div ref={scroller} className="min-h-0 grow overflow-y-auto px-2 pb-4 [overflow-anchor:none]">
      <Virtualizer as="ul" item="li" scrollRef={scroller} data={rows} itemSize={28}>
        {(row) => <Row key={row.key} row={row} isHere={isHere(row, node, thread)} />}
      </Virtualizer>
    </div>
  );
}

function isHere(row: SideRow, node: string | undefined, thread: string | undefined): boolean {
  if (row.kind === 'bookmark') return row.bookmark.node === node;
  if (row.kind === 'heading') return false;
  if (row.row.kind === 'thread') return row.row.thread.id === thread;
  return !row.row.isOpen && row.row.members.some(({ id }) => id === thread);
}

function Row({ row, isHere }: { readonly row: SideRow; readonly isHere: boolean }) {
  if (row.kind === 'heading')
    return <h2 className="px-2 pt-3 pb-1 text-[11px] font-semibold tracking-wide text-faint uppercase">{row.title}</h2>;
  const look = `flex h-7 items-center gap-2 rounded-md px-2 ${isHere ? 'bg-accent-soft text-accent' : 'hover:bg-hover'}`;
  const current = isHere && { 'aria-current': 'page' as const };
  if (row.kind === 'bookmark')
    return (
      <Link href={`/c/${row.bookmark.node}`} className={look} {...current}>
        <Bookmark size={12} aria-hidden className="shrink-0 text-accent" />
        <span className="truncate">{row.bookmark.title || 'Untitled'}</span>
      </Link>
    );
  if (row.row.kind === 'group') return <Group row={row.row} isHere={isHere} look={look} />;
  const { thread, depth } = row.row;
  const { id, title, updatedAt, forkedFrom } = thread;
  return (
    <Link href={addressOf(id)} className={`${look} ${INDENTS[depth]}`} title={title} {...current}>
      {forkedFrom !== undefined && <GitFork size={12} role="img" aria-label="Fork:" className="shrink-0 text-faint" />}
      <span className="grow truncate">{title || 'Untitled'}</span>
      <span className="shrink-0 text-[11px] text-soft">{shortAgo(ago(updatedAt))}</span>
    </Link>
  );
}

/** Written out, so that the classes are found. */
const INDENTS: readonly string[] = ['', 'ml-5', 'ml-10'];

function Group({ row, isHere, look }: { readonly row: GroupRow; readonly isHere: boolean; readonly look: string }) {
  const { what, group, thread, members, depth, isOpen } = row;
  const name = what === 'side' ? 'Side calls' : thread.title || 'Untitled';
  const words = groupInWords(row);
  return (
    <GroupToggle
      isOpen={isOpen}
      onChange={(open) => setUnfolded(group, open)}
      isHere={isHere}
      className={`${look} -ml-1 w-[calc(100%+0.25rem)] text-left ${depth > 0 ? 'pl-7' : ''}`}
    >
      <span className={`min-w-0 grow truncate ${what === 'side' ? 'text-soft' : ''}`} title={words}>
        {name}
      </span>
      <span aria-hidden className="shrink-0 rounded-full bg-sunken px-1.5 text-[11px] text-soft tabular-nums">
        {members.length}
      </span>
      <span className="sr-only">{words}</span>
    </GroupToggle>
  );
}

/** In a narrow pane: "5 minutes ago" as "5 min". */
function shortAgo(text: string): string {
  return text
    .replace(' ago', '')
    .replace(/ minutes?/, ' min')
    .replace(/ hours?/, ' h')
    .replace(/ days?/, ' d')
    .replace('just now', 'now');
}
