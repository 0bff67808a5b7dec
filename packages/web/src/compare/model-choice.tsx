import { ListPlus, X } from 'lucide-react';
import { useState } from 'react';
import type { Model } from '../api/types.ts';
import { Button } from '../ui/button.tsx';
import { Popover } from '../ui/popover.tsx';
import { MOST_COLUMNS } from './columns.ts';

export interface ModelChoiceProps {
  readonly all: readonly Model[];
  readonly chosen: readonly string[];
  readonly onChange: (chosen: readonly string[]) => void;
}

/** There are hundreds; whoever looks for one types a part of its name. */
const MOST_SHOWN = 60;

/** Two to four models. */
export function ModelChoice({ all, chosen, onChange }: ModelChoiceProps) {
  const [words, setWords] = useState('');
  const fits = all.filter(({ id }) => id.toLowerCase().includes(words.trim().toLowerCase()));
  const toggle = (id: string) =>
    onChange(chosen.includes(id) ? chosen.filter((other) => other !== id) : [...chosen, id].slice(-MOST_COLUMNS));
  return (
    <>
      <Popover
        label="Models to ask"
        side="top"
        trigger={
          <Button small>
            <ListPlus size={14} /> Models
          </Button>
        }
      >
        <input
          type="search"
          aria-label="Find a model"
          placeholder="Find a model"
          value={words}
          onChange={(event) => setWords(event.target.value)}
          className="mb-2 h-8 w-full rounded-md border border-line bg-surface px-2 text-sm placeholder:text-faint"
        />
        <ul className="flex max-h-64 flex-col overflow-y-auto">
          {fits.slice(0, MOST_SHOWN).map(({ id, hasKey }) => (
            <li key={id}>
              <label className="flex cursor-pointer items-center gap-2 rounded px-1 py-1 hover:bg-hover">
                <input
                  type="checkbox"
                  checked={chosen.includes(id)}
                  disabled={!hasKey && !chosen.includes(id)}
                  onChange={() => toggle(id)}
                  className="accent-accent"
                />
                <span className="min-w-0 truncate">{id}</span>
                {!hasKey && <span className="ml-auto shrink-0 text-xs text-faint">no key</span>}
              </label>
            </li>
          ))}
        </ul>
        {fits.length === 0 && <p className="text-xs text-soft">No model has this name.</p>}
        {fits.length > MOST_SHOWN && (
          <p className="mt-1 text-xs text-soft">{fits.length - MOST_SHOWN} more; type a part of the name.</p>
        )}
      </Popover>
      {chosen.length === 0 ? (
        <span className="text-xs text-soft">Choose two to four models</span>
      ) : (
        <ul aria-label="Chosen models" className="flex min-w-0 flex-wrap gap-1">
          {chosen.map((id) => (
            <li key={id}>
              <button
                type="button"
                aria-label={`Do not ask ${id}`}
                onClick={() => toggle(id)}
                className="flex h-6 items-center gap-1 rounded-md bg-sunken px-1.5 text-xs text-soft hover:bg-hover hover:text-ink"
              >
                {id.split('/').slice(1).join('/')} <X size={12} aria-hidden />
              </button>
            </li>
          ))}
        </ul>
      )}
    </>
  );
}
