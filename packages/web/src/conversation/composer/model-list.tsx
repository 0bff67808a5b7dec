import { useQuery } from '@tanstack/react-query';
import { Command } from 'cmdk';
import { Check } from 'lucide-react';
import { useState } from 'react';
import { queries } from '../../api/queries.ts';
import type { Model } from '../../api/types.ts';
import { shortNumber } from '../../ui/format.ts';

export interface ModelListProps {
  readonly chosen: string | undefined;
  readonly onChoose: (id: string | undefined) => void;
}

/** A searchable list of models; any other model can be typed. */
export default function ModelList({ chosen, onChoose }: ModelListProps) {
  const [search, setSearch] = useState('');
  const { data, isPending } = useQuery(queries.models());
  const groups = groupModels(data?.items ?? [], search);
  const isOther = /^[^/\s]+\/\S+$/.test(search) && !data?.items.some(({ id }) => id === search);
  return (
    <Command shouldFilter={false} label="Models" className="flex flex-col">
      <Command.Input
        autoFocus
        value={search}
        onValueChange={setSearch}
        placeholder="Search, or type provider/model"
        className="mb-2 h-8 rounded-md border border-line bg-page px-2 placeholder:text-faint"
      />
      <Command.List className="max-h-72 overflow-y-auto">
        {isPending && <p className="px-2 py-1 text-xs text-faint">Loading …</p>}
        {isOther && <Choice id={search} title={`Use ${search}`} onChoose={onChoose} />}
        {search === '' && chosen !== undefined && (
          <Choice id="default" title="The default model" onChoose={() => onChoose(undefined)} />
        )}
        {groups.map(({ provider, models, more }) => (
          <Command.Group
            key={provider}
            heading={provider}
            className="[&_[cmdk-group-heading]]:px-2 [&_[cmdk-group-heading]]:py-1 [&_[cmdk-group-heading]]:text-xs [&_[cmdk-group-heading]]:text-faint"
          >
            {models.map((one) => (
              <Choice
                key={one.id}
                id={one.id}
                title={one.model}
                isChosen={one.id === chosen}
                note={one.hasKey ? (one.contextTokens === undefined ? '' : shortNumber(one.contextTokens)) : 'no key'}
                onChoose={onChoose}
              />
            ))}
            {more > 0 && <p className="px-2 py-1 text-xs text-faint">{more} more: search for them</p>}
          </Command.Group>
        ))}
        {!isPending && groups.length === 0 && !isOther && (
          <p className="px-2 py-1 text-xs text-faint">No model matches. You can type any provider/model.</p>
        )}
      </Command.List>
    </Command>
  );
}

interface ChoiceProps {
  readonly id: string;
  readonly title: string;
  readonly note?: string;
  readonly isChosen?: boolean;
  readonly onChoose: (id: string) => void;
}

function Choice({ id, title, note = '', isChosen = false, onChoose }: ChoiceProps) {
  return (
    <Command.Item
      value={id}
      onSelect={() => onChoose(id)}
      className="flex cursor-pointer items-center gap-2 rounded px-2 py-1 data-[selected=true]:bg-hover"
    >
      <span className="min-w-0 grow truncate">{title}</span>
      <span className="shrink-0 text-xs text-faint">{note}</span>
      {isChosen && <Check size={14} aria-label="chosen" />}
    </Command.Item>
  );
}

/** The most models shown per provider; others are found by searching. */
const SHOWN = 8;
const SHOWN_FOUND = 40;

export interface ModelGroup {
  readonly provider: string;
  readonly models: readonly Model[];
  /** The number of models that are not shown. */
  readonly more: number;
}

/** Models whose names have every word of the search, grouped by provider, probably newest first. */
export function groupModels(models: readonly Model[], search: string): readonly ModelGroup[] {
  const words = search
    .toLowerCase()
    .split(/[\s/]+/)
    .filter(Boolean);
  const found = models.filter(({ id }) => words.every((word) => id.toLowerCase().includes(word)));
  const groups = new Map<string, Model[]>();
  for (const model of found) groups.set(model.provider, [...(groups.get(model.provider) ?? []), model]);
  const most = words.length === 0 ? SHOWN : SHOWN_FOUND;
  const wanted = search.trim().toLowerCase();
  const isExact = ({ id, model }: Model) => id.toLowerCase() === wanted || model.toLowerCase() === wanted;
  const exactFirst = (a: Model, b: Model) => Number(isExact(b)) - Number(isExact(a)) || byNewest(a, b);
  return [...groups]
    .map(([provider, list]) => ({
      provider,
      models: list.toSorted(exactFirst).slice(0, most),
      more: Math.max(0, list.length - most),
    }))
    .sort((a, b) => Number(b.models.some(isExact)) - Number(a.models.some(isExact)));
}

/** Higher versions first. Models without known limits come last: they are old or special. */
function byNewest(a: Model, b: Model): number {
  const isKnown = Number(b.contextTokens !== undefined) - Number(a.contextTokens !== undefined);
  return isKnown || b.model.localeCompare(a.model, 'en', { numeric: true });
}
