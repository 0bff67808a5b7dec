import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { queries } from '../api/queries.ts';
import { useView } from '../state/view.ts';
import { Button } from '../ui/button.tsx';
import { TextField } from '../ui/field.tsx';
import { shortNumber } from '../ui/format.ts';
import { Asked } from './asked.tsx';

const SHOWN = 12;

/** The models of providers that have a key; one of them is asked next. */
export function ModelSection() {
  const query = useQuery(queries.models());
  const settings = useQuery(queries.settings());
  const chosen = useView((view) => view.model);
  const [words, setWords] = useState('');
  const [isWhole, setWhole] = useState(false);
  const current = chosen ?? settings.data?.model;
  return (
    <Asked query={query}>
      {({ items }) => {
        const found = items.filter(({ id }) => id.toLowerCase().includes(words.toLowerCase()));
        const shown = isWhole ? found : found.slice(0, SHOWN);
        return (
          <>
            <div className="mb-2 flex flex-wrap items-center gap-2">
              <p className="mr-auto text-soft">
                Asked next: <b className="font-medium text-ink">{current ?? 'none'}</b>
              </p>
              {chosen !== undefined && (
                <Button small look="quiet" onClick={() => useView.setState({ model: undefined })}>
                  Use the server’s own
                </Button>
              )}
              <TextField
                aria-label="Filter models"
                placeholder="Filter"
                value={words}
                onChange={(event) => setWords(event.target.value)}
              />
            </div>
            {found.length === 0 ? (
              <p className="p-3 text-soft">No model has this in its name.</p>
            ) : (
              <ul className="rounded-lg border border-line bg-surface">
                {shown.map(({ id, contextTokens, hasKey }) => (
                  <li key={id} className="flex items-center gap-3 border-b border-line px-3 py-1 last:border-0">
                    <span className="min-w-0 grow truncate">{id}</span>
                    <span className="shrink-0 text-xs text-faint">
                      {!hasKey ? 'no key' : contextTokens !== undefined && `${shortNumber(contextTokens)} context`}
                    </span>
                    <Button
                      small
                      look="quiet"
                      aria-label={`Ask ${id} next`}
                      disabled={id === current}
                      onClick={() => useView.setState({ model: id })}
                    >
                      {id === current ? 'Asked next' : 'Ask next'}
                    </Button>
                  </li>
                ))}
              </ul>
            )}
            {found.length > SHOWN && (
              <Button small look="quiet" className="mt-2" aria-expanded={isWhole} onClick={() => setWhole(!isWhole)}>
                {isWhole ? 'Show fewer' : `Show all ${found.length}`}
              </Button>
            )}
          </>
        );
      }}
    </Asked>
  );
}
