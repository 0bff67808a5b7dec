import { useQuery } from '@tanstack/react-query';
import { Bookmark as BookmarkIcon, Compass, KeyRound, Pencil, Radio, Trash2, TreePine, X } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { Link } from 'wouter';
import { isSamples } from '../api/base.ts';
import { queries } from '../api/queries.ts';
import { addBookmark, removeBookmark, renameBookmark } from '../api/threads.ts';
import type { Bookmark, Thread } from '../api/types.ts';
import { baseAddresses } from '../recordings/connect-panel.tsx';
import { AddKey } from '../settings/add-key.tsx';
import { useView } from '../state/view.ts';
import { buttonLook, IconButton } from '../ui/button.tsx';
import { CodeLine } from '../ui/copy-button.tsx';
import { RenameField } from '../ui/field.tsx';
import { ago, shortId } from '../ui/format.ts';
import { Kbd } from '../ui/kbd.tsx';
import { Empty, Failed, Loading } from '../ui/states.tsx';
import { toast, toastError } from '../ui/toasts.tsx';
import { SCROLLER } from '../ui/virtual-list.tsx';
import { t, tx } from '../words/words.ts';
import { DropZone, ImportCards } from './import-files.tsx';
import { isSearching, useListAddress } from './list-address.ts';
import { ScreenHead } from './screen-head.tsx';
import { SearchResults } from './search-results.tsx';
import { ThreadList } from './thread-list.tsx';

const NONE: readonly Thread[] = [];

/** The start screen: conversations, bookmarks, search and deleted conversations. */
export function ThreadsScreen() {
  const [address, change] = useListAddress();
  const { view } = address;
  const isSearch = isSearching(address);
  const welcomed = useView((state) => state.welcomed);
  const version = useQuery(queries.version());
  const threads = useQuery(queries.threads());
  const all = threads.data?.items ?? NONE;
  const isFirstRun = !welcomed && !isSamples && version.data?.demo === true;
  return (
    <DropZone>
      <div {...SCROLLER} className="h-full overflow-y-auto [overflow-anchor:none]">
        <div className="mx-auto flex min-h-full max-w-5xl flex-col gap-4 p-3 sm:p-8">
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
            !isFirstRun && <NoThreads />
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
    <Empty title={t('threads.empty')} icon={<TreePine size={20} />}>
      <p>
        {tx('threads.empty-about', {
          start: (
            <Link href="/new" className="font-medium text-accent hover:underline">
              {t('threads.empty-start')}
            </Link>
          ),
          proxy: (
            <Link href="/recordings" className="font-medium text-accent hover:underline">
              {t('threads.empty-proxy')}
            </Link>
          ),
        })}
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
      <Empty title={t('threads.no-bookmarks')} icon={<BookmarkIcon size={20} />}>
        {tx('threads.no-bookmarks-about', { key: <Kbd>b</Kbd> })}
      </Empty>
    );
  return (
    <section aria-label={t('threads.bookmarks')}>
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
  const name = title || t('threads.untitled');
  const remove = () =>
    removeBookmark(id).then(
      () =>
        toast(t('threads.bookmark-removed', { name }), {
          title: t('threads.undo'),
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
      <IconButton label={t('threads.bookmark-rename', { name })} onClick={() => setRenaming(true)}>
        <Pencil size={14} />
      </IconButton>
      <IconButton label={t('threads.bookmark-remove', { name })} onClick={() => void remove()}>
        <Trash2 size={14} />
      </IconButton>
    </li>
  );
}

/** Shown on the first run, until the reader closes it. */
function Welcome({ hasSamples }: { readonly hasSamples: boolean }) {
  return (
    <section aria-label={t('welcome.label')} className="relative rounded-xl border border-line bg-surface p-4 sm:p-5">
      <div className="absolute top-2 right-2">
        <IconButton label={t('welcome.close')} onClick={() => useView.setState({ welcomed: true })}>
          <X size={16} />
        </IconButton>
      </div>
      <h2 className="pr-8 text-lg font-semibold">{t('welcome.title')}</h2>
      <p className="mt-1 max-w-2xl text-soft">{t('welcome.about')}</p>
      <div className="mt-4 grid gap-3 md:grid-cols-3">
        <Card icon={<Compass size={16} aria-hidden />} title={t('welcome.samples')}>
          {hasSamples ? (
            <>
              <p className="text-soft">{t('welcome.samples-about')}</p>
              <a href="/samples" className={`${buttonLook('primary')} mt-1 self-start`}>
                {t('welcome.samples-open')}
              </a>
            </>
          ) : (
            <>
              <p className="text-soft">{t('welcome.start-demo')}</p>
              <Link href="/new" className={`${buttonLook('primary')} mt-1 self-start`}>
                {t('welcome.start')}
              </Link>
            </>
          )}
        </Card>
        <Card icon={<Radio size={16} aria-hidden />} title={t('welcome.proxy')}>
          <p className="text-soft">{t('welcome.proxy-about')}</p>
          <BaseAddresses />
        </Card>
        <Card icon={<KeyRound size={16} aria-hidden />} title={t('welcome.key')}>
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
    <div className="flex min-w-0 flex-col gap-2 rounded-lg border border-line bg-page p-4 text-sm">
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
    <CodeLine key={provider} text={`${variable}=${url}`} label={t('welcome.key-copy', { variable: variable ?? '' })} />
  ));
}
