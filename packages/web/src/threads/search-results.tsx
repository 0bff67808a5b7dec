import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { SearchX } from 'lucide-react';
import { useDeferredValue, useId } from 'react';
import { Link } from 'wouter';
import { queries } from '../api/queries.ts';
import { searchPages } from '../api/search.ts';
import type { SearchHit, Thread } from '../api/types.ts';
import { toAddress } from '../state/address.ts';
import { Button } from '../ui/button.tsx';
import { ChoiceField, namedChoices, TextField } from '../ui/field.tsx';
import { FilterBar } from '../ui/filter-bar.tsx';
import { ago } from '../ui/format.ts';
import { MarkedText } from '../ui/marked-text.tsx';
import { ProviderDot } from '../ui/provider-dot.tsx';
import { Empty, Failed, Loading } from '../ui/states.tsx';
import { t } from '../words/words.ts';
import { filterThreads, searchFilters } from './list-address.ts';
import type { ListPartProps } from './screen-head.tsx';

const MOST_TITLES = 5;

/** Conversations whose titles match, and all messages that match. */
export function SearchResults({ address, onChange, threads }: ListPartProps) {
  const asked = useDeferredValue(address);
  const found = useInfiniteQuery({ ...searchPages(searchFilters(asked)), placeholderData: keepPreviousData });
  const titled =
    address.q.trim() === '' ? [] : filterThreads(threads, { sort: 'changed', text: address.q }).slice(0, MOST_TITLES);
  const hits = found.data?.pages.flatMap(({ items }) => items) ?? [];
  return (
    <section aria-label={t('search.results')} className="flex flex-col gap-4">
      <SearchFilterBar address={address} onChange={onChange} threads={threads} />
      {titled.length > 0 && <Titles threads={titled} />}
      {found.isPending ? (
        <Loading lines={6} />
      ) : found.isError ? (
        <Failed error={found.error} onRetry={() => void found.refetch()} />
      ) : hits.length === 0 ? (
        <Empty title={t('search.none')} icon={<SearchX size={20} />}>
          {t('search.none-about')}
        </Empty>
      ) : (
        <div aria-busy={found.isFetching}>
          <h2 className="mb-1 text-xs font-semibold text-faint">{t('search.list')}</h2>
          <ol className="rounded-lg border border-line bg-surface">
            {hits.map((hit) => (
              <Hit key={hit.node} hit={hit} />
            ))}
          </ol>
          {found.hasNextPage && (
            <div className="mt-3 flex justify-center">
              <Button disabled={found.isFetchingNextPage} onClick={() => void found.fetchNextPage()}>
                {t('search.more')}
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
      <h2 className="mb-1 text-xs font-semibold text-faint">{t('threads.conversations')}</h2>
      <ul className="rounded-lg border border-line bg-surface">
        {threads.map(({ id, title }) => (
          <li key={id} className="border-b border-line last:border-0">
            <Link href={toAddress(id)} className="block truncate px-3 py-2 font-medium hover:bg-hover">
              {title || t('threads.untitled')}
            </Link>
          </li>
        ))}
      </ul>
    </div>
  );
}

function Hit({ hit }: { readonly hit: SearchHit }) {
  const { node, role, at, model, provider, thread, title, snippet, marks } = hit;
  const author = ROLES.find(({ value }) => value === role)?.title ?? role;
  return (
    <li className="border-b border-line last:border-0">
      <Link href={toAddress(thread, node)} className="block px-3 py-2.5 hover:bg-hover/60">
        <span className="flex items-center gap-2 text-xs text-faint">
          {title && <span className="min-w-0 truncate text-sm font-medium text-ink">{title}</span>}
          <span className="flex max-w-[45%] min-w-0 shrink-0 items-center gap-1.5">
            {model === undefined ? (
              author
            ) : (
              <>
                <span className="sr-only">{author}: </span>
                <ProviderDot provider={provider} />
                <span className="min-w-0 truncate">{model}</span>
              </>
            )}
          </span>
          <time dateTime={new Date(at).toISOString()} className="ml-auto shrink-0">
            {ago(at)}
          </time>
        </span>
        <span className="mt-0.5 line-clamp-3 break-words text-soft">
          <MarkedText text={snippet} marks={marks} />
        </span>
      </Link>
    </li>
  );
}

const ROLES = [
  { value: '', title: t('search.role-any') },
  { value: 'user', title: t('search.role-user') },
  { value: 'assistant', title: t('search.role-assistant') },
  { value: 'tool', title: t('search.role-tool') },
  { value: 'system', title: t('search.role-system') },
] as const;

/** Filters that are texts, with what their fields say. */
const TEXTS = [
  { name: 'tool', label: t('search.tool'), placeholder: t('search.role-tool') },
  { name: 'file', label: t('search.file'), placeholder: t('search.file-placeholder') },
  { name: 'agent', label: t('search.agent'), placeholder: t('search.agent-placeholder') },
  { name: 'cwd', label: t('search.folder'), placeholder: t('search.folder-placeholder') },
  { name: 'branch', label: t('search.git-branch'), placeholder: t('search.git-branch-placeholder') },
] as const;

/** Filters by role, model, tag of the message and date; by tool and file of a call; and by session of a coding agent. */
function SearchFilterBar({ address, onChange }: ListPartProps) {
  const { role, model, tag, since, until } = address;
  const models = useQuery(queries.models());
  const names = [...(model ? [model] : []), ...(models.data?.items ?? []).map((one) => one.model)];
  const moreCount = TEXTS.filter(({ name }) => address[name]).length;
  return (
    <FilterBar
      label={t('search.filters')}
      count={[role, model, tag, since, until].filter(Boolean).length + moreCount}
      moreCount={moreCount}
      onClear={() => onChange(NO_FILTERS)}
      more={TEXTS.map(({ name, label, placeholder }) => (
        <TextField
          key={name}
          aria-label={label}
          placeholder={placeholder}
          className="w-36 max-sm:w-full"
          value={address[name]}
          onChange={(event) => onChange({ [name]: event.target.value })}
        />
      ))}
    >
      <ChoiceField
        label={t('search.role')}
        choices={ROLES}
        value={role}
        onChoose={(value) => onChange({ role: value })}
      />
      <ChoiceField
        label={t('search.model')}
        className="max-w-48"
        value={model}
        onChoose={(value) => onChange({ model: value })}
        choices={namedChoices(t('search.model-any'), names)}
      />
      <TextField
        aria-label={t('search.tag')}
        placeholder={t('selection.tag')}
        className="w-28 max-sm:w-full"
        value={tag}
        onChange={(event) => onChange({ tag: event.target.value })}
      />
      <DayField label={t('search.from')} value={since} onChoose={(value) => onChange({ since: value })} />
      <DayField label={t('search.to')} value={until} onChoose={(value) => onChange({ until: value })} />
    </FilterBar>
  );
}

const NO_FILTERS = Object.fromEntries(
  ['role', 'model', 'tag', 'since', 'until', ...TEXTS.map(({ name }) => name)].map((name) => [name, '']),
);

interface DayFieldProps {
  readonly label: string;
  readonly value: string;
  readonly onChoose: (day: string) => void;
}

function DayField({ label, value, onChoose }: DayFieldProps) {
  const id = useId();
  return (
    <span className="flex items-center gap-1.5 text-xs text-soft max-sm:col-span-2">
      <label htmlFor={id} className="max-sm:w-10">
        {label}
      </label>
      <TextField
        id={id}
        type="date"
        value={value}
        className="max-sm:grow"
        onChange={(event) => onChoose(event.target.value)}
      />
    </span>
  );
}
