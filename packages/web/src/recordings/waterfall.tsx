import { Link } from 'wouter';
import type { Recording } from '../api/types.ts';
import { providerColor } from '../ui/colors.ts';
import { duration } from '../ui/format.ts';
import { t } from '../words/words.ts';
import { elapsedMs, OutcomeBadge } from './outcome.tsx';

/** The calls of a session on one axis of time, the first above: what ran at the same time lies side by side. */
export function Waterfall({ calls, chosen }: { readonly calls: readonly Recording[]; readonly chosen?: string }) {
  const sorted = calls.toSorted((a, b) => a.start - b.start);
  const { bars, length, parallel } = layOutBars(sorted);
  return (
    <figure className="border-b border-line px-3 py-2 sm:px-4" aria-label={t('recordings.waterfall')}>
      <figcaption className="mb-1 flex gap-3 text-xs text-soft">
        <span className="font-medium text-ink">{t('recordings.waterfall')}</span>
        <span>{t('recordings.calls', { count: sorted.length })}</span>
        <span>{t('recordings.at-once', { count: parallel })}</span>
        <span className="ml-auto tabular-nums">{duration(length)}</span>
      </figcaption>
      <ol className="max-h-64 overflow-y-auto">
        {sorted.map((call, index) => {
          const { from, to, answered } = bars[index]!;
          const time = elapsedMs(call);
          const left = (from / length) * 100;
          const width = Math.max(((to - from) / length) * 100, 0.4);
          return (
            <li key={call.id}>
              <Link
                href={`/recordings/${call.id}${location.search}`}
                {...(call.id === chosen && { 'aria-current': 'true' as const })}
                className="group grid h-6 grid-cols-[minmax(6rem,14rem)_1fr_4rem] max-sm:grid-cols-[7.5rem_1fr_3.5rem] items-center gap-2 rounded text-xs hover:bg-hover aria-current:bg-accent-soft"
              >
                <span className="flex min-w-0 items-center gap-1.5 pl-1">
                  <OutcomeBadge recording={call} isShort />
                  <span className="truncate">{call.prompt || (call.model ?? call.path)}</span>
                </span>
                <span aria-hidden className="relative h-3 rounded-sm bg-sunken">
                  <span
                    className="absolute inset-y-0 rounded-sm opacity-40"
                    style={{
                      left: `${left}%`,
                      width: `${width}%`,
                      background: `var(--${providerColor(call.provider)})`,
                    }}
                  />
                  <span
                    className="absolute inset-y-0 rounded-sm"
                    style={{
                      left: `${(answered / length) * 100}%`,
                      width: `${Math.max(((to - answered) / length) * 100, 0.2)}%`,
                      background: `var(--${providerColor(call.provider)})`,
                    }}
                  />
                </span>
                <span className="text-right text-soft tabular-nums">
                  {time === undefined ? t('recordings.open') : duration(time)}
                </span>
              </Link>
            </li>
          );
        })}
      </ol>
    </figure>
  );
}

type Timed = Pick<Recording, 'start' | 'firstByte' | 'end'>;

interface Bar {
  readonly from: number;
  /** When the first byte of the answer came. */
  readonly answered: number;
  readonly to: number;
}

/** Longer pauses, in which nothing runs, are drawn this long. */
const PAUSE_MS = 2000;

/** Places calls, oldest first, on an axis from 0 to `length` in milliseconds; long pauses are shortened. */
export function layOutBars(
  calls: readonly Timed[],
  now = Date.now(),
): { readonly bars: readonly Bar[]; readonly length: number; readonly parallel: number } {
  const bars: Bar[] = [];
  const running: number[] = [];
  let cut = calls[0]?.start ?? 0;
  let busyUntil = cut;
  let parallel = 0;
  for (const { start, firstByte, end = now } of calls) {
    const pause = start - busyUntil;
    if (pause > PAUSE_MS) cut += pause - PAUSE_MS;
    busyUntil = Math.max(busyUntil, end);
    bars.push({ from: start - cut, answered: (firstByte ?? end) - cut, to: end - cut });
    const others = running.filter((until) => until > start);
    running.splice(0, running.length, ...others, end);
    parallel = Math.max(parallel, running.length);
  }
  return { bars, length: Math.max(...bars.map(({ to }) => to), 1), parallel };
}
