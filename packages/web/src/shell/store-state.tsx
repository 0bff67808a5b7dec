import { useQuery } from '@tanstack/react-query';
import { Circle, TriangleAlert } from 'lucide-react';
import { Link } from 'wouter';
import { queries } from '../api/queries.ts';
import { useConnection } from '../state/connection.ts';
import { Popover } from '../ui/popover.tsx';

/** Where everything is kept, and whether that and the recording are well. */
export function StoreState() {
  const health = useQuery(queries.health());
  const settings = useQuery(queries.settings());
  const problems = health.data?.problems ?? [];
  const isAway = useConnection(({ isConnected }) => !isConnected) || health.isError;
  const isWell = !isAway && problems.length === 0;
  const title = isAway
    ? 'The server does not answer'
    : isWell
      ? 'The store and the recording are well'
      : 'There are problems';
  return (
    <Popover
      label="Store and recording"
      trigger={
        <button
          type="button"
          className="flex h-7 shrink-0 items-center gap-1.5 rounded-md px-2 text-xs text-soft hover:bg-hover hover:text-ink"
        >
          {isWell ? (
            <Circle size={8} aria-hidden className="fill-ok text-ok" />
          ) : (
            <TriangleAlert size={14} aria-hidden className="text-warn" />
          )}
          <span className="max-lg:sr-only">{settings.data ? `${settings.data.store} store` : 'store'} · recording</span>
          <span className="sr-only">: {title}</span>
        </button>
      }
    >
      <p className="font-medium">{title}</p>
      <dl className="mt-2 grid grid-cols-[auto_1fr] gap-x-4 gap-y-1 text-soft">
        <dt>Project</dt>
        <dd className="text-ink">{settings.data?.project}</dd>
        <dt>Store</dt>
        <dd className="text-ink">{settings.data?.store}</dd>
        <dt>Recording</dt>
        <dd className="text-ink">every call through the proxy</dd>
      </dl>
      {problems.length > 0 && (
        <ul className="mt-3 flex flex-col gap-1 border-t border-line pt-2 text-warn">
          {problems.map((problem) => (
            <li key={problem} className="break-words">
              {problem}
            </li>
          ))}
        </ul>
      )}
      <p className="mt-3 flex gap-4 border-t border-line pt-2">
        <Link href="/recordings" className="text-accent hover:underline">
          Recordings
        </Link>
        <Link href="/settings" className="text-accent hover:underline">
          Settings
        </Link>
      </p>
    </Popover>
  );
}
