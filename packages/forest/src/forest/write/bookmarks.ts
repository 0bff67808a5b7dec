import { randomUUID } from 'node:crypto';
import type { NodeRecord } from '../../model/records.ts';
import type { Page, PageRequest } from '../../store/index.ts';
import { type ForestContext, makeRef } from '../context.ts';
import { ForestError } from '../errors.ts';
import { allPages, filteredPage } from '../pages.ts';
import { groupBy } from '../read/read-nodes.ts';
import { followRedirects, isAtOrBelow, resolveId } from '../read/resolve.ts';

/** A named place in a forest. */
export interface Bookmark {
  readonly id: string;
  readonly node: string;
  readonly title: string;
  readonly createdAt: number;
}

/** The bookmarks of a forest. */
export interface Bookmarks {
  add(node: string, title?: string): Promise<Bookmark>;
  list(page?: PageRequest): Promise<Page<Bookmark>>;
  rename(id: string, title: string): Promise<Bookmark>;
  remove(id: string): Promise<void>;
}

/** Creates the bookmarks of a forest. A bookmark follows its node when it moves, and protects it from removal. */
export function createBookmarks(context: ForestContext): Bookmarks {
  const { store } = context;

  const get = async (id: string): Promise<Bookmark> => {
    const [bookmark] = await readBookmarks(context, [id]);
    if (!bookmark) throw new ForestError('unknown_bookmark', id, `There is no bookmark ${id} in this forest.`);
    return bookmark;
  };

  const set = (id: string, values: Readonly<Record<string, unknown>>) =>
    store.append(Object.entries(values).map(([name, value]) => makeRef(context, 'bookmark', id, name, value)));

  return {
    async add(node, title = '') {
      const id = randomUUID().replaceAll('-', '').slice(0, 16);
      await set(id, { title, created: context.clock.now(), node: await resolveId(store, node) });
      return get(id);
    },
    async list(page) {
      const found = await listBookmarkIds(context, page);
      return { ...found, items: await readBookmarks(context, found.items) };
    },
    async rename(id, title) {
      await get(id);
      await set(id, { title });
      return get(id);
    },
    async remove(id) {
      await get(id);
      await set(id, { node: false });
    },
  };
}

/** Reads a page of bookmark ids, oldest first. */
export async function listBookmarkIds({ store }: ForestContext, page: Parameters<Bookmarks['list']>[0]) {
  const found = await filteredPage(
    (request) => store.refs({ on: 'bookmark', names: ['node'], ...request }),
    async (refs) => refs.map(({ value }) => typeof value === 'string'),
    page,
  );
  return { ...found, items: found.items.map(({ key }) => key) };
}

/** Reads bookmarks; ids without a bookmark are left out. */
export async function readBookmarks({ store }: ForestContext, ids: readonly string[]): Promise<Bookmark[]> {
  if (ids.length === 0) return [];
  const { items } = await store.refs({ on: 'bookmark', keys: ids, limit: Number.MAX_SAFE_INTEGER });
  const refs = groupBy(items, ({ key }) => key);
  const found = ids.flatMap((id) => {
    const values = new Map(refs.get(id)?.map(({ name, value }) => [name, value]));
    const node = values.get('node');
    if (typeof node !== 'string') return [];
    return { id, node, title: String(values.get('title') ?? ''), createdAt: Number(values.get('created') ?? 0) };
  });
  const now = await followRedirects(
    store,
    found.map(({ node }) => node),
  );
  return found.map((bookmark) => ({ ...bookmark, node: now.get(bookmark.node)! }));
}

/** Refuses to remove a node with a bookmark at or below it; with `selfOnly`, at the node itself. */
export async function refuseBookmarked(context: ForestContext, node: NodeRecord, selfOnly: boolean): Promise<void> {
  const { store } = context;
  for await (const ids of allPages((page) => listBookmarkIds(context, page))) {
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
