import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { ArrowUp, CornerDownRight, Plug } from 'lucide-react';
import { useLayoutEffect, useRef, useState } from 'react';
import { Virtualizer, type VirtualizerHandle } from 'virtua';
import { Link, useLocation } from 'wouter';
import { queries } from '../api/queries.ts';
import { type RecordingFilters, recordingPages } from '../api/recordings.ts';
import type { Recording } from '../api/types.ts';
import { useCommandList } from '../commands/registry.ts';
import { toAddress } from '../state/address.ts';
import { Button } from '../ui/button.tsx';
import { providerText } from '../ui/colors.ts';
import { ChoiceField, namedChoices } from '../ui/field.tsx';
import { ago, bytes, duration, money } from '../ui/format.ts';
import { Empty, Failed, Loading } from '../ui/states.tsx';
import { useNarrow } from '../ui/use-media.ts';
import { ConnectPanel } from './connect-panel.tsx';
import { elapsedMs, OutcomeBadge, placedNode } from './outcome.tsx';
import { RecordingDetail } from './recording-detail.tsx';

/** The calls that went through the proxy, updated live, with their exact texts. */
export default function RecordingsScreen({ id }: { readonly id?: string }) {
  const [, go] = useLocation();
  const isNarrow = useNarrow();
  const [filters, setFilters] = useState<RecordingFilters>({});
  const [isConnecting, setConnecting] = useState(false);
  const found = useInfiniteQuery(recordingPages(filters));
  const items = found.data?.pages.flatMap((page) => page.items) ?? [];
  const isFiltered = Object.keys(filters).length > 0;
  const step = (by: 1 | -1) => {
    const next = items[items.findIndex((one) => one.id === id) + by];
    if (next) go(`/recordings/${next.id}`);
  };
  useCommandList([
    { id: 'recording.next', title: 'Next recording', group: 'Forest', keys: ['j'], run: () => step(1) },
    { id: 'recording.previous', title: 'Previous recording', group: 'Forest', keys: ['k'], run: () => step(-1) },
    ...(id === undefined
      ? []
      : [
          {
            id: 'recording.close',
            title: 'Close the recording',
            group: 'Forest' as const,
            keys: ['Escape'],
            run: () => go('/recordings'),
          },
        ]),
  ]);
  if (found.isPending) return <Loading lines={8} />;
  if (found.isError) return <Failed error={found.error} onRetry={() => void found.refetch()} />;
  if (items.length === 0 && !isFiltered && id === undefined) return <FirstSteps />;
  const isPaneOpen = id !== undefined || isConnecting;
  return (
    <div className="flex h-full">
      {isNarrow && isPaneOpen ? (
        <h1 className="sr-only">Recordings</h1>
      ) : (
        <div className="flex min-w-0 grow basis-1/2 flex-col">
          <header className="flex flex-wrap items-center gap-2 border-b border-line p-3">
            <h1 className="mr-auto text-lg font-semibold">Recordings</h1>
            <RecordingFilterBar filters={filters} items={items} onChange={setFilters} />
            <Button
              aria-pressed={isConnecting}
              onClick={() => {
                setConnecting(!isConnecting || id !== undefined);
                if (id !== undefined) go('/recordings');
              }}
            >
              <Plug size={14} aria-hidden />
              Connect a client
            </Button>
          </header>
          {items.length === 0 ? (
            <Empty title="No call fits these filters" />
          ) : (
            <RecordingList
              items={items}
              hasMore={found.hasNextPage}
              onMore={() => void found.fetchNextPage()}
              {...(id && { chosen: id })}
            />
          )}
        </div>
      )}
      {isPaneOpen && (
        <aside
          aria-label={id === undefined ? 'Connect a client' : 'Recording'}
          className="min-w-0 grow basis-1/2 border-l border-line bg-surface"
        >
          {id === undefined ? (
            <ConnectPanel onClose={() => setConnecting(false)} />
          ) : (
            <RecordingDetail key={id} id={id} onClose={() => go('/recordings')} />
          )}
        </aside>
      )}
    </div>
  );
}

function FirstSteps() {
  return (
    <div className="h-full overflow-y-auto">
      <div className="mx-auto max-w-2xl p-4 sm:p-8">
        <h1 className="text-xl font-semibold">Recordings</h1>
        <p className="mt-1 mb-6 text-soft">
          Nothing was recorded yet. Give a client one of these base addresses: it works as before, and every call
          appears here as it happens, and in the forest where it belongs.
        </p>
        <ConnectPanel />
      </div>
    </div>
  );
}

const STATUSES = [
  { value: '', title: 'Any status' },
  { value: '2xx', title: '2xx' },
  { value: '3xx', title: '3xx' },
  { value: '4xx', title: '4xx' },
  { value: '5xx', title: '5xx' },
] as const;

const OUTCOMES = [
  { value: '', title: 'Any outcome' },
  { value: 'open', title: 'Under way' },
  { value: 'done', title: 'Done' },
  { value: 'cut', title: 'Cut' },
  { value: 'refused', title: 'Refused' },
  { value: 'failed', title: 'Failed' },
] as const;

interface RecordingFilterBarProps {
  readonly filters: RecordingFilters;
  readonly items: readonly Recording[];
  readonly onChange: (filters: RecordingFilters) => void;
}

function RecordingFilterBar({ filters, items, onChange }: RecordingFilterBarProps) {
  const providers = useQuery(queries.providers());
  const { provider = '', status = '', outcome = '', tag = '' } = filters;
  const tags = [...(tag ? [tag] : []), ...items.flatMap((one) => one.tags)].sort();
  const set = (news: Readonly<Record<string, string>>) =>
    onChange(Object.fromEntries(Object.entries({ ...filters, ...news }).filter(([, value]) => value !== '')));
  return (
    <>
      <ChoiceField
        label="Provider"
        value={provider}
        onChoose={(value) => set({ provider: value })}
        choices={namedChoices(
          'Any provider',
          (providers.data?.items ?? []).map(({ id }) => id),
        )}
      />
      <ChoiceField label="Status" choices={STATUSES} value={status} onChoose={(value) => set({ status: value })} />
      <ChoiceField label="Outcome" choices={OUTCOMES} value={outcome} onChoose={(value) => set({ outcome: value })} />
      {tags.length > 0 && (
        <ChoiceField
          label="Tag"
          value={tag}
          onChoose={(value) => set({ tag: value })}
          choices={namedChoices('Any tag', tags)}
        />
      )}
    </>
  );
}

interface RecordingListProps {
  readonly items: readonly Recording[];
  readonly chosen?: string;
  readonly hasMore: boolean;
  readonly onMore: () => void;
}

/** The distance to the end, in pixels, at which the next page is fetched. */
const NEAR = 600;

/** Recorded calls, newest first. New ones are added above without moving what the reader looks at. */
function RecordingList({ items, chosen, hasMore, onMore }: RecordingListProps) {
  const list = useRef<VirtualizerHandle>(null);
  const scroller = useRef<HTMLDivElement>(null);
  const [isAway, setAway] = useState(false);
  const [seen, setSeen] = useState(items[0]?.id);
  const first = items[0]?.id;
  const fresh =
    seen === undefined
      ? 0
      : Math.max(
          0,
          items.findIndex(({ id }) => id === seen),
        );
  const before = useRef(first);
  const isPrepended = before.current !== first;
  useLayoutEffect(() => {
    before.current = first;
    if (!isAway) setSeen(first);
  }, [first, isAway]);
  const scroll = (offset: number) => {
    setAway(offset > 8);
    const { scrollSize = 0, viewportSize = 0 } = list.current ?? {};
    if (hasMore && scrollSize - viewportSize - offset < NEAR) onMore();
  };
  return (
    <div className="relative min-h-0 grow">
      <div ref={scroller} className="h-full overflow-y-auto [overflow-anchor:none]">
        <Virtualizer
          ref={list}
          as="ul"
          item="li"
          scrollRef={scroller}
          data={items}
          itemSize={57}
          shift={isPrepended && isAway}
          onScroll={scroll}
        >
          {(one) => <RecordingRow key={one.id} recording={one} isChosen={one.id === chosen} />}
        </Virtualizer>
      </div>
      {isAway && fresh > 0 && (
        <div className="absolute inset-x-0 top-2 flex justify-center">
          <Button small look="primary" onClick={() => list.current?.scrollTo(0)}>
            <ArrowUp size={14} aria-hidden />
            {fresh} new
          </Button>
        </div>
      )}
    </div>
  );
}

function RecordingRow({ recording, isChosen }: { readonly recording: Recording; readonly isChosen: boolean }) {
  const { id, provider, model, path, tags, start, cost, responseBytes, upstream } = recording;
  const landed = placedNode(recording);
  const time = elapsedMs(recording);
  return (
    <div
      className={`relative flex items-center gap-3 border-b border-line px-3 py-2 ${isChosen ? 'bg-accent-soft' : 'hover:bg-hover/30'}`}
    >
      <div className="min-w-0 grow">
        <div className="flex items-center gap-2">
          <OutcomeBadge recording={recording} />
          <Link
            href={`/recordings/${id}`}
            {...(isChosen && { 'aria-current': 'true' as const })}
            className="truncate font-medium after:absolute after:inset-0"
          >
            {model ?? path}
          </Link>
          {tags.map((tag) => (
            <span key={tag} className="rounded-full bg-sunken px-2 text-xs text-soft max-sm:hidden">
              {tag}
            </span>
          ))}
        </div>
        <p className="mt-0.5 flex gap-2 truncate text-xs text-soft">
          <span className={providerText(provider)}>{provider ?? 'unknown provider'}</span>
          {upstream && (
            <span className={`shrink-0 ${providerText(upstream.provider)}`}>
              → {upstream.provider}/{upstream.model}
            </span>
          )}
          <span className="truncate">{path}</span>
        </p>
      </div>
      <div className="shrink-0 text-right text-xs text-soft tabular-nums">
        <p>
          <time dateTime={new Date(start).toISOString()} title={new Date(start).toLocaleString('en')}>
            {ago(start)}
          </time>
        </p>
        <p className="flex justify-end gap-2">
          {cost !== undefined && <span>{money(cost)}</span>}
          {responseBytes !== undefined && <span>{bytes(responseBytes)}</span>}
          {time !== undefined && <span>{duration(time)}</span>}
        </p>
      </div>
      {landed === undefined ? (
        <span className="size-7 shrink-0" />
      ) : (
        <Link
          href={toAddress(recording.landing?.thread, landed)}
          aria-label={`Open the call to ${model ?? path} in its conversation`}
          title="Open in the conversation"
          className="relative z-10 inline-flex size-7 shrink-0 items-center justify-center rounded-md text-soft hover:bg-hover hover:text-ink"
        >
          <CornerDownRight size={16} aria-hidden />
        </Link>
      )}
    </div>
  );
}
