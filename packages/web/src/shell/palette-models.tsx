import { useQuery } from '@tanstack/react-query';
import { Command } from 'cmdk';
import { Check } from 'lucide-react';
import { queries } from '../api/queries.ts';
import { useView } from '../state/view.ts';
import { shortNumber } from '../ui/format.ts';
import { find } from './find.ts';
import type { PalettePartProps } from './palette-commands.tsx';
import { PaletteItem } from './palette-item.tsx';

export interface PaletteModelsProps extends PalettePartProps {
  /** Also before anything is typed. */
  readonly isWhole: boolean;
}

/** Chooses the model that is asked next. */
export function PaletteModels({ query, isWhole, onDone }: PaletteModelsProps) {
  const { data } = useQuery(queries.models());
  const settings = useQuery(queries.settings());
  const chosen = useView((view) => view.model) ?? settings.data?.model;
  if (!isWhole && query.length < 2) return null;
  const found = find(data?.items ?? [], query, ({ id }) => id, isWhole ? 200 : 6);
  if (found.length === 0) return null;
  return (
    <Command.Group heading={isWhole ? 'Models of providers that have a key' : 'Ask this model next'}>
      {found.map(({ id, contextTokens, hasKey }) => (
        <PaletteItem
          key={id}
          id={`model ${id}`}
          icon={id === chosen && <Check size={14} className="text-accent" />}
          aside={hasKey ? contextTokens !== undefined && `${shortNumber(contextTokens)} context` : 'no key'}
          onChoose={() => {
            useView.setState({ model: id });
            onDone();
          }}
        >
          {id}
        </PaletteItem>
      ))}
    </Command.Group>
  );
}
