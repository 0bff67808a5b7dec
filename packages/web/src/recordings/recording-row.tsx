import { CornerDownRight } from 'lucide-react';
import { Link } from 'wouter';
import type { Recording } from '../api/types.ts';
import { addressOf } from '../state/address.ts';
import { ago, bytes, duration, money, providerColor } from '../ui/format.ts';
import { landedAt, lasted } from './facts.ts';
import { OutcomeBadge } from './outcome-badge.tsx';

const COLORS = {
  anthropic: 'text-anthropic',
  openai: 'text-openai',
  google: 'text-google',
  provider: 'text-provider',
} as const;

export function RecordingRow({ recording, isChosen }: { readonly recording: Recording; readonly isChosen: boolean }) {
  const { id, provider, model, path, tags, start, cost, responseBytes } = recording;
  const landed = landedAt(recording);
  const time = lasted(recording);
  return (
    <div
      className={`relative flex items-center gap-3 border-b border-line px-3 py-2 ${isChosen ? 'bg-accent-soft' : 'hover:bg-hover/30'}`}
    >
      <div className="min-w-0 grow">
        <div className="flex items-center gap-2">
          <OutcomeBadge recording={recording} />
          <Link
            href={`/recordings/${id}`}
            {...(isChosen && { 'aria-current': 'true' as const })}
            className="truncate font-medium after:absolute after:inset-0"
          >
            {model ?? path}
          </Link>
          {tags.map((tag) => (
            <span key={tag} className="rounded-full bg-sunken px-2 text-xs text-soft max-sm:hidden">
              {tag}
            </span>
          ))}
        </div>
        <p className="mt-0.5 flex gap-2 truncate text-xs text-soft">
          <span className={COLORS[providerColor(provider)]}>{provider ?? 'unknown provider'}</span>
          <span className="truncate">{path}</span>
        </p>
      </div>
      <div className="shrink-0 text-right text-xs text-soft tabular-nums">
        <p>
          <time dateTime={new Date(start).toISOString()} title={new Date(start).toLocaleString('en')}>
            {ago(start)}
          </time>
        </p>
        <p className="flex justify-end gap-2">
          {cost !== undefined && <span>{money(cost)}</span>}
          {responseBytes !== undefined && <span>{bytes(responseBytes)}</span>}
          {time !== undefined && <span>{duration(time)}</span>}
        </p>
      </div>
      {landed === undefined ? (
        <span className="size-7 shrink-0" />
      ) : (
        <Link
          href={addressOf(recording.landing?.thread, landed)}
          aria-label={`Open where the call to ${model ?? path} landed`}
          title="Open where it landed"
          className="relative z-10 inline-flex size-7 shrink-0 items-center justify-center rounded-md text-soft hover:bg-hover hover:text-ink"
        >
          <CornerDownRight size={16} aria-hidden />
        </Link>
      )}
    </div>
  );
}
