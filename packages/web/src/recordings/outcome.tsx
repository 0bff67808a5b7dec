import type { Recording } from '../api/types.ts';
import { t } from '../words/words.ts';

const LOOKS: Readonly<Record<Recording['outcome'], string>> = {
  open: 'bg-accent-soft text-accent',
  done: 'bg-ok-soft text-ok',
  cut: 'bg-warn-soft text-warn',
  refused: 'bg-danger-soft text-danger',
  failed: 'bg-danger-soft text-danger',
};

const TITLES: Readonly<Record<Recording['outcome'], string>> = {
  open: t('recordings.badge-open'),
  done: t('recordings.badge-done'),
  cut: t('recordings.badge-cut'),
  refused: t('recordings.badge-refused'),
  failed: t('recordings.badge-failed'),
};

/** The HTTP status and the outcome of a recorded call. The short form is quiet where all went well, so that the others stand out. */
export function OutcomeBadge({
  recording: { status, outcome },
  isShort = false,
}: {
  readonly recording: Recording;
  readonly isShort?: boolean;
}) {
  const isPlain = isShort && outcome === 'done' && status !== undefined;
  return (
    <span
      className={`inline-flex h-5 shrink-0 items-center gap-1 rounded px-1.5 text-xs font-medium ${isPlain ? 'bg-sunken text-soft' : LOOKS[outcome]}`}
    >
      {outcome === 'open' && <span aria-hidden className="size-1.5 animate-pulse rounded-full bg-current" />}
      {status !== undefined && <span className="tabular-nums">{status}</span>}
      <span className={isPlain ? 'sr-only' : ''}>{TITLES[outcome]}</span>
    </span>
  );
}

/** What was lost between the client and the provider. What the gateway added, such as cache markers, is no loss. */
export function lostThings({ upstream }: Pick<Recording, 'upstream'>): NonNullable<Recording['upstream']>['losses'] {
  return upstream?.losses.filter(({ kind }) => kind !== 'synthesised') ?? [];
}

const WAYS = {
  starts: t('recordings.placed-starts'),
  continues: t('recordings.placed-continues'),
  branches: t('recordings.placed-branches'),
} as const;

/** Describes where a recorded call was placed in the forest. */
export function describePlacement({ landing, outcome }: Recording): string {
  if (!landing) return outcome === 'open' ? t('recordings.outcome-open') : t('recordings.not-placed');
  if (landing.state === 'waiting')
    return landing.why === undefined
      ? t('recordings.placement-waits-call')
      : t('recordings.placement-waits', { why: landing.why });
  if (landing.state === 'nothing') return landing.why ?? t('recordings.no-place');
  return landing.way === undefined ? t('recordings.placed') : WAYS[landing.way];
}

/** The node to open: the reply, or the last message of the request if there is no reply. */
export function placedNode({ landing }: Recording): string | undefined {
  if (landing?.state !== 'landed') return undefined;
  return landing.node ?? landing.parent;
}

/** Milliseconds from the request to the end of the answer. */
export function elapsedMs({ start, end }: Recording): number | undefined {
  return end === undefined ? undefined : end - start;
}
