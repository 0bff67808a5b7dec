import { useQuery } from '@tanstack/react-query';
import { isSamples } from '../api/base.ts';
import { queries } from '../api/queries.ts';
import { useView } from '../state/view.ts';
import { Failed, Loading } from '../ui/states.tsx';
import { EmptyForest } from '../welcome/empty-forest.tsx';
import { Welcome } from '../welcome/welcome.tsx';
import { useForestAddress } from './address.ts';
import { BookmarkList } from './bookmark-list.tsx';
import { DropZone } from './drop-zone.tsx';
import { ForestHead } from './forest-head.tsx';
import { ImportCards } from './import-cards.tsx';
import { SearchResults } from './search-results.tsx';
import { ThreadList } from './thread-list.tsx';

/** Everything there is: conversations, bookmarks, what was said, what was deleted. */
export function ForestScreen() {
  const [address, change] = useForestAddress();
  const { q, view } = address;
  const isSearch = q.trim() !== '';
  const welcomed = useView((state) => state.welcomed);
  const version = useQuery(queries.version());
  const threads = useQuery(queries.threads());
  const all = threads.data?.items ?? [];
  const isFirstRun = !welcomed && !isSamples && version.data?.demo === true;
  return (
    <DropZone>
      <div id="forest-scroll" className="h-full overflow-y-auto [overflow-anchor:none]">
        <div className="mx-auto flex min-h-full max-w-5xl flex-col gap-4 p-3 sm:p-6">
          <ForestHead address={address} onChange={change} threads={all} />
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
            <EmptyForest />
          ) : (
            <ThreadList address={address} onChange={change} threads={all} />
          )}
        </div>
      </div>
    </DropZone>
  );
}
