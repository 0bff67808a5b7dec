import { useState } from 'react';
import { Link } from 'wouter';
import { acceptRules, type CassetteCheck, checkCassettes, type IgnoreRule } from '../api/cassettes.ts';
import { Button } from '../ui/button.tsx';
import { ChoiceField } from '../ui/field.tsx';
import { toast, toastError } from '../ui/toasts.tsx';
import { t } from '../words/words.ts';

const DAY_MS = 86_400_000;
const PERIODS = [
  { value: '1', title: t('cassettes.last-day') },
  { value: '7', title: t('cassettes.last-week') },
  { value: '', title: t('cassettes.all-time') },
];

/** Compares what programs asked with the cassettes, on request: it reads all of them. */
export function CassetteComparison() {
  const [period, setPeriod] = useState('1');
  const [isRunning, setRunning] = useState(false);
  const [found, setFound] = useState<CassetteCheck>();
  const compare = async () => {
    setRunning(true);
    try {
      setFound(await checkCassettes(period === '' ? undefined : Date.now() - Number(period) * DAY_MS));
    } catch (error) {
      toastError(error);
    } finally {
      setRunning(false);
    }
  };
  const accept = async (rules: readonly IgnoreRule[]) => {
    try {
      await acceptRules(rules);
      toast(t('cassettes.accepted', { count: rules.length }));
      await compare();
    } catch (error) {
      toastError(error);
    }
  };
  return (
    <section aria-label={t('cassettes.check')} className="rounded-lg border border-line bg-surface p-4">
      <h2 className="font-semibold">{t('cassettes.check')}</h2>
      <p className="mb-3 text-xs text-soft">{t('cassettes.check-about')}</p>
      <div className="flex flex-wrap items-center gap-2">
        <ChoiceField label={t('cassettes.period')} choices={PERIODS} value={period} onChoose={setPeriod} />
        <Button look="primary" disabled={isRunning} onClick={() => void compare()}>
          {t('cassettes.run')}
        </Button>
        <span role="status" className="text-sm">
          {found && !isRunning && summary(found)}
        </span>
      </div>
      {found && (
        <>
          <Proposals key={JSON.stringify(found.proposals)} rules={found.proposals} onAccept={accept} />
          <Drifted drifted={found.drifted} />
          <Unused files={found.unused} />
        </>
      )}
    </section>
  );
}

function summary({ requests, hits, drifted, elsewhere, unused }: CassetteCheck): string {
  return [
    t('cassettes.compared', { count: requests }),
    t('cassettes.answered', { count: hits }),
    t('cassettes.drifted', { count: drifted.length }),
    ...(elsewhere === 0 ? [] : [t('cassettes.elsewhere', { count: elsewhere })]),
    t('cassettes.not-needed', { count: unused.length }),
  ].join(' · ');
}

interface ProposalsProps {
  readonly rules: readonly IgnoreRule[];
  readonly onAccept: (rules: readonly IgnoreRule[]) => Promise<void>;
}

function Proposals({ rules, onAccept }: ProposalsProps) {
  const [accepted, setAccepted] = useState<readonly IgnoreRule[]>([]);
  if (rules.length === 0) return null;
  const toggle = (rule: IgnoreRule) =>
    setAccepted(accepted.includes(rule) ? accepted.filter((one) => one !== rule) : [...accepted, rule]);
  return (
    <fieldset className="mt-4 rounded-md border border-line p-3">
      <legend className="float-left w-full text-sm font-medium">{t('cassettes.proposals-title')}</legend>
      <p className="clear-both mb-2 text-xs text-soft">{t('cassettes.proposals-about')}</p>
      {rules.map((rule) => (
        <label
          key={`${rule.path} ${rule.match}`}
          className="flex cursor-pointer items-center gap-2 rounded px-1 py-1 hover:bg-hover"
        >
          <input type="checkbox" checked={accepted.includes(rule)} onChange={() => toggle(rule)} />
          <RuleText rule={rule} />
        </label>
      ))}
      <Button className="mt-2" disabled={accepted.length === 0} onClick={() => void onAccept(accepted)}>
        {accepted.length === 0 ? t('cassettes.accept-none') : t('cassettes.accept', { count: accepted.length })}
      </Button>
    </fieldset>
  );
}

function Drifted({ drifted }: Pick<CassetteCheck, 'drifted'>) {
  if (drifted.length === 0) return null;
  return (
    <section aria-label={t('cassettes.drifted-title')} className="mt-4">
      <h3 className="text-sm font-medium">{t('cassettes.drifted-title')}</h3>
      <ul className="flex flex-col divide-y divide-line">
        {drifted.map(({ exchange, message }) => (
          <li key={exchange} className="py-2 text-sm">
            <p className="break-words">{message}</p>
            <Link href={`/recordings/${exchange}`} className="text-xs text-accent underline">
              {t('cassettes.show')}
            </Link>
          </li>
        ))}
      </ul>
    </section>
  );
}

function Unused({ files }: { readonly files: readonly string[] }) {
  if (files.length === 0) return null;
  return (
    <section aria-label={t('cassettes.unused-title')} className="mt-4">
      <h3 className="text-sm font-medium">{t('cassettes.unused-title')}</h3>
      <ul className="mt-1 text-sm text-soft">
        {files.map((file) => (
          <li key={file}>{file}</li>
        ))}
      </ul>
    </section>
  );
}

/** The place of a rule, and what is ignored there. */
export function RuleText({ rule: { path, match, kind } }: { readonly rule: IgnoreRule }) {
  const what = kind ? t(`cassettes.kind-${kind}`) : match === undefined ? t('cassettes.all-of-it') : undefined;
  return (
    <span className="min-w-0 break-words">
      <code className="font-mono text-xs">{path}</code>{' '}
      {what === undefined ? (
        <code className="font-mono text-xs break-all text-soft">{match}</code>
      ) : (
        <span className="text-sm text-soft">{what}</span>
      )}
    </span>
  );
}
