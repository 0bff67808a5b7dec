import { useQuery } from '@tanstack/react-query';
import { queries } from '../api/queries.ts';
import type { RecordingFilters } from '../api/recordings.ts';
import type { Recording } from '../api/types.ts';
import { ChoiceField, namedChoices } from '../ui/field.tsx';

const STATUSES = [
  { value: '', title: 'Any status' },
  { value: '2xx', title: '2xx' },
  { value: '3xx', title: '3xx' },
  { value: '4xx', title: '4xx' },
  { value: '5xx', title: '5xx' },
] as const;

const OUTCOMES = [
  { value: '', title: 'Any outcome' },
  { value: 'open', title: 'Under way' },
  { value: 'done', title: 'Done' },
  { value: 'cut', title: 'Cut' },
  { value: 'refused', title: 'Refused' },
  { value: 'failed', title: 'Failed' },
] as const;

export interface RecordingFilterBarProps {
  readonly filters: RecordingFilters;
  readonly items: readonly Recording[];
  readonly onChange: (filters: RecordingFilters) => void;
}

export function RecordingFilterBar({ filters, items, onChange }: RecordingFilterBarProps) {
  const providers = useQuery(queries.providers());
  const { provider = '', status = '', outcome = '', tag = '' } = filters;
  const tags = [...(tag ? [tag] : []), ...items.flatMap((one) => one.tags)].sort();
  const set = (news: Readonly<Record<string, string>>) =>
    onChange(Object.fromEntries(Object.entries({ ...filters, ...news }).filter(([, value]) => value !== '')));
  return (
    <>
      <ChoiceField
        label="Provider"
        value={provider}
        onChoose={(value) => set({ provider: value })}
        choices={namedChoices(
          'Any provider',
          (providers.data?.items ?? []).map(({ id }) => id),
        )}
      />
      <ChoiceField label="Status" choices={STATUSES} value={status} onChoose={(value) => set({ status: value })} />
      <ChoiceField label="Outcome" choices={OUTCOMES} value={outcome} onChoose={(value) => set({ outcome: value })} />
      {tags.length > 0 && (
        <ChoiceField
          label="Tag"
          value={tag}
          onChoose={(value) => set({ tag: value })}
          choices={namedChoices('Any tag', tags)}
        />
      )}
    </>
  );
}
