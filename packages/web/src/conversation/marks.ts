import { base } from '../api/base.ts';
import { api, unwrap } from '../api/client.ts';
import { putThread, queries, queryClient } from '../api/queries.ts';
import type { Bookmark, Node } from '../api/types.ts';
import { summarizeBlocks } from '../blocks/summary.ts';
import { toAddress } from '../state/address.ts';
import { ensurePath, pathTo, putNodes, useNodes } from '../state/nodes.ts';
import { currentThreadId, goTo } from '../state/place.ts';
import { writeClipboard } from '../ui/clipboard.ts';
import { toast, toastError } from '../ui/toasts.tsx';
import { t } from '../words/words.ts';
import { reportErrors } from './actions.ts';
import { roleName } from './message/author.ts';

/** Bookmarks, tags, ratings and notes of messages, and other changes beside them. */

/** Bookmarks a message by its first words, or removes its bookmark. */
export async function toggleBookmark(node: Node): Promise<void> {
  await reportErrors(async () => {
    const { items } = await queryClient.fetchQuery(queries.bookmarks());
    const there = items.find((one) => one.node === node.id);
    if (there) await unwrap(api.bookmarks[':bookmark'].$delete({ param: { bookmark: there.id } }));
    else {
      const title = summarizeBlocks(node.content, 60) || roleName(node.role);
      await unwrap(api.bookmarks.$post({ json: { node: node.id, title } }));
    }
    await queryClient.invalidateQueries({ queryKey: ['bookmarks'] });
  });
}

/** A bookmark at a node or below it, if there is one: the path to a bookmark cannot be removed. */
export async function bookmarkBelow(node: string): Promise<Bookmark | null> {
  const { items } = await queryClient.fetchQuery(queries.bookmarks());
  for (const bookmark of items) {
    const end = await ensurePath(bookmark.node);
    if (pathTo(useNodes.getState().nodes, end).some(({ id }) => id === node)) return bookmark;
  }
  return null;
}

type Marks = Parameters<(typeof api.nodes)[':node']['$patch']>[0]['json'];

export async function mark(node: Node, json: Marks): Promise<void> {
  await reportErrors(async () =>
    putNodes([await unwrap(api.nodes[':node'].$patch({ param: { node: node.id }, json }))]),
  );
}

/** Rates a message up or down; the same rating again removes it. */
export function rate(node: Node, rating: 1 | -1): Promise<void> {
  return mark(node, { rating: node.marks.rating === rating ? null : rating });
}

/** Creates a conversation that ends at this message; nothing is copied. */
export async function forkThread(node: Node): Promise<void> {
  await reportErrors(async () => {
    const thread = currentThreadId();
    const fork =
      thread === undefined
        ? await unwrap(api.threads.$post({ json: { head: node.id } }))
        : await unwrap(api.threads[':thread'].fork.$post({ param: { thread }, json: { at: node.id } }));
    putThread(fork);
    toast(t('conversation.forked'), {
      title: t('conversation.forked-open'),
      run: () => goTo(node.id, { thread: fork.id }),
    });
  });
}

/** Splits a message in two, as a new branch. */
export async function split(node: Node, at: number): Promise<void> {
  await reportErrors(async () => {
    const { first } = await unwrap(api.nodes[':node'].split.$post({ param: { node: node.id }, json: { at } }));
    goTo(first);
  });
}

/** The address of a message in the current conversation. */
export function linkTo(node: Node): string {
  return location.origin + base + toAddress(currentThreadId(), node.id);
}

/** Copies a text, and says so with `done`. */
export async function copyText(text: string, done: string): Promise<void> {
  await writeClipboard(text).then(
    () => toast(done),
    () => toastError(t('ui.clipboard-refused')),
  );
}
