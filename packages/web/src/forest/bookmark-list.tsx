import { useQuery } from '@tanstack/react-query';
import { Bookmark as BookmarkIcon, Pencil, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { Link } from 'wouter';
import { queries } from '../api/queries.ts';
import { addBookmark, removeBookmark, renameBookmark } from '../api/threads.ts';
import type { Bookmark } from '../api/types.ts';
import { IconButton } from '../ui/button.tsx';
import { ago, shortId } from '../ui/format.ts';
import { Kbd } from '../ui/kbd.tsx';
import { RenameField } from '../ui/rename-field.tsx';
import { Empty, Failed, Loading } from '../ui/states.tsx';
import { toast, toastError } from '../ui/toasts.tsx';

/** Places that someone wants to find again. */
export function BookmarkList() {
  const { data, isPending, error, refetch } = useQuery(queries.bookmarks());
  if (isPending) return <Loading lines={5} />;
  if (error) return <Failed error={error} onRetry={() => void refetch()} />;
  if (data.items.length === 0)
    return (
      <Empty title="No bookmarks yet" icon={<BookmarkIcon size={24} aria-hidden />}>
        Press <Kbd>b</Kbd> on a message to find it here again. What leads to a bookmark cannot be deleted.
      </Empty>
    );
  return (
    <section aria-label="Bookmarks">
      <ul className="rounded-lg border border-line bg-surface">
        {data.items.map((bookmark) => (
          <Row key={bookmark.id} bookmark={bookmark} />
        ))}
      </ul>
    </section>
  );
}

function Row({ bookmark }: { readonly bookmark: Bookmark }) {
  const { id, node, title, createdAt } = bookmark;
  const [isRenaming, setRenaming] = useState(false);
  const name = title || 'Untitled';
  const remove = () =>
    removeBookmark(id).then(
      () =>
        toast(`Took away the bookmark “${name}”`, {
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
      <IconButton label={`Take away ${name}`} onClick={() => void remove()}>
        <Trash2 size={14} />
      </IconButton>
    </li>
  );
}
