import { useQuery } from '@tanstack/react-query';
import { Command } from 'cmdk';
import { Check } from 'lucide-react';
import { useState } from 'react';
import { queries } from '../../api/queries.ts';
import { shortNumber } from '../../ui/format.ts';
import { groupModels } from './group-models.ts';

export interface ModelListProps {
  readonly chosen: string | undefined;
  readonly onChoose: (id: string | undefined) => void;
}

/** All models, to search in; any other can be typed. */
export default function ModelList({ chosen, onChoose }: ModelListProps) {
  const [search, setSearch] = useState('');
  const { data, isPending } = useQuery(queries.models());
  const groups = groupModels(data?.items ?? [], search);
  const isOther = /^[^/\s]+\/\S+$/.test(search) && !data?.items.some(({ id }) => id === search);
  return (
    <Command shouldFilter={false} label="Models" className="flex flex-col">
      <Command.Input
        value={search}
        onValueChange={setSearch}
        placeholder="Search, or type provider/model"
        className="mb-2 h-8 rounded-md border border-line bg-page px-2 placeholder:text-faint"
      />
      <Command.List className="max-h-72 overflow-y-auto">
        {isPending && <p className="px-2 py-1 text-xs text-faint">Loading …</p>}
        {isOther && <Choice id={search} title={`Use ${search}`} onChoose={onChoose} />}
        {search === '' && chosen !== undefined && (
          <Choice id="default" title="Whatever is set up" onChoose={() => onChoose(undefined)} />
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
          <p className="px-2 py-1 text-xs text-faint">None of that name. Any provider/model can be typed.</p>
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
