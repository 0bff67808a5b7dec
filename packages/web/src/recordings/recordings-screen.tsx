import { useInfiniteQuery } from '@tanstack/react-query';
import { Plug } from 'lucide-react';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { type RecordingFilters, recordingPages } from '../api/recordings.ts';
import { useCommandList } from '../commands/registry.ts';
import { Button } from '../ui/button.tsx';
import { Empty, Failed, Loading } from '../ui/states.tsx';
import { useNarrow } from '../ui/use-narrow.ts';
import { ConnectPanel } from './connect-panel.tsx';
import { RecordingDetail } from './recording-detail.tsx';
import { RecordingFilterBar } from './recording-filters.tsx';
import { RecordingList } from './recording-list.tsx';

/** Every call that went through the proxy, as it happens, and what exactly was said. */
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
