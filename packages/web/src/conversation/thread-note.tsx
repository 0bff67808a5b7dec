import { useQuery } from '@tanstack/react-query';
import { GitFork, Radio } from 'lucide-react';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { queries } from '../api/queries.ts';
import type { Lineage } from '../api/types.ts';
import { addressOf } from '../state/address.ts';

/** Where a conversation comes from, unless it was begun on this page. */
export function ThreadNote({ thread }: { readonly thread: Lineage }) {
  const { recorded, forkedFrom, unrecorded } = thread;
  if (!recorded && forkedFrom === undefined) return null;
  return (
    <div
      role="note"
      aria-label="About this conversation"
      className="flex min-h-7 shrink-0 flex-col justify-center gap-x-4 border-b border-line bg-sunken px-3 py-1 text-xs text-soft"
    >
      {recorded && (
        <Line icon={<Radio size={14} aria-hidden className="mt-px shrink-0" />}>
          Recorded from a program. What you write here becomes a fork; the recording stays as it is.
        </Line>
      )}
      {unrecorded !== undefined && <Line>It goes on from a response that was not recorded: {unrecorded}</Line>}
      {forkedFrom !== undefined && <ForkedFrom thread={forkedFrom} />}
    </div>
  );
}

function ForkedFrom({ thread }: { readonly thread: string }) {
  const { data } = useQuery(queries.thread(thread));
  return (
    <Line icon={<GitFork size={14} aria-hidden className="mt-px shrink-0" />}>
      Fork of{' '}
      <Link href={addressOf(thread)} className="text-accent underline underline-offset-2">
        {data?.title || 'another conversation'}
      </Link>
      {data?.recorded && ', which was recorded'}
    </Line>
  );
}

function Line({ icon, children }: { readonly icon?: ReactNode; readonly children: ReactNode }) {
  return (
    <p className="flex min-w-0 items-start gap-2">
      {icon}
      <span className="min-w-0 break-words">{children}</span>
    </p>
  );
}
