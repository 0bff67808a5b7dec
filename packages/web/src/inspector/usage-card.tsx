import type { UseQueryResult } from '@tanstack/react-query';
import type { Usage } from '../api/types.ts';
import { allTokens, money } from '../ui/format.ts';

export interface Total {
  readonly usage: Usage;
  readonly cost: number;
  /** How many replies have no known price. */
  readonly withoutPrice: number;
  readonly replies: number;
}

const BUCKETS: readonly { readonly key: keyof Usage; readonly title: string; readonly color: string }[] = [
  { key: 'input', title: 'Input', color: 'bg-user' },
  { key: 'cacheRead', title: 'Cache read', color: 'bg-ok' },
  { key: 'cacheWrite5m', title: 'Cache write, 5 min', color: 'bg-warn' },
  { key: 'cacheWrite1h', title: 'Cache write, 1 h', color: 'bg-anthropic' },
  { key: 'output', title: 'Output', color: 'bg-accent' },
  { key: 'reasoning', title: 'Reasoning', color: 'bg-provider' },
];

/** Tokens by bucket, with cost and how much came from the cache. */
export function UsageCard({ title, total }: { readonly title: string; readonly total: UseQueryResult<Total> }) {
  return (
    <section aria-label={title}>
      <h3 className="mb-2 flex items-baseline justify-between gap-3 text-sm font-medium">
        <span className="min-w-0 truncate">{title}</span>
        {total.data && <span className="shrink-0 tabular-nums">{costOf(total.data)}</span>}
      </h3>
      {total.error ? <p className="text-xs text-danger">{total.error.message}</p> : <Buckets total={total.data} />}
    </section>
  );
}

/** A sum that is not whole says so. */
function costOf({ cost, withoutPrice, replies }: Total): string {
  if (replies > 0 && withoutPrice === replies) return 'no price known';
  return withoutPrice > 0 ? `${money(cost)} + ${withoutPrice} without price` : money(cost);
}

function Buckets({ total }: { readonly total: Total | undefined }) {
  if (!total) return <div className="h-12" />;
  const { usage, replies } = total;
  const all = allTokens(usage);
  if (all === 0)
    return (
      <p className="text-xs text-soft">{replies === 0 ? 'No model wrote it.' : 'The provider told no numbers.'}</p>
    );
  const used = BUCKETS.filter(({ key }) => usage[key] > 0);
  const read = usage.input + usage.cacheRead + usage.cacheWrite5m + usage.cacheWrite1h;
  return (
    <>
      <div aria-hidden className="mb-2 flex h-2 gap-px overflow-hidden rounded bg-sunken">
        {used.map(({ key, color }) => (
          <div key={key} className={color} style={{ width: `${(100 * usage[key]) / all}%`, minWidth: 2 }} />
        ))}
      </div>
      <dl className="grid grid-cols-[1fr_auto] gap-x-3 gap-y-0.5 text-xs">
        {used.map(({ key, title, color }) => (
          <Row key={key} title={title} color={color} value={usage[key].toLocaleString('en')} />
        ))}
        <Row title="All tokens" value={all.toLocaleString('en')} />
        {read > 0 && <Row title="Cache hit rate" value={`${Math.round((100 * usage.cacheRead) / read)} %`} />}
        {replies > 1 && <Row title="Replies" value={String(replies)} />}
      </dl>
    </>
  );
}

export function Row({
  title,
  value,
  color,
}: {
  readonly title: string;
  readonly value: string;
  readonly color?: string;
}) {
  return (
    <>
      <dt className="flex items-center gap-1.5 text-soft">
        {color && <span aria-hidden className={`size-2 shrink-0 rounded-sm ${color}`} />}
        {title}
      </dt>
      <dd className="text-right break-all tabular-nums">{value}</dd>
    </>
  );
}
