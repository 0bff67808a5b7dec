import { useQuery } from '@tanstack/react-query';
import { queries } from '../api/queries.ts';
import { money } from '../ui/format.ts';
import { t } from '../words/words.ts';

/** The budgets of the gateway's tokens, and what is spent of them today. */
export function BudgetList() {
  const { data } = useQuery(queries.budgets());
  if (!data) return null;
  return (
    <section aria-labelledby="budgets-title">
      <h2 id="budgets-title" className="mb-2 text-base font-semibold">
        {t('usage.budgets')}
      </h2>
      {data.items.length === 0 ? (
        <p className="rounded-lg border border-line p-3 text-soft">{t('usage.no-budgets')}</p>
      ) : (
        <ul className="rounded-lg border border-line bg-surface">
          {data.items.map(({ token, costPerDay, requestsPerMinute, spentToday, requestsToday }) => {
            const share = costPerDay === undefined || costPerDay === 0 ? 0 : spentToday / costPerDay;
            const look = share >= 1 ? 'bg-danger' : share >= 0.8 ? 'bg-warn' : 'bg-accent';
            return (
              <li key={token} className="border-b border-line px-3 py-2 last:border-0">
                <div className="flex flex-wrap items-baseline gap-x-3">
                  <span className="font-medium">{token}</span>
                  <span className="text-xs text-soft">
                    {t('usage.requests-today', { count: requestsToday })}
                    {requestsPerMinute !== undefined && ` · ${t('usage.per-minute', { count: requestsPerMinute })}`}
                  </span>
                  <span className="ml-auto text-sm tabular-nums">
                    {costPerDay === undefined
                      ? t('usage.spent-today', { spent: money(spentToday) })
                      : t('usage.spent-of', { spent: money(spentToday), budget: money(costPerDay) })}
                  </span>
                </div>
                {costPerDay !== undefined && (
                  <div aria-hidden className="mt-1.5 h-1.5 overflow-hidden rounded-full bg-sunken">
                    <div className={`h-full rounded-full ${look}`} style={{ width: `${Math.min(share, 1) * 100}%` }} />
                  </div>
                )}
              </li>
            );
          })}
        </ul>
      )}
    </section>
  );
}
