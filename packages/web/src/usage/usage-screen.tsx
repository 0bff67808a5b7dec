import { useQuery } from '@tanstack/react-query';
import { ChartColumn, CircleAlert } from 'lucide-react';
import { lazy, type ReactNode, Suspense, useMemo } from 'react';
import { useLocation, useSearchParams } from 'wouter';
import { queries } from '../api/queries.ts';
import type { DailyUsage } from '../api/types.ts';
import { ChoiceField } from '../ui/field.tsx';
import { money, shortNumber } from '../ui/format.ts';
import { Empty, Failed, Loading } from '../ui/states.tsx';
import { LANGUAGE, t } from '../words/words.ts';
import { BudgetList } from './budget-list.tsx';
import { seriesColors } from './series-color.ts';
import { daysSince, stackDays, sumByName } from './stack-days.ts';

const CostChart = lazy(() => import('./cost-chart.tsx'));
const CacheCauses = lazy(() => import('./cache-causes.tsx'));
const WhatIf = lazy(() => import('./what-if.tsx'));

const DIVISIONS = [
  { value: 'model', title: t('usage.by-model') },
  { value: 'app', title: t('usage.by-app') },
  { value: 'tag', title: t('usage.by-tag') },
] as const;

type Division = (typeof DIVISIONS)[number]['value'];

const PERIODS = ['7', '30', '90', '365'].map((days) => ({ value: days, title: t('usage.last-days', { days }) }));
const DAY_MS = 86_400_000;

/** What models cost, by day and by model, program or tag. */
export default function UsageScreen() {
  const [, go] = useLocation();
  const [params] = useSearchParams();
  const by = DIVISIONS.find(({ value }) => value === params.get('by'))?.value ?? 'model';
  const period = PERIODS.find(({ value }) => value === params.get('days'))?.value ?? '30';
  const days = useMemo(() => {
    const today = new Date().setHours(0, 0, 0, 0);
    return daysSince(today - (Number(period) - 1) * DAY_MS);
  }, [period]);
  const since = new Date(`${days[0]}T00:00:00`).getTime();
  const query = useQuery(queries.dailyUsage(by, since));
  const show = (next: { readonly by?: string; readonly days?: string }) =>
    go(`/usage?${new URLSearchParams({ by, days: period, ...next })}`, { replace: true });
  return (
    <div className="h-full overflow-y-auto">
      <div className="mx-auto flex max-w-5xl flex-col gap-6 p-4 sm:p-8">
        <header className="flex flex-wrap items-center gap-2">
          <h1 className="mr-auto text-xl font-semibold tracking-tight">{t('usage.title')}</h1>
          <ChoiceField
            label={t('usage.divide')}
            choices={DIVISIONS}
            value={by}
            onChoose={(value) => show({ by: value })}
          />
          <ChoiceField
            label={t('usage.period')}
            choices={PERIODS}
            value={period}
            onChoose={(value) => show({ days: value })}
          />
        </header>
        {query.isPending ? (
          <Loading lines={8} />
        ) : query.isError ? (
          <Failed error={query.error} onRetry={() => void query.refetch()} />
        ) : query.data.items.length === 0 ? (
          <Empty title={t('usage.empty')} icon={<ChartColumn size={20} />}>
            {t('usage.empty-more')}
          </Empty>
        ) : (
          <Report items={query.data.items} days={days} by={by} />
        )}
        <Suspense fallback={<Loading lines={3} />}>
          <CacheCauses since={since} />
          <WhatIf key={since} since={since} />
        </Suspense>
        <BudgetList />
      </div>
    </div>
  );
}

interface ReportProps {
  readonly items: readonly DailyUsage[];
  readonly days: readonly string[];
  readonly by: Division;
}

function Report({ items, days, by }: ReportProps) {
  const sums = useMemo(() => sumByName(items), [items]);
  const stacked = useMemo(() => stackDays(items, days, t('usage.others')), [items, days]);
  const colors = useMemo(() => seriesColors(stacked.names, by === 'model'), [stacked, by]);
  // Replies with several tags would count several times.
  const isExact = by !== 'tag';
  const total = sums.reduce(
    (all, one) => ({
      cost: all.cost + one.cost,
      saved: all.saved + one.saved,
      replies: all.replies + one.replies,
      tokens: all.tokens + one.input + one.output,
      withoutPrice: all.withoutPrice + one.withoutPrice,
    }),
    { cost: 0, saved: 0, replies: 0, tokens: 0, withoutPrice: 0 },
  );
  return (
    <>
      {isExact && (
        <dl className="grid grid-cols-2 gap-3 sm:grid-cols-4">
          <Total name={t('usage.cost')}>{money(total.cost)}</Total>
          <Total name={t('usage.saved')}>
            <span className={total.saved > 0 ? 'text-ok' : ''}>{signed(total.saved)}</span>
          </Total>
          <Total name={t('usage.replies')}>{total.replies.toLocaleString(LANGUAGE)}</Total>
          <Total name={t('usage.tokens')}>{shortNumber(total.tokens)}</Total>
        </dl>
      )}
      {total.withoutPrice > 0 && (
        <p className="flex items-center gap-2 text-sm text-soft">
          <CircleAlert size={14} aria-hidden className="shrink-0 text-warn" />
          {t('usage.without-price', { count: total.withoutPrice })}
        </p>
      )}
      <figure className="rounded-lg border border-line bg-surface p-4">
        <figcaption className="mb-2 font-semibold">{t('usage.chart')}</figcaption>
        <Suspense fallback={<div className="h-60" />}>
          <CostChart days={stacked.days} stacks={stacked.stacks} colors={colors} />
        </Suspense>
        <ul className="mt-2 flex flex-wrap gap-x-4 gap-y-1 text-xs text-soft">
          {stacked.names.map((name, index) => (
            <li key={name} className="flex min-w-0 items-center gap-1.5">
              <span
                aria-hidden
                className="size-2.5 shrink-0 rounded-sm"
                style={{ background: `var(${colors[index]})` }}
              />
              <span className="truncate">{name || t('usage.none')}</span>
            </li>
          ))}
        </ul>
        <DayTable days={stacked.days} names={stacked.names} costs={stacked.costs} />
      </figure>
      <SumTable sums={sums} by={by} colorOf={(name) => colors[stacked.names.indexOf(name)] ?? '--line-strong'} />
    </>
  );
}

function Total({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <div className="rounded-lg border border-line bg-surface p-3">
      <dt className="text-xs text-soft">{name}</dt>
      <dd className="text-xl font-semibold tabular-nums">{children}</dd>
    </div>
  );
}

function signed(value: number): string {
  return value < 0 ? `−${money(-value)}` : money(value);
}

const CELL = 'px-3 py-1.5 text-right whitespace-nowrap tabular-nums';
const HEAD = 'px-3 py-1.5 text-right text-xs font-medium text-soft';

/** The chart as a table, for those who cannot see it and for whoever wants the figures. */
function DayTable({ days, names, costs }: Pick<ReturnType<typeof stackDays>, 'days' | 'names' | 'costs'>) {
  const used = days.map((day, at) => ({ day, at })).filter(({ at }) => costs.some((row) => row[at]! > 0));
  return (
    <details className="mt-3 text-sm">
      <summary className="text-xs text-soft">{t('usage.as-table')}</summary>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls sideways has to be reached by keys */}
      <section aria-label={t('usage.chart')} tabIndex={0} className="mt-2 overflow-x-auto">
        <table className="w-full border-collapse">
          <thead>
            <tr className="border-b border-line">
              <th className="px-3 py-1.5 text-left text-xs font-medium text-soft">{t('usage.day')}</th>
              {names.map((name) => (
                <th key={name} className={HEAD}>
                  {name || t('usage.none')}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {used.map(({ day, at }) => (
              <tr key={day} className="border-b border-line last:border-0">
                <th scope="row" className="px-3 py-1.5 text-left font-normal whitespace-nowrap">
                  {new Date(`${day}T12:00:00`).toLocaleDateString(LANGUAGE, { dateStyle: 'medium' })}
                </th>
                {names.map((name, row) => (
                  <td key={name} className={CELL}>
                    {money(costs[row]![at]!)}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </details>
  );
}

interface SumTableProps {
  readonly sums: ReturnType<typeof sumByName>;
  readonly by: Division;
  /** The CSS variable of the colour that a name has in the chart. */
  readonly colorOf: (name: string) => string;
}

function SumTable({ sums, by, colorOf }: SumTableProps) {
  const most = Math.max(...sums.map(({ cost }) => cost), 0);
  return (
    <section
      aria-label={t('usage.sums')}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls sideways has to be reached by keys
      tabIndex={0}
      className="overflow-x-auto rounded-lg border border-line bg-surface"
    >
      <table className="w-full border-collapse text-sm">
        <thead>
          <tr className="border-b border-line">
            <th className="px-3 py-1.5 text-left text-xs font-medium text-soft">{t(`usage.name-${by}`)}</th>
            <th className={HEAD}>{t('usage.replies')}</th>
            <th className={HEAD}>{t('usage.input')}</th>
            <th className={HEAD}>{t('usage.cached')}</th>
            <th className={HEAD}>{t('usage.output')}</th>
            <th className={HEAD}>{t('usage.saved')}</th>
            <th className={HEAD}>{t('usage.cost')}</th>
          </tr>
        </thead>
        <tbody>
          {sums.map(({ name, replies, input, cached, output, saved, cost, withoutPrice }) => (
            <tr key={name} className="border-b border-line last:border-0">
              <th scope="row" className="max-w-64 px-3 py-1.5 text-left font-normal">
                <span className="block truncate">{name || t('usage.none')}</span>
                <span aria-hidden className="mt-1 block h-1 overflow-hidden rounded-full bg-sunken">
                  <span
                    className="block h-full rounded-full"
                    style={{
                      width: `${most === 0 ? 0 : (cost / most) * 100}%`,
                      background: `var(${colorOf(name)})`,
                    }}
                  />
                </span>
              </th>
              <td className={CELL}>{replies.toLocaleString(LANGUAGE)}</td>
              <td className={CELL}>{shortNumber(input)}</td>
              <td className={CELL}>{input === 0 ? '–' : `${Math.round((cached / input) * 100)} %`}</td>
              <td className={CELL}>{shortNumber(output)}</td>
              <td className={CELL}>{signed(saved)}</td>
              <td className={CELL}>{withoutPrice === replies ? t('usage.unknown') : money(cost)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
