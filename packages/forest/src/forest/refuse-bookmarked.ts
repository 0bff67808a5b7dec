import type { NodeRecord } from '../model/index.ts';
import { isAtOrBelow } from './below.ts';
import { bookmarkPage, readBookmarks } from './bookmarks.ts';
import type { Context } from './context.ts';
import { ForestError } from './errors.ts';
import { everyPage } from './pages.ts';

/** A bookmark keeps what it names: with its children kept, only the node itself goes. */
export async function refuseBookmarked(context: Context, node: NodeRecord, selfOnly: boolean): Promise<void> {
  const { store } = context;
  for await (const ids of everyPage((page) => bookmarkPage(context, page))) {
    const bookmarks = await readBookmarks(context, ids);
    const named = await store.nodes(bookmarks.map((bookmark) => bookmark.node));
    for (const [index, target] of named.entries()) {
      if (!target || !(selfOnly ? target.id === node.id : await isAtOrBelow(store, target, node))) continue;
      const { id, title } = bookmarks[index]!;
      throw new ForestError(
        'bookmarked',
        node.id,
        `Node ${node.id} cannot be removed: the bookmark ${title ? `"${title}"` : id} is at or below it. Remove the bookmark first.`,
      );
    }
  }
}
