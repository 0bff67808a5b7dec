import { useQuery } from '@tanstack/react-query';
import { X } from 'lucide-react';
import { useEffect, useState } from 'react';
import { queries } from '../api/queries.ts';
import { FILTER_NAMES, type RecordingFilters } from '../api/recordings.ts';
import type { Recording } from '../api/types.ts';
import { ChoiceField, namedChoices, TextField } from '../ui/field.tsx';
import { FilterBar } from '../ui/filter-bar.tsx';
import { shortId } from '../ui/format.ts';
import { t } from '../words/words.ts';

/** Reads the filters from an address. */
export function readFilters(params: URLSearchParams): RecordingFilters {
  const given = FILTER_NAMES.flatMap((name) => {
    const value = params.get(name);
    return value ? [[name, value]] : [];
  });
  return Object.fromEntries(given) as RecordingFilters;
}

const OUTCOMES = [
  { value: '', title: t('recordings.any-outcome') },
  { value: 'open', title: t('recordings.outcome-open') },
  { value: 'done', title: t('recordings.outcome-done') },
  { value: 'cut', title: t('recordings.outcome-cut') },
  { value: 'refused', title: t('recordings.outcome-refused') },
  { value: 'failed', title: t('recordings.outcome-failed') },
] as const;

const LATENCIES = [
  { value: '', title: t('recordings.any-latency') },
  ...['1', '5', '15', '60'].map((seconds) => ({
    value: String(Number(seconds) * 1000),
    title: t('recordings.slower', { seconds }),
  })),
];

const COSTS = [
  { value: '', title: t('recordings.any-cost') },
  ...['0.01', '0.1', '1'].map((cost) => ({ value: cost, title: t('recordings.dearer', { cost: `$${cost}` }) })),
];

interface RecordingFilterBarProps {
  readonly filters: RecordingFilters;
  readonly items: readonly Recording[];
  readonly onChange: (filters: RecordingFilters) => void;
  /** Whether a call is shown beside the list. */
  readonly isCompact: boolean;
}

export function RecordingFilterBar({ filters, items, onChange, isCompact }: RecordingFilterBarProps) {
  const providers = useQuery(queries.providers());
  const { provider = '', model = '', outcome = '', tag = '', minMs = '', minCost = '', session } = filters;
  const tags = [...(tag ? [tag] : []), ...items.flatMap((one) => one.tags)].sort();
  const models = [...(model ? [model] : []), ...items.flatMap((one) => one.model ?? [])].sort();
  const set = (news: Readonly<Record<string, string>>) =>
    onChange(
      Object.fromEntries(
        Object.entries({ ...filters, ...news }).filter(([, value]) => value !== ''),
      ) as RecordingFilters,
    );
  return (
    <search aria-label={t('recordings.filters')} className="flex flex-col gap-2">
      <FilterBar
        label={t('recordings.filters')}
        isCompact={isCompact}
        first={<SearchField value={filters.text ?? ''} onChange={(text) => set({ text })} isWide={isCompact} />}
        count={[provider, model, outcome, tag, minMs, minCost].filter(Boolean).length}
        onClear={() => set({ provider: '', model: '', outcome: '', tag: '', minMs: '', minCost: '' })}
      >
        <ChoiceField
          label={t('recordings.provider')}
          value={provider}
          onChoose={(value) => set({ provider: value })}
          choices={namedChoices(
            t('recordings.any-provider'),
            (providers.data?.items ?? []).map(({ id }) => id),
          )}
        />
        {models.length > 0 && (
          <ChoiceField
            label={t('recordings.model')}
            value={model}
            className="max-w-44"
            onChoose={(value) => set({ model: value })}
            choices={namedChoices(t('recordings.any-model'), models)}
          />
        )}
        <ChoiceField
          label={t('recordings.outcome')}
          choices={OUTCOMES}
          value={outcome}
          onChoose={(value) => set({ outcome: value })}
        />
        <ChoiceField
          label={t('recordings.latency')}
          choices={LATENCIES}
          value={minMs}
          onChoose={(value) => set({ minMs: value })}
        />
        <ChoiceField
          label={t('recordings.cost')}
          choices={COSTS}
          value={minCost}
          onChoose={(value) => set({ minCost: value })}
        />
        {tags.length > 0 && (
          <ChoiceField
            label={t('recordings.tag')}
            value={tag}
            onChoose={(value) => set({ tag: value })}
            choices={namedChoices(t('recordings.any-tag'), tags)}
          />
        )}
      </FilterBar>
      {session !== undefined && (
        <button
          type="button"
          onClick={() => set({ session: '' })}
          className="flex h-8 items-center gap-1 self-start pointer-coarse:h-10 rounded-md bg-accent-soft px-2 text-xs text-accent"
        >
          {t('recordings.only-session', { session: shortId(session) })} <X size={12} aria-hidden />
          <span className="sr-only">{t('recordings.all-sessions')}</span>
        </button>
      )}
    </search>
  );
}

const TYPING_MS = 250;

interface SearchFieldProps {
  readonly value: string;
  readonly onChange: (value: string) => void;
  /** Whether it takes the room that the filters leave. */
  readonly isWide: boolean;
}

/** Searches when the reader stops typing. */
function SearchField({ value, onChange, isWide }: SearchFieldProps) {
  const [text, setText] = useState(value);
  // biome-ignore lint/correctness/useExhaustiveDependencies: only typing starts a search
  useEffect(() => {
    if (text === value) return;
    const timer = setTimeout(() => onChange(text), TYPING_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return (
    <TextField
      type="search"
      aria-label={t('recordings.search')}
      placeholder={t('recordings.search')}
      className={isWide ? 'w-0 grow' : 'w-52 max-sm:w-0 max-sm:grow'}
      value={text}
      onChange={(event) => setText(event.target.value)}
    />
  );
}
