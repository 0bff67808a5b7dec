import { create } from 'zustand';
import { navigate, pathHere } from '../api/base.ts';
import { api, unwrap } from '../api/client.ts';
import { fetchPages } from '../api/pages.ts';
import { queries, queryClient } from '../api/queries.ts';
import type { Lineage, Node, Thread } from '../api/types.ts';
import { readAddress, toAddress } from './address.ts';
import { isInLineage } from './lineage.ts';
import { ensurePath, fetchNodes, getNode, pathTo, useNodes } from './nodes.ts';

/**
 * Where the reader is. The address names a conversation and the selected message; on screen it goes on behind that to a
 * leaf: the one that was last seen below it in this conversation, or the conversation's own head.
 */
interface PlaceState {
  /** The leaf that was last shown through a node, by conversation and node. */
  readonly leafOf: ReadonlyMap<string, string>;
  /** The branch of a generation that is shown growing behind a leaf, by conversation and leaf. */
  readonly watched: ReadonlyMap<string, WatchedBranch>;
  /** The leaf that was shown last. */
  readonly lastLeaf: string | undefined;
}

export interface WatchedBranch {
  readonly generation: string;
  readonly branch: number;
}

export const usePlace = create<PlaceState>(() => ({ leafOf: new Map(), watched: new Map(), lastLeaf: undefined }));

/** The same node may be on the way of several conversations, and each goes on from it in its own way. */
export function placeKey(thread: string | undefined, node: string): string {
  return `${thread ?? ''} ${node}`;
}

/** The conversation on screen. */
export function currentThreadId(): string | undefined {
  return readAddress(pathHere())?.thread;
}

/** It and those it was forked from. */
export function currentLineage(): readonly string[] | undefined {
  const thread = currentThreadId();
  return thread === undefined ? undefined : queryClient.getQueryData(queries.thread(thread).queryKey)?.lineage;
}

/** Moves the reader to a node, of the conversation on screen unless another is named. */
export function goTo(node: string, options: { readonly replace?: boolean; readonly thread?: string } = {}): void {
  const { thread = currentThreadId(), replace = false } = options;
  navigate(toAddress(thread, node), { replace });
}

/** Shows a branch of a generation behind a leaf, or nothing any more. */
export function watchBranch(thread: string | undefined, leaf: string, watched: WatchedBranch | undefined): void {
  usePlace.setState((state) => {
    const all = new Map(state.watched);
    if (watched) all.set(placeKey(thread, leaf), watched);
    else all.delete(placeKey(thread, leaf));
    return { watched: all };
  });
}

/** Remembers that the reader sees the path to this leaf. */
export function rememberLeaf(thread: string | undefined, leaf: string): void {
  const path = pathTo(useNodes.getState().nodes, leaf);
  usePlace.setState(({ leafOf }) => {
    const seen = new Map(leafOf);
    for (const { id } of path) seen.set(placeKey(thread, id), leaf);
    return { leafOf: seen, lastLeaf: leaf };
  });
}

/** A message as it is opened: in which conversation, and where that goes on to. */
export interface OpenedPlace {
  /** Absent for a message that is in no conversation. */
  readonly thread: string | undefined;
  readonly node: string;
  readonly leaf: string;
}

/**
 * Opens a message of a conversation, or without one the conversation's head. A message that the named conversation never
 * had is opened in the one that fits; so is a message without a conversation.
 */
export async function openPlace(thread: string | undefined, id: string | undefined): Promise<OpenedPlace> {
  const named = thread === undefined ? undefined : await queryClient.fetchQuery(queries.thread(thread));
  const node = await ensurePath(id ?? named!.head);
  const owner = named && (await leadsThrough(named, node)) ? named : await findThreadWith(node);
  const { leafOf, watched } = usePlace.getState();
  const remembered = leafOf.get(placeKey(owner?.id, node));
  const isKnown = remembered !== undefined && isBelow(remembered, node);
  const isWatched = isKnown && watched.has(placeKey(owner?.id, remembered));
  const leaf = isWatched ? remembered : await leafBelow(owner, isKnown ? remembered : node);
  await ensurePath(leaf);
  // Whoever moved on meanwhile is left where they are.
  if (usePlace.getState().leafOf.get(placeKey(owner?.id, node)) === remembered) rememberLeaf(owner?.id, leaf);
  return { thread: owner?.id, node, leaf };
}

/** Whether a message is one of a conversation: on the way to its head, or on another branch that it had. */
async function leadsThrough({ head, lineage }: Lineage, node: string): Promise<boolean> {
  if (isInLineage(getNode(node)!, lineage)) return true;
  return isBelow(await ensurePath(head), node);
}

/** Of so many conversations that had a message the last ones are looked at. */
const MOST_NAMED = 5;

/** The conversation that had a message last; of messages from before conversations were named, the one that leads nearest. */
export async function findThreadWith(node: string): Promise<Lineage | undefined> {
  const names = getNode(node)!.takes.flatMap(({ thread }) => thread ?? []);
  for (const name of [...new Set(names.reverse())].slice(0, MOST_NAMED)) {
    const found = await queryClient.fetchQuery(queries.thread(name)).catch(() => undefined);
    if (found && !found.deleted) return found;
  }
  const best =
    (await newestThrough(node, node)) ?? (await newestThrough(pathTo(useNodes.getState().nodes, node)[0]!.id, node));
  return best && queryClient.fetchQuery(queries.thread(best.id));
}

/** Of the conversations that lead through a message the one that shares most with the path to another, the newest first. */
async function newestThrough(through: string, node: string): Promise<Thread | undefined> {
  const { items } = await queryClient.fetchQuery(queries.threadsThrough(through));
  const newest = items.filter(({ deleted }) => !deleted).toSorted((a, b) => b.updatedAt - a.updatedAt);
  const exact = newest.find(({ head }) => head === node);
  if (exact || newest.length < 2) return exact ?? newest[0];
  const path = new Set(pathTo(useNodes.getState().nodes, node).map(({ id }) => id));
  const looked = await Promise.all(
    newest.slice(0, MOST_NAMED).map(async (thread) => {
      await ensurePath(thread.head);
      const shared = pathTo(useNodes.getState().nodes, thread.head).filter(({ id }) => path.has(id)).length;
      return { thread, shared };
    }),
  );
  return looked.toSorted((a, b) => b.shared - a.shared)[0]?.thread;
}

/** Whether it is known to be the node itself or below it, with nothing removed in between. */
function isBelow(id: string, node: string): boolean {
  const end = getNode(id);
  return end !== undefined && !end.removed && pathTo(useNodes.getState().nodes, id).some((each) => each.id === node);
}

/** The newest of so many is good enough. */
const MOST_LEAVES = 1000;

/** Where a conversation goes on to below a node: to its head, else to its own leaf that was written last. */
async function leafBelow(thread: Lineage | undefined, node: string): Promise<string> {
  if (getNode(node)?.childCount === 0) return node;
  if (thread && isBelow(await ensurePath(thread.head), node)) return thread.head;
  const page = (query: object) =>
    unwrap(api.nodes[':node'].leaves.$get({ param: { node }, query: { limit: 200, ...query } }));
  const leaves = await fetchNodes(async () => (await fetchPages(page, MOST_LEAVES)).items);
  const own = thread ? leaves.filter((leaf) => isInLineage(leaf, thread.lineage)) : leaves;
  const newest = own.reduce<Node | undefined>((best, leaf) => (best && best.at > leaf.at ? best : leaf), undefined);
  return newest?.id ?? node;
}
