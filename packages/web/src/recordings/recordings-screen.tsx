import { useInfiniteQuery } from '@tanstack/react-query';
import { CassetteTape, ListFilter, Plug } from 'lucide-react';
import { useEffect, useState } from 'react';
import { Link, useLocation, useSearchParams } from 'wouter';
import { type RecordingFilters, recordingPages } from '../api/recordings.ts';
import { useCommandList } from '../commands/registry.ts';
import { Button, buttonLook } from '../ui/button.tsx';
import { Empty, Failed, Loading } from '../ui/states.tsx';
import { useNarrow } from '../ui/use-media.ts';
import { t } from '../words/words.ts';
import { ConnectPanel } from './connect-panel.tsx';
import { RecordingDetail } from './recording-detail.tsx';
import { RecordingFilterBar, readFilters } from './recording-filters.tsx';
import { RecordingList } from './recording-list.tsx';
import { RecordingColumns } from './recording-row.tsx';
import { Waterfall } from './waterfall.tsx';

/** The calls that went through the proxy, updated live, with their exact texts. */
export default function RecordingsScreen({ id }: { readonly id?: string }) {
  const [, go] = useLocation();
  const [params] = useSearchParams();
  const isNarrow = useNarrow();
  const filters = readFilters(params);
  const [isConnecting, setConnecting] = useState(false);
  const found = useInfiniteQuery(recordingPages(filters));
  const { hasNextPage, isFetching, fetchNextPage } = found;
  const items = found.data?.pages.flatMap((page) => page.items) ?? [];
  const isFiltered = Object.keys(filters).length > 0;
  const search = params.size > 0 ? `?${params}` : '';
  const show = (next: RecordingFilters) => go(`/recordings?${new URLSearchParams({ ...next })}`, { replace: true });
  const step = (by: 1 | -1) => {
    const next = items[items.findIndex((one) => one.id === id) + by];
    if (next) go(`/recordings/${next.id}${search}`);
  };
  // A page of the server may have nothing that fits, although later ones have.
  const isThin = items.length < 20 && hasNextPage && !isFetching;
  useEffect(() => {
    if (isThin) void fetchNextPage();
  }, [isThin, fetchNextPage]);
  useCommandList([
    { id: 'recording.next', title: t('recordings.next'), group: 'forest', keys: ['j'], run: () => step(1) },
    { id: 'recording.previous', title: t('recordings.previous'), group: 'forest', keys: ['k'], run: () => step(-1) },
    ...(id === undefined
      ? []
      : [
          {
            id: 'recording.close',
            title: t('recordings.close'),
            group: 'forest' as const,
            keys: ['Escape'],
            run: () => go(`/recordings${search}`),
          },
        ]),
  ]);
  if (found.isPending || found.isError)
    return (
      <>
        <h1 className="sr-only">{t('recordings.title')}</h1>
        {found.isPending ? <Loading lines={8} /> : <Failed error={found.error} onRetry={() => void found.refetch()} />}
      </>
    );
  if (items.length === 0 && !isFiltered && id === undefined && !hasNextPage) return <FirstSteps />;
  const isPaneOpen = id !== undefined || isConnecting;
  return (
    <div className="flex h-full">
      {isNarrow && isPaneOpen ? (
        <h1 className="sr-only">{t('recordings.title')}</h1>
      ) : (
        <div className="flex min-w-0 grow basis-2/5 flex-col">
          <header className="flex flex-col gap-3 border-b border-line px-3 py-4 sm:px-4">
            <div className="flex flex-wrap items-center gap-2">
              <h1 className="mr-auto text-xl font-semibold tracking-tight max-sm:w-full">{t('recordings.title')}</h1>
              <Link href="/recordings/cassettes" className={buttonLook('plain')}>
                <CassetteTape size={14} aria-hidden />
                <span className={isPaneOpen ? 'max-xl:sr-only' : ''}>{t('recordings.cassettes')}</span>
              </Link>
              <Button
                aria-pressed={isConnecting}
                onClick={() => {
                  setConnecting(!isConnecting || id !== undefined);
                  if (id !== undefined) go(`/recordings${search}`);
                }}
              >
                <Plug size={14} aria-hidden />
                <span className={isPaneOpen ? 'max-xl:sr-only' : ''}>{t('recordings.connect')}</span>
              </Button>
            </div>
            <RecordingFilterBar filters={filters} items={items} onChange={show} isCompact={isPaneOpen} />
          </header>
          {filters.session !== undefined && items.length > 0 && <Waterfall calls={items} {...(id && { chosen: id })} />}
          {items.length === 0 ? (
            isFetching ? (
              <Loading lines={8} />
            ) : (
              <Empty title={t('recordings.none-fits')} icon={<ListFilter size={20} />} />
            )
          ) : (
            <>
              <RecordingColumns isNarrow={isPaneOpen} />
              <RecordingList
                items={items}
                isNarrow={isPaneOpen}
                hasMore={hasNextPage}
                onMore={() => void fetchNextPage()}
                {...(id && { chosen: id })}
              />
            </>
          )}
        </div>
      )}
      {isPaneOpen && (
        <aside
          aria-label={t(id === undefined ? 'recordings.connect' : 'recordings.one')}
          className="min-w-0 grow basis-3/5 border-l border-line bg-surface"
        >
          {id === undefined ? (
            <ConnectPanel onClose={() => setConnecting(false)} />
          ) : (
            <RecordingDetail key={id} id={id} onClose={() => go(`/recordings${search}`)} />
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
        <h1 className="text-xl font-semibold tracking-tight">{t('recordings.title')}</h1>
        <p className="mt-1 mb-6 text-soft">{t('recordings.first-steps')}</p>
        <ConnectPanel />
      </div>
    </div>
  );
}
