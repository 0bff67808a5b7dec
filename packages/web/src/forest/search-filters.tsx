import { useQuery } from '@tanstack/react-query';
import { queries } from '../api/queries.ts';
import { Button } from '../ui/button.tsx';
import { ChoiceField, TextField } from '../ui/field.tsx';
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
  const names = [...new Set([...(model ? [model] : []), ...(models.data?.items ?? []).map((one) => one.model)])];
  const isFiltered = [role, model, tag, since, until].some(Boolean);
  return (
    <div className="flex flex-wrap items-center gap-2">
      <ChoiceField label="Said by" choices={ROLES} value={role} onChoose={(value) => onChange({ role: value })} />
      <ChoiceField
        label="By the model"
        className="max-w-48"
        value={model}
        onChoose={(value) => onChange({ model: value })}
        choices={[{ value: '', title: 'Any model' }, ...names.map((name) => ({ value: name, title: name }))]}
      />
      <TextField
        aria-label="Tag of the message"
        placeholder="Tag"
        className="w-28"
        value={tag}
        onChange={(event) => onChange({ tag: event.target.value })}
      />
      <TextField
        type="date"
        aria-label="Not before"
        title="Not before"
        value={since}
        onChange={(event) => onChange({ since: event.target.value })}
      />
      <TextField
        type="date"
        aria-label="Not after"
        title="Not after"
        value={until}
        onChange={(event) => onChange({ until: event.target.value })}
      />
      {isFiltered && (
        <Button look="quiet" onClick={() => onChange({ role: '', model: '', tag: '', since: '', until: '' })}>
          No filters
        </Button>
      )}
    </div>
  );
}
