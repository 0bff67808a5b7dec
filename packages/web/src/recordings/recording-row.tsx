import { CornerDownRight, TriangleAlert } from 'lucide-react';
import { Link } from 'wouter';
import type { Recording } from '../api/types.ts';
import { toAddress } from '../state/address.ts';
import { ago, duration, money, shortId, shortNumber } from '../ui/format.ts';
import { ProviderDot } from '../ui/provider-dot.tsx';
import { LANGUAGE, t } from '../words/words.ts';
import { elapsedMs, lostThings, OutcomeBadge, placedNode } from './outcome.tsx';

const GRID =
  'grid grid-cols-[minmax(0,1fr)_auto] items-center gap-x-4 px-3 sm:px-4 lg:gap-x-2 lg:grid-cols-[minmax(0,1fr)_4.5rem_3rem_5.5rem_3.5rem_5.5rem_1.75rem] xl:gap-x-4 xl:grid-cols-[minmax(0,1fr)_5.5rem_3.5rem_7rem_4rem_6rem_1.75rem]';

/** The names of the columns, on a wide screen. */
export function RecordingColumns({ isNarrow }: { readonly isNarrow: boolean }) {
  if (isNarrow) return null;
  return (
    <div aria-hidden className={`${GRID} border-b border-line py-1.5 text-xs text-faint max-lg:hidden`}>
      <span>{t('recordings.column-prompt')}</span>
      <span className="text-right">{t('recordings.column-tokens')}</span>
      <span className="text-right">{t('recordings.column-cache')}</span>
      <span>{t('recordings.column-latency')}</span>
      <span className="text-right">{t('recordings.column-cost')}</span>
      <span className="text-right">{t('recordings.column-when')}</span>
      <span />
    </div>
  );
}

interface RecordingRowProps {
  readonly recording: Recording;
  readonly isChosen: boolean;
  /** The time of the slowest call of the list. */
  readonly slowest: number;
  /** Whether the list is beside a recording, where there is room for two columns only. */
  readonly isNarrow: boolean;
}

export function RecordingRow({ recording, isChosen, slowest, isNarrow }: RecordingRowProps) {
  const { id, provider, model, path, tags, start, cost, usage, upstream, prompt, session } = recording;
  const landed = placedNode(recording);
  const time = elapsedMs(recording);
  const lost = lostThings(recording).length;
  const name = model ?? path;
  const wide = isNarrow ? 'hidden' : 'max-lg:hidden';
  return (
    <div
      className={`relative border-b border-line py-2 ${isNarrow ? 'grid grid-cols-[minmax(0,1fr)_auto] items-center gap-x-4 px-3 sm:px-4' : GRID} ${isChosen ? 'bg-accent-soft' : 'hover:bg-hover/30'}`}
    >
      <div className="min-w-0">
        <div className="flex items-center gap-2">
          <OutcomeBadge recording={recording} isShort />
          <Link
            href={`/recordings/${id}${location.search}`}
            {...(isChosen && { 'aria-current': 'true' as const })}
            className="truncate font-medium after:absolute after:inset-0"
          >
            {prompt || path}
          </Link>
        </div>
        <p className="mt-0.5 flex gap-2 truncate text-xs text-soft">
          <span className="flex shrink-0 items-center gap-1.5">
            <ProviderDot provider={upstream?.provider ?? provider} /> {name}
          </span>
          {upstream && (
            <span className="truncate">
              → {upstream.provider}/{upstream.model}
            </span>
          )}
          {lost > 0 && (
            <span className="flex shrink-0 items-center gap-1 text-warn">
              <TriangleAlert size={12} aria-hidden /> {t('recordings.lost', { count: lost })}
            </span>
          )}
          {session !== undefined && (
            <Link
              href={`/recordings?session=${session}`}
              aria-label={t('recordings.show-session', { session: shortId(session) })}
              className="relative z-10 min-w-0 truncate hover:text-ink hover:underline"
            >
              {t('recordings.session', { session: shortId(session) })}
            </Link>
          )}
          {tags.map((tag) => (
            <span key={tag} className="min-w-0 truncate rounded-full bg-sunken px-2 max-sm:hidden">
              {tag}
            </span>
          ))}
        </p>
      </div>
      <p className={`text-right text-xs whitespace-nowrap text-soft tabular-nums ${wide}`}>
        {usage && (
          <span title={t('recordings.tokens-title')}>
            {shortNumber(promptTokens(usage))} → {shortNumber(usage.output + usage.reasoning)}
          </span>
        )}
      </p>
      <p className={`text-right text-xs tabular-nums ${wide}`}>
        {usage && usage.cacheRead > 0 && (
          <span className="text-ok" title={t('recordings.cache-title')}>
            {Math.round((usage.cacheRead / promptTokens(usage)) * 100)} %
          </span>
        )}
      </p>
      <div className={`text-xs text-soft tabular-nums ${wide}`}>
        <LatencyBar time={time} slowest={slowest} />
      </div>
      <p className={`text-right text-xs text-soft tabular-nums ${wide}`}>{cost !== undefined && money(cost)}</p>
      <div className="text-right text-xs text-soft tabular-nums">
        <time dateTime={new Date(start).toISOString()} title={new Date(start).toLocaleString(LANGUAGE)}>
          {ago(start)}
        </time>
        {time !== undefined && <p className={isNarrow ? '' : 'lg:hidden'}>{duration(time)}</p>}
      </div>
      {!isNarrow && landed !== undefined && (
        <Link
          href={toAddress(recording.landing?.thread, landed)}
          aria-label={t('recordings.open-call', { name })}
          title={t('recordings.open-conversation')}
          className="relative z-10 inline-flex size-7 shrink-0 items-center justify-center rounded-md text-soft hover:bg-hover hover:text-ink max-lg:hidden"
        >
          <CornerDownRight size={16} aria-hidden />
        </Link>
      )}
    </div>
  );
}

/** All tokens that were sent. */
function promptTokens(usage: NonNullable<Recording['usage']>): number {
  return usage.input + usage.cacheRead + usage.cacheWrite5m + usage.cacheWrite1h;
}

function LatencyBar({ time, slowest }: { readonly time: number | undefined; readonly slowest: number }) {
  if (time === undefined) return null;
  return (
    <>
      <span>{duration(time)}</span>
      <span aria-hidden className="mt-1 block h-1 overflow-hidden rounded-full bg-sunken">
        <span
          className="block h-full rounded-full bg-accent"
          style={{ width: `${Math.max((time / slowest) * 100, 1)}%` }}
        />
      </span>
    </>
  );
}
