import { useQuery } from '@tanstack/react-query';
import { FlaskConical } from 'lucide-react';
import { useState } from 'react';
import { type CacheSimulation, cachingQuery, simulateCaches } from '../api/caching.ts';
import { queries } from '../api/queries.ts';
import { Button } from '../ui/button.tsx';
import { ChoiceField, namedChoices } from '../ui/field.tsx';
import { money, shortNumber } from '../ui/format.ts';
import { toastError } from '../ui/toasts.tsx';
import { t } from '../words/words.ts';

const CHANGES = ['mark-conversation', 'mark-system', 'no-markers', 'sort-tools', '1h', '5m'] as const;
type Change = (typeof CHANGES)[number];

/** The recorded requests since a time under other markers, another order of tools, another lifetime or another model. */
export default function WhatIf({ since }: { readonly since: number }) {
  const { data: known } = useQuery(cachingQuery({ since }));
  const { data: models } = useQuery(queries.models());
  const [changes, setChanges] = useState<readonly Change[]>(['mark-conversation', 'sort-tools', '1h']);
  const [model, setModel] = useState('');
  const [isRunning, setRunning] = useState(false);
  const [results, setResults] = useState<readonly CacheSimulation[]>([]);
  if (!known || known.all.requests === 0) return null;
  const wanted = [...CHANGES.filter((change) => changes.includes(change)), ...(model === '' ? [] : [model])];
  const toggle = (change: Change) =>
    setChanges(changes.includes(change) ? changes.filter((one) => one !== change) : [...changes, change]);
  const run = async () => {
    setRunning(true);
    try {
      setResults(await simulateCaches(wanted, since));
    } catch (error) {
      toastError(error);
    } finally {
      setRunning(false);
    }
  };
  return (
    <section aria-label={t('what-if.title')} className="rounded-lg border border-line bg-surface p-4">
      <h2 className="font-semibold">{t('what-if.title')}</h2>
      <p className="mb-3 text-xs text-soft">{t('what-if.about')}</p>
      <div className="grid gap-x-4 gap-y-1 sm:grid-cols-2">
        {CHANGES.map((change) => (
          <label
            key={change}
            className="flex cursor-pointer items-center gap-2 rounded px-1 py-1 text-sm hover:bg-hover"
          >
            <input type="checkbox" checked={changes.includes(change)} onChange={() => toggle(change)} />
            {t(`what-if.${change}`)}
          </label>
        ))}
      </div>
      <div className="mt-3 flex flex-wrap items-center gap-2">
        <ChoiceField
          label={t('what-if.model')}
          choices={namedChoices(t('what-if.no-model'), models?.items.map(({ id }) => id) ?? [])}
          value={model}
          onChoose={setModel}
          className="w-64 max-w-full"
        />
        <Button look="primary" disabled={isRunning || wanted.length === 0} onClick={() => void run()}>
          <FlaskConical size={14} aria-hidden />
          {t(isRunning ? 'what-if.running' : 'what-if.run')}
        </Button>
      </div>
      {results.length > 0 && <Results results={results} />}
    </section>
  );
}

const HEAD = 'px-3 py-1.5 text-right text-xs font-medium whitespace-nowrap text-soft';
const CELL = 'px-3 py-1.5 text-right whitespace-nowrap tabular-nums';

function Results({ results }: { readonly results: readonly CacheSimulation[] }) {
  const base = results[0]!.cost;
  return (
    <section
      aria-label={t('what-if.results')}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls sideways has to be reached by keys
      tabIndex={0}
      className="mt-4 overflow-x-auto rounded-lg border border-line"
    >
      <table className="w-full border-collapse text-sm">
        <thead>
          <tr className="border-b border-line">
            <th className="px-3 py-1.5 text-left text-xs font-medium text-soft">{t('what-if.scenario')}</th>
            <th className={HEAD}>{t('what-if.cost')}</th>
            <th className={HEAD}>{t('what-if.difference')}</th>
            <th className={HEAD}>{t('what-if.read')}</th>
            <th className={HEAD}>{t('what-if.written')}</th>
          </tr>
        </thead>
        <tbody>
          {results.map(({ id, read, written, cost }) => (
            <tr key={id} className="border-b border-line last:border-0">
              <th scope="row" className="min-w-40 px-3 py-1.5 text-left font-normal break-words">
                {title(id)}
              </th>
              <td className={CELL}>{cost === null ? t('usage.unknown') : money(cost)}</td>
              <td className={CELL}>{id === 'recorded' ? '' : <Difference base={base} cost={cost} />}</td>
              <td className={CELL}>{shortNumber(read)}</td>
              <td className={CELL}>{shortNumber(written)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function title(id: string): string {
  const change = id === 'recorded' ? 'recorded' : CHANGES.find((one) => one === id);
  return change ? t(`what-if.${change}`) : t('what-if.answered-by', { model: id });
}

/** How much more or less it would have cost, in percent. */
function Difference({ base, cost }: { readonly base: number | null; readonly cost: number | null }) {
  if (base === null || cost === null || base === 0) return <>–</>;
  const percent = Math.round((cost / base - 1) * 100);
  if (percent === 0) return <>±0 %</>;
  return (
    <span
      className={percent < 0 ? 'text-ok' : 'text-danger'}
    >{`${percent < 0 ? '−' : '+'}${Math.abs(percent)} %`}</span>
  );
}
