import type { Recording } from '../api/types.ts';

const LOOKS: Readonly<Record<Recording['outcome'], string>> = {
  open: 'bg-accent-soft text-accent',
  done: 'bg-ok-soft text-ok',
  cut: 'bg-warn-soft text-warn',
  refused: 'bg-danger-soft text-danger',
  failed: 'bg-danger-soft text-danger',
};

const TITLES: Readonly<Record<Recording['outcome'], string>> = {
  open: 'under way',
  done: 'done',
  cut: 'cut',
  refused: 'refused',
  failed: 'failed',
};

/** The status and how it ended, at one glance. */
export function OutcomeBadge({ recording: { status, outcome } }: { readonly recording: Recording }) {
  return (
    <span
      className={`inline-flex h-5 shrink-0 items-center gap-1 rounded px-1.5 text-xs font-medium ${LOOKS[outcome]}`}
    >
      {outcome === 'open' && <span aria-hidden className="size-1.5 animate-pulse rounded-full bg-current" />}
      {status !== undefined && <span className="tabular-nums">{status}</span>}
      {TITLES[outcome]}
    </span>
  );
}
