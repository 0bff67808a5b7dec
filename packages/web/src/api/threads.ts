import { api, unwrap } from './client.ts';
import { putThread, queries, queryClient } from './queries.ts';
import type { Bookmark, Thread } from './types.ts';

/** Fetches a thread again after it changed here or elsewhere. */
export async function refreshThread(id: string): Promise<void> {
  const thread = await unwrap(api.threads[':thread'].$get({ param: { thread: id } }));
  queryClient.setQueryData(queries.thread(id).queryKey, thread);
  putThread(thread);
}

export interface ThreadChange {
  readonly title?: string;
  readonly tags?: Record<string, boolean>;
  readonly note?: string | null;
  readonly rating?: number | null;
}

export async function changeThread(id: string, change: ThreadChange): Promise<Thread> {
  const thread = await unwrap(api.threads[':thread'].$patch({ param: { thread: id }, json: change }));
  putThread(thread);
  return thread;
}

export async function deleteThread(id: string): Promise<void> {
  putThread(await unwrap(api.threads[':thread'].$delete({ param: { thread: id } })));
}

export async function restoreThread(id: string): Promise<void> {
  putThread(await unwrap(api.threads[':thread'].restore.$post({ param: { thread: id } })));
}

export async function renameBookmark(id: string, title: string): Promise<Bookmark> {
  const bookmark = await unwrap(api.bookmarks[':bookmark'].$patch({ param: { bookmark: id }, json: { title } }));
  await bookmarksChanged();
  return bookmark;
}

export async function removeBookmark(id: string): Promise<void> {
  await unwrap(api.bookmarks[':bookmark'].$delete({ param: { bookmark: id } }));
  await bookmarksChanged();
}

export async function addBookmark(node: string, title: string): Promise<void> {
  await unwrap(api.bookmarks.$post({ json: { node, title } }));
  await bookmarksChanged();
}

// The change feed reports it as well, but whoever made the change should not have to wait for that.
async function bookmarksChanged(): Promise<void> {
  await queryClient.invalidateQueries({ queryKey: ['bookmarks'] });
}
