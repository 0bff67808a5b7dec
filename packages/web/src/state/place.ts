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
 * Where the reader is. The address names a conversation and the selected message; the screen shows the path on to a leaf:
 * the one last seen below that message in this conversation, or the head of the conversation.
 */
interface PlaceState {
  /** The leaf last shown below a node, by conversation and node. */
  readonly leafOf: ReadonlyMap<string, string>;
  /** The live branch that is shown after a leaf, by conversation and leaf. */
  readonly watched: ReadonlyMap<string, WatchedBranch>;
  /** The leaf that was shown last. */
  readonly lastLeaf: string | undefined;
}

export interface WatchedBranch {
  readonly generation: string;
  readonly branch: number;
}

export const usePlace = create<PlaceState>(() => ({ leafOf: new Map(), watched: new Map(), lastLeaf: undefined }));

/** The key of a node within a conversation: several conversations may share a node and continue differently. */
export function placeKey(thread: string | undefined, node: string): string {
  return `${thread ?? ''} ${node}`;
}

/** The conversation on screen. */
export function currentThreadId(): string | undefined {
  return readAddress(pathHere())?.thread;
}

/** The ids of the current conversation and of those that it was forked from. */
export function currentLineage(): readonly string[] | undefined {
  const thread = currentThreadId();
  return thread === undefined ? undefined : queryClient.getQueryData(queries.thread(thread).queryKey)?.lineage;
}

/** Goes to a node, in the current conversation unless another is named. */
export function goTo(node: string, options: { readonly replace?: boolean; readonly thread?: string } = {}): void {
  const { thread = currentThreadId(), replace = false } = options;
  navigate(toAddress(thread, node), { replace });
}

/** Shows a live branch after a leaf, or none. */
export function watchBranch(thread: string | undefined, leaf: string, watched: WatchedBranch | undefined): void {
  usePlace.setState((state) => {
    const all = new Map(state.watched);
    if (watched) all.set(placeKey(thread, leaf), watched);
    else all.delete(placeKey(thread, leaf));
    return { watched: all };
  });
}

/** Remembers that the path to this leaf is on screen. */
export function rememberLeaf(thread: string | undefined, leaf: string): void {
  const path = pathTo(useNodes.getState().nodes, leaf);
  usePlace.setState(({ leafOf }) => {
    const seen = new Map(leafOf);
    for (const { id } of path) seen.set(placeKey(thread, id), leaf);
    return { leafOf: seen, lastLeaf: leaf };
  });
}

/** An opened message, its conversation, and the leaf that the path leads to. */
export interface OpenedPlace {
  /** Absent for a message that is in no conversation. */
  readonly thread: string | undefined;
  readonly node: string;
  readonly leaf: string;
}

/**
 * Opens a message of a conversation, or its head if no message is named. A message that the named conversation does not
 * contain is opened in the best fitting one, and so is a message without a conversation.
 */
export async function openPlace(thread: string | undefined, id: string | undefined): Promise<OpenedPlace> {
  const named = thread === undefined ? undefined : await queryClient.fetchQuery(queries.thread(thread));
  const node = await ensurePath(id ?? named!.head);
  const owner = named && (await containsMessage(named, node)) ? named : await findThreadWith(node);
  const { leafOf, watched } = usePlace.getState();
  const remembered = leafOf.get(placeKey(owner?.id, node));
  const isKnown = remembered !== undefined && isBelow(remembered, node);
  const isWatched = isKnown && watched.has(placeKey(owner?.id, remembered));
  const leaf = isWatched ? remembered : await findLeafBelow(owner, isKnown ? remembered : node);
  await ensurePath(leaf);
  // If the reader moved on meanwhile, the screen stays where it is.
  if (usePlace.getState().leafOf.get(placeKey(owner?.id, node)) === remembered) rememberLeaf(owner?.id, leaf);
  return { thread: owner?.id, node, leaf };
}

/** Whether a message belongs to a conversation: on the path to its head, or on another branch of it. */
async function containsMessage({ head, lineage }: Lineage, node: string): Promise<boolean> {
  if (isInLineage(getNode(node)!, lineage)) return true;
  return isBelow(await ensurePath(head), node);
}

/** The number of conversations that are examined, the latest first. */
const MOST_NAMED = 5;

/** The conversation that contained a message last. For old takes, which name no conversation, the one with the closest path. */
export async function findThreadWith(node: string): Promise<Lineage | undefined> {
  const names = getNode(node)!.takes.flatMap(({ thread }) => thread ?? []);
  for (const name of [...new Set(names.reverse())].slice(0, MOST_NAMED)) {
    const found = await queryClient.fetchQuery(queries.thread(name)).catch(() => undefined);
    if (found && !found.deleted) return found;
  }
  const best =
    (await findNewestThrough(node, node)) ??
    (await findNewestThrough(pathTo(useNodes.getState().nodes, node)[0]!.id, node));
  return best && queryClient.fetchQuery(queries.thread(best.id));
}

/** Of the conversations through a message, the one that shares most of the path to `node`; the newest of equals. */
async function findNewestThrough(through: string, node: string): Promise<Thread | undefined> {
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

/** Whether `id` is known to be the node itself or a node below it that was not removed. */
function isBelow(id: string, node: string): boolean {
  const end = getNode(id);
  return end !== undefined && !end.removed && pathTo(useNodes.getState().nodes, id).some((each) => each.id === node);
}

/** The most leaves that are fetched to find the newest. */
const MOST_LEAVES = 1000;

/** The leaf of a conversation below a node: its head, else its newest leaf. */
async function findLeafBelow(thread: Lineage | undefined, node: string): Promise<string> {
  if (getNode(node)?.childCount === 0) return node;
  if (thread && isBelow(await ensurePath(thread.head), node)) return thread.head;
  const page = (query: object) =>
    unwrap(api.nodes[':node'].leaves.$get({ param: { node }, query: { limit: 200, ...query } }));
  const leaves = await fetchNodes(async () => (await fetchPages(page, MOST_LEAVES)).items);
  const own = thread ? leaves.filter((leaf) => isInLineage(leaf, thread.lineage)) : leaves;
  const newest = own.reduce<Node | undefined>((best, leaf) => (best && best.at > leaf.at ? best : leaf), undefined);
  return newest?.id ?? node;
}
