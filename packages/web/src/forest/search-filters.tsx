import { useQuery } from '@tanstack/react-query';
import { queries } from '../api/queries.ts';
import { Button } from '../ui/button.tsx';
import { ChoiceField, namedChoices, TextField } from '../ui/field.tsx';
import type { ForestPartProps } from './forest-head.tsx';

const ROLES = [
  { value: '', title: 'Anyone' },
  { value: 'user', title: 'User' },
  { value: 'assistant', title: 'Assistant' },
  { value: 'tool', title: 'Tool' },
  { value: 'system', title: 'System' },
] as const;

/** Who said it, with which model, under which tag of the message, and when. */
export function SearchFilterBar({ address, onChange }: ForestPartProps) {
  const { role, model, tag, since, until } = address;
  const models = useQuery(queries.models());
  const names = [...(model ? [model] : []), ...(models.data?.items ?? []).map((one) => one.model)];
  const isFiltered = [role, model, tag, since, until].some(Boolean);
  return (
    <div className="flex flex-wrap items-center gap-2">
      <ChoiceField label="Said by" choices={ROLES} value={role} onChoose={(value) => onChange({ role: value })} />
      <ChoiceField
        label="By the model"
        className="max-w-48"
        value={model}
        onChoose={(value) => onChange({ model: value })}
        choices={namedChoices('Any model', names)}
      />
      <TextField
        aria-label="Tag of the message"
        placeholder="Tag"
        className="w-28"
        value={tag}
        onChange={(event) => onChange({ tag: event.target.value })}
      />
      <DayField label="Not before" value={since} onChoose={(value) => onChange({ since: value })} />
      <DayField label="Not after" value={until} onChoose={(value) => onChange({ until: value })} />
      {isFiltered && (
        <Button look="quiet" onClick={() => onChange({ role: '', model: '', tag: '', since: '', until: '' })}>
          No filters
        </Button>
      )}
    </div>
  );
}

interface DayFieldProps {
  readonly label: string;
  readonly value: string;
  readonly onChoose: (day: string) => void;
}

function DayField({ label, value, onChoose }: DayFieldProps) {
  return (
    <TextField
      type="date"
      aria-label={label}
      title={label}
      value={value}
      onChange={(event) => onChoose(event.target.value)}
    />
  );
}
