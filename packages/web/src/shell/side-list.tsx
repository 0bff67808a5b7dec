import { Bookmark } from 'lucide-react';
import { useRef } from 'react';
import { Virtualizer } from 'virtua';
import { Link, useRoute } from 'wouter';
import { ago } from '../ui/format.ts';
import { useCurrentThread } from './current-thread.ts';
import type { SideRow } from './side-rows.ts';

export function SideList({ rows }: { readonly rows: readonly SideRow[] }) {
  const scroller = useRef<HTMLDivElement>(null);
  const [, params] = useRoute('/c/:node');
  const node = params?.node;
  const here = useCurrentThread()?.id;
  if (rows.length === 0) return <p className="px-4 py-2 text-xs text-faint">No conversations yet.</p>;
  return (
    <div ref={scroller} className="min-h-0 grow overflow-y-auto px-2 pb-4 [overflow-anchor:none]">
      <Virtualizer as="ul" item="li" scrollRef={scroller} data={rows} itemSize={28}>
        {(row) => <Row key={row.key} row={row} isHere={isHere(row, node, here)} />}
      </Virtualizer>
    </div>
  );
}

function isHere(row: SideRow, node: string | undefined, thread: string | undefined): boolean {
  if (row.kind === 'bookmark') return row.bookmark.node === node;
  return row.kind === 'thread' && row.thread.id === thread;
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
  const { head, title, updatedAt } = row.thread;
  return (
    <Link href={`/c/${head}`} className={look} title={title} {...current}>
      <span className="grow truncate">{title || 'Untitled'}</span>
      <span className="shrink-0 text-[11px] text-soft">{shortAgo(ago(updatedAt))}</span>
    </Link>
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
