import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { type CacheCause, cachingQuery } from '../api/caching.ts';
import { money, shortNumber } from '../ui/format.ts';
import { Failed, Loading } from '../ui/states.tsx';
import { t } from '../words/words.ts';

/** What misses of prompt caches cost since a time, and the causes that cost most. */
export default function CacheCauses({ since }: { readonly since: number }) {
  const query = useQuery(cachingQuery({ since }));
  if (query.isPending) return <Loading lines={3} />;
  if (query.isError) return <Failed error={query.error} onRetry={() => void query.refetch()} />;
  const { all, hitRate, uncertain, causes } = query.data;
  if (all.requests === 0) return null;
  const facts = [
    t('cache.requests', { count: all.requests }),
    t('cache.hit-rate', { percent: Math.round(hitRate * 100) }),
    ...(all.missedCost === null ? [] : [t('cache.lost', { cost: money(all.missedCost) })]),
    ...(uncertain === 0 ? [] : [t('cache.uncertain', { count: uncertain })]),
  ];
  return (
    <section aria-label={t('cache.title')} className="rounded-lg border border-line bg-surface p-4">
      <h2 className="font-semibold">{t('cache.title')}</h2>
      <p className="mb-3 text-xs text-soft">{facts.join(' · ')}</p>
      {causes.length === 0 ? (
        <p className="text-sm">{t('cache.no-causes')}</p>
      ) : (
        <ol className="flex flex-col divide-y divide-line">
          {causes.map((cause) => (
            <Cause key={`${cause.cause} ${cause.app} ${cause.place}`} cause={cause} />
          ))}
        </ol>
      )}
    </section>
  );
}

function Cause({ cause: { app, place, total, example } }: { readonly cause: CacheCause }) {
  const { thread, node, sentence } = example;
  const price = total.missedCost === null ? t('usage.unknown') : money(total.missedCost);
  return (
    <li className="py-2 text-sm">
      <p className="flex flex-wrap items-baseline gap-x-3">
        <span className="font-semibold tabular-nums">{price}</span>
        <span className="min-w-0 break-words">{[app, place].filter(Boolean).join(' · ')}</span>
        <span className="ml-auto text-xs text-soft tabular-nums">
          {t('cache.requests', { count: total.requests })} ·{' '}
          {t('cache.missed-tokens', { tokens: shortNumber(total.missed) })}
        </span>
      </p>
      <p className="text-xs break-words text-soft">{sentence}</p>
      {thread !== undefined && (
        <Link href={`/t/${thread}${node === undefined ? '' : `/${node}`}`} className="text-xs text-accent underline">
          {t('cache.example')}
        </Link>
      )}
    </li>
  );
}
