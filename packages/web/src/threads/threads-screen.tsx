import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Bookmark as BookmarkIcon, Compass, KeyRound, Pencil, Radio, SearchX, Trash2, TreePine, X } from 'lucide-react';
import { type ReactNode, useDeferredValue, useState } from 'react';
import { Link } from 'wouter';
import { isSamples } from '../api/base.ts';
import { queries } from '../api/queries.ts';
import { searchPages } from '../api/search.ts';
import { addBookmark, removeBookmark, renameBookmark } from '../api/threads.ts';
import type { Bookmark, SearchHit, Thread } from '../api/types.ts';
import { baseAddresses } from '../recordings/connect-panel.tsx';
import { AddKey } from '../settings/add-key.tsx';
import { toAddress } from '../state/address.ts';
import { useView } from '../state/view.ts';
import { Button, IconButton } from '../ui/button.tsx';
import { providerText, roleText } from '../ui/colors.ts';
import { CodeLine } from '../ui/copy-button.tsx';
import { ChoiceField, namedChoices, RenameField, TextField } from '../ui/field.tsx';
import { ago, shortId } from '../ui/format.ts';
import { Kbd } from '../ui/kbd.tsx';
import { MarkedText } from '../ui/marked-text.tsx';
import { Empty, Failed, Loading } from '../ui/states.tsx';
import { toast, toastError } from '../ui/toasts.tsx';
import { DropZone, ImportCards } from './import-files.tsx';
import { filterThreads, searchFilters, useListAddress } from './list-address.ts';
import { type ListPartProps, ScreenHead } from './screen-head.tsx';
import { ThreadList } from './thread-list.tsx';

const NONE: readonly Thread[] = [];

/** The start screen: conversations, bookmarks, search and deleted conversations. */
export function ThreadsScreen() {
  const [address, change] = useListAddress();
  const { q, view } = address;
  const isSearch = q.trim() !== '';
  const welcomed = useView((state) => state.welcomed);
  const version = useQuery(queries.version());
  const threads = useQuery(queries.threads());
  const all = threads.data?.items ?? NONE;
  const isFirstRun = !welcomed && !isSamples && version.data?.demo === true;
  return (
    <DropZone>
      <div id="forest-scroll" className="h-full overflow-y-auto [overflow-anchor:none]">
        <div className="mx-auto flex min-h-full max-w-5xl flex-col gap-4 p-3 sm:p-6">
          <ScreenHead
            address={address}
            onChange={change}
            threads={all}
            isWhole={threads.data?.isWhole ?? threads.isError}
          />
          {isFirstRun && !isSearch && <Welcome hasSamples={version.data?.samples === true} />}
          <ImportCards />
          {isSearch ? (
            <SearchResults address={address} onChange={change} threads={all} />
          ) : view === 'bookmarks' ? (
            <BookmarkList />
          ) : threads.isPending ? (
            <Loading lines={8} />
          ) : threads.isError ? (
            <Failed error={threads.error} onRetry={() => void threads.refetch()} />
          ) : all.length === 0 && view === 'conversations' ? (
            <NoThreads />
          ) : (
            <ThreadList address={address} onChange={change} threads={all} />
          )}
        </div>
      </div>
    </DropZone>
  );
}

/** Shown while there is no conversation. */
function NoThreads() {
  return (
    <Empty title="No conversations yet" icon={<TreePine size={28} aria-hidden />}>
      <p>
        <Link href="/new" className="font-medium text-accent hover:underline">
          Start one
        </Link>
        , drop an export of ChatGPT or Claude here, or{' '}
        <Link href="/recordings" className="font-medium text-accent hover:underline">
          point a client at the proxy
        </Link>
        .
      </p>
    </Empty>
  );
}

/** The bookmarked messages. */
function BookmarkList() {
  const { data, isPending, error, refetch } = useQuery(queries.bookmarks());
  if (isPending) return <Loading lines={5} />;
  if (error) return <Failed error={error} onRetry={() => void refetch()} />;
  if (data.items.length === 0)
    return (
      <Empty title="No bookmarks yet" icon={<BookmarkIcon size={24} aria-hidden />}>
        Press <Kbd>b</Kbd> on a message to find it here again. The path to a bookmark cannot be deleted.
      </Empty>
    );
  return (
    <section aria-label="Bookmarks">
      <ul className="rounded-lg border border-line bg-surface">
        {data.items.map((bookmark) => (
          <BookmarkRow key={bookmark.id} bookmark={bookmark} />
        ))}
      </ul>
    </section>
  );
}

function BookmarkRow({ bookmark }: { readonly bookmark: Bookmark }) {
  const { id, node, title, createdAt } = bookmark;
  const [isRenaming, setRenaming] = useState(false);
  const name = title || 'Untitled';
  const remove = () =>
    removeBookmark(id).then(
      () =>
        toast(`Removed the bookmark “${name}”`, {
          title: 'Undo',
          run: () => void addBookmark(node, title).catch(toastError),
        }),
      toastError,
    );
  return (
    <li className="flex min-h-11 items-center gap-2 border-b border-line py-1 pr-1 pl-3 last:border-0">
      <BookmarkIcon size={14} aria-hidden className="shrink-0 text-accent" />
      <div className="min-w-0 grow">
        {isRenaming ? (
          <RenameField
            title={title}
            onRename={(news) => void renameBookmark(id, news).catch(toastError)}
            onDone={() => setRenaming(false)}
          />
        ) : (
          <Link href={`/c/${node}`} className="block truncate font-medium hover:underline">
            {name}
          </Link>
        )}
      </div>
      <span className="shrink-0 font-mono text-xs text-faint max-sm:hidden">{shortId(node)}</span>
      <span className="shrink-0 text-xs text-faint">{ago(createdAt)}</span>
      <IconButton label={`Rename ${name}`} onClick={() => setRenaming(true)}>
        <Pencil size={14} />
      </IconButton>
      <IconButton label={`Remove ${name}`} onClick={() => void remove()}>
        <Trash2 size={14} />
      </IconButton>
    </li>
  );
}

/** Shown on the first run, until the reader closes it. */
function Welcome({ hasSamples }: { readonly hasSamples: boolean }) {
  return (
    <section aria-label="Welcome" className="relative rounded-xl border border-line bg-surface p-4 sm:p-5">
      <div className="absolute top-2 right-2">
        <IconButton label="Close the welcome" onClick={() => useView.setState({ welcomed: true })}>
          <X size={16} />
        </IconButton>
      </div>
      <h2 className="pr-8 text-lg font-semibold">Welcome to Skein</h2>
      <p className="mt-1 max-w-2xl text-soft">
        Skein keeps conversations with models whole: every byte a provider sent, every branch you explored. Fork any
        message, ask another model, compare, and lose nothing.
      </p>
      <div className="mt-4 grid gap-3 md:grid-cols-3">
        <Card icon={<Compass size={16} aria-hidden />} title="Look around">
          {hasSamples ? (
            <>
              <p className="text-soft">
                Conversations with branches, thoughts, tool calls and several providers. They are kept apart from yours.
              </p>
              <a href="/samples" className="font-medium text-accent hover:underline">
                Open the samples
              </a>
            </>
          ) : (
            <>
              <p className="text-soft">A stand-in answers until a provider has a key.</p>
              <Link href="/new" className="font-medium text-accent hover:underline">
                Start a conversation
              </Link>
            </>
          )}
        </Card>
        <Card icon={<Radio size={16} aria-hidden />} title="Point a client here">
          <p className="text-soft">Your programs talk to their provider through Skein, and it keeps what they say.</p>
          <BaseAddresses />
        </Card>
        <Card icon={<KeyRound size={16} aria-hidden />} title="Add a key">
          <AddKey />
        </Card>
      </div>
    </section>
  );
}

function Card({
  icon,
  title,
  children,
}: {
  readonly icon: ReactNode;
  readonly title: string;
  readonly children: ReactNode;
}) {
  return (
    <div className="flex min-w-0 flex-col gap-2 rounded-lg border border-line bg-page p-3 text-sm">
      <h3 className="flex items-center gap-2 font-medium">
        <span className="text-accent">{icon}</span>
        {title}
      </h3>
      {children}
    </div>
  );
}

/** The three base addresses that most clients need. */
function BaseAddresses() {
  const { data } = useQuery(queries.providers());
  const main = baseAddresses(data?.items ?? []).filter(({ variable }) => variable);
  return main.map(({ provider, variable, url }) => (
    <CodeLine key={provider} text={`${variable}=${url}`} label={`Copy the line for ${variable}`} />
  ));
}

const MOST_TITLES = 5;

/** Conversations whose titles match, and all messages that match. */
function SearchResults({ address, onChange, threads }: ListPartProps) {
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
              <Hit key={hit.node} hit={hit} />
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

function Hit({ hit }: { readonly hit: SearchHit }) {
  const { node, role, at, model, provider, thread, title, snippet, marks } = hit;
  return (
    <li className="border-b border-line last:border-0">
      <Link href={toAddress(thread, node)} className="block px-3 py-2 hover:bg-hover">
        <span className="flex items-baseline gap-2">
          <span className="min-w-0 truncate font-medium">{title || 'Untitled'}</span>
          <span className="grow" />
          <time dateTime={new Date(at).toISOString()} className="shrink-0 text-xs text-faint">
            {ago(at)}
          </time>
        </span>
        <span className="flex gap-2 text-xs">
          <span className={`shrink-0 font-medium ${roleText(role, 'text-faint')}`}>
            {ROLES.find(({ value }) => value === role)?.title ?? role}
          </span>
          {model !== undefined && <span className={`min-w-0 truncate ${providerText(provider)}`}>{model}</span>}
        </span>
        <span className="mt-0.5 line-clamp-3 break-words text-soft">
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
