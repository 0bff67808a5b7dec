import { useQuery } from '@tanstack/react-query';
import { CassetteTape } from 'lucide-react';
import { type Cassette, cassettesQuery, type IgnoreRule } from '../api/cassettes.ts';
import { Empty, Failed, Loading } from '../ui/states.tsx';
import { t } from '../words/words.ts';
import { CassetteComparison, RuleText } from './cassette-comparison.tsx';

/** The cassettes that tests replay, what is not compared, and whether they still answer what programs ask. */
export default function CassettesScreen() {
  const query = useQuery(cassettesQuery());
  return (
    <div className="h-full overflow-y-auto">
      <div className="mx-auto flex max-w-5xl flex-col gap-6 p-4 sm:p-8">
        <header>
          <h1 className="text-xl font-semibold tracking-tight">{t('cassettes.title')}</h1>
          <p className="text-sm text-soft">{t('cassettes.about')}</p>
        </header>
        {query.isPending ? (
          <Loading lines={6} />
        ) : query.isError ? (
          <Failed error={query.error} onRetry={() => void query.refetch()} />
        ) : query.data.items.length === 0 ? (
          <Empty title={t('cassettes.empty')} icon={<CassetteTape size={20} />}>
            {t('cassettes.empty-more')}
          </Empty>
        ) : (
          <>
            <CassetteComparison />
            <Rules rules={query.data.rules} />
            <Files items={query.data.items} />
          </>
        )}
      </div>
    </div>
  );
}

function Rules({ rules }: { readonly rules: readonly IgnoreRule[] }) {
  return (
    <section aria-label={t('cassettes.rules')} className="rounded-lg border border-line bg-surface p-4">
      <h2 className="font-semibold">{t('cassettes.rules')}</h2>
      {rules.length === 0 ? (
        <p className="text-sm text-soft">{t('cassettes.no-rules')}</p>
      ) : (
        <ul className="mt-1 flex flex-col divide-y divide-line">
          {rules.map((rule) => (
            <li key={`${rule.path} ${rule.match}`} className="py-1.5 text-sm">
              <RuleText rule={rule} />
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

const HEAD = 'px-3 py-1.5 text-left text-xs font-medium text-soft';
const CELL = 'px-3 py-1.5 text-left';

function Files({ items }: { readonly items: readonly Cassette[] }) {
  return (
    <section
      aria-label={t('cassettes.files')}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls sideways has to be reached by keys
      tabIndex={0}
      className="overflow-x-auto rounded-lg border border-line bg-surface"
    >
      <table className="w-full border-collapse text-sm">
        <thead>
          <tr className="border-b border-line">
            <th className={HEAD}>{t('cassettes.file')}</th>
            <th className={HEAD}>{t('cassettes.request')}</th>
            <th className={HEAD}>{t('cassettes.model')}</th>
            <th className={HEAD}>{t('cassettes.status')}</th>
          </tr>
        </thead>
        <tbody>
          {items.map(({ file, method, host, path, model, status }) => (
            <tr key={file} className="border-b border-line last:border-0">
              <th scope="row" className="px-3 py-1.5 text-left font-normal whitespace-nowrap">
                {file}
              </th>
              <td className={`${CELL} whitespace-nowrap`}>{`${method} ${host}${path}`}</td>
              <td className={`${CELL} whitespace-nowrap`}>{model ?? ''}</td>
              <td className={`${CELL} tabular-nums`}>{status ?? t('cassettes.no-status')}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
