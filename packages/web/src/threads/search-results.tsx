import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { SearchX } from 'lucide-react';
import { useDeferredValue } from 'react';
import { Link } from 'wouter';
import { queries } from '../api/queries.ts';
import { searchPages } from '../api/search.ts';
import type { SearchHit, Thread } from '../api/types.ts';
import { toAddress } from '../state/address.ts';
import { Button } from '../ui/button.tsx';
import { roleText } from '../ui/colors.ts';
import { ChoiceField, namedChoices, TextField } from '../ui/field.tsx';
import { shortId } from '../ui/format.ts';
import { MarkedText } from '../ui/marked-text.tsx';
import { Empty, Failed, Loading } from '../ui/states.tsx';
import { filterThreads, searchFilters } from './list-address.ts';
import type { ListPartProps } from './screen-head.tsx';

const MOST_TITLES = 5;
/** In a larger forest, finding the conversation of each hit would take the server too long. */
const MOST_THREADS = 300;

/** Conversations whose titles match, and all messages that match. */
export function SearchResults({ address, onChange, threads }: ListPartProps) {
  const asked = useDeferredValue(address);
  const found = useInfiniteQuery({ ...searchPages(searchFilters(asked)), placeholderData: keepPreviousData });
  const titled = filterThreads(threads, { sort: 'changed', text: address.q }).slice(0, MOST_TITLES);
  const hits = found.data?.pages.flatMap(({ items }) => items) ?? [];
  return (
    <section aria-label="Search results" className="flex flex-col gap-4">
      <SearchFilterBar address={address} onChange={onChange} threads={threads} />
      {titled.length > 0 && <Titles threads={titled} />}
      {found.isPending ? (
        <Loading lines={6} />
      ) : found.isError ? (
        <Failed error={found.error} onRetry={() => void found.refetch()} />
      ) : hits.length === 0 ? (
        <Empty title="No message matches" icon={<SearchX size={24} aria-hidden />}>
          All words must be in one message. The last word may be incomplete.
        </Empty>
      ) : (
        <div aria-busy={found.isFetching}>
          <h2 className="mb-1 text-xs font-semibold text-faint">Messages, best first</h2>
          <ol className="rounded-lg border border-line bg-surface">
            {hits.map((hit) => (
              <Hit key={hit.node} hit={hit} isTitled={threads.length <= MOST_THREADS} />
            ))}
          </ol>
          {found.hasNextPage && (
            <div className="mt-3 flex justify-center">
              <Button disabled={found.isFetchingNextPage} onClick={() => void found.fetchNextPage()}>
                More results
              </Button>
            </div>
          )}
        </div>
      )}
    </section>
  );
}

function Titles({ threads }: { readonly threads: readonly Thread[] }) {
  return (
    <div>
      <h2 className="mb-1 text-xs font-semibold text-faint">Conversations</h2>
      <ul className="rounded-lg border border-line bg-surface">
        {threads.map(({ id, title }) => (
          <li key={id} className="border-b border-line last:border-0">
            <Link href={toAddress(id)} className="block truncate px-3 py-2 font-medium hover:bg-hover">
              {title || 'Untitled'}
            </Link>
          </li>
        ))}
      </ul>
    </div>
  );
}

function Hit({
  hit: { node, role, snippet, marks },
  isTitled,
}: {
  readonly hit: SearchHit;
  readonly isTitled: boolean;
}) {
  const threads = useQuery({ ...queries.threadsThrough(node), enabled: isTitled });
  return (
    <li className="border-b border-line last:border-0">
      <Link href={`/c/${node}`} className="block px-3 py-2 hover:bg-hover">
        <span className="flex items-center gap-2 text-xs">
          <span className={`font-medium ${roleText(role, 'text-faint')}`}>{role}</span>
          <span className="min-w-0 grow truncate text-soft">{threads.data?.items[0]?.title ?? ' '}</span>
          <span className="font-mono text-faint">{shortId(node)}</span>
        </span>
        <span className="line-clamp-3 break-words">
          <MarkedText text={snippet} marks={marks} />
        </span>
      </Link>
    </li>
  );
}

const ROLES = [
  { value: '', title: 'Anyone' },
  { value: 'user', title: 'User' },
  { value: 'assistant', title: 'Assistant' },
  { value: 'tool', title: 'Tool' },
  { value: 'system', title: 'System' },
] as const;

/** Filters by role, model, tag of the message, and date. */
function SearchFilterBar({ address, onChange }: ListPartProps) {
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
