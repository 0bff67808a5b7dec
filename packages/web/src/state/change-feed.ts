import { create } from 'zustand';
import { apiBase } from '../api/base.ts';
import { queryClient } from '../api/queries.ts';
import { refreshThread } from '../api/threads.ts';
import { growTopology, type Topology } from '../api/topology.ts';
import type { Node } from '../api/types.ts';
import { getNode, markNodesOutdated, noteChanges, refreshChildren, refreshNode, useNodes } from './nodes.ts';

/** Whether the change feed is connected. While it is not, the page may show outdated data. */
export const useConnection = create<{ readonly isConnected: boolean }>(() => ({ isConnected: true }));

/** With more changes than this at once, everything is refreshed instead of each item. */
const MANY = 60;

/**
 * Follows all changes of the forest, whoever makes them; returns a function that stops. A hidden page does not follow:
 * browsers have few connections per server, and many pages may be open. When it is visible again, it continues where it was.
 */
export function followChanges(): () => void {
  let source: EventSource | undefined;
  let last = '';
  let isFollowing = false;
  const open = () => {
    source = new EventSource(`${apiBase}/changes${last && `?after=${encodeURIComponent(last)}`}`);
    const on = (name: string, listener: (data: string) => void) =>
      source?.addEventListener(name, (event) => {
        const { data, lastEventId } = event as MessageEvent<string>;
        last = lastEventId || last;
        listener(data);
      });
    source.addEventListener('open', () => useConnection.setState({ isConnected: true }));
    source.addEventListener('error', () => useConnection.setState({ isConnected: false }));
    on('start', () => {
      if (!isFollowing) void refetchAll();
      isFollowing = true;
    });
    on('reset', () => {
      markNodesOutdated();
      void queryClient.invalidateQueries();
      void refreshShown();
    });
    on('changes', (data) => void applyChanges(JSON.parse(data) as readonly Change[]));
  };
  const close = () => {
    source?.close();
    source = undefined;
  };
  const onSeen = () => {
    if (document.hidden) close();
    else if (!source) open();
  };
  document.addEventListener('visibilitychange', onSeen);
  open();
  return () => {
    document.removeEventListener('visibilitychange', onSeen);
    close();
  };
}

async function applyChanges(changes: readonly Change[]): Promise<void> {
  const lists = new Set(changes.flatMap(listsToRefresh));
  for (const list of lists) void refetch([list]);
  void refreshThreads(changes);

  const added = changes.filter(({ kind }) => kind === 'node').map(({ key }) => key);
  const concerned = changes.flatMap(changedNodes);
  noteChanges(concerned);
  const touched = new Set(concerned.filter((id) => getNode(id)));
  if (added.length + touched.size > MANY) {
    if (touched.size > 0) markNodesOutdated();
    return refreshShown();
  }
  // A removed or moved node takes its whole subtree along.
  if (changes.some(({ kind, key }) => kind === 'ref' && key.startsWith('node/')))
    void queryClient.invalidateQueries({ queryKey: ['topology'] });
  // The parent of a new node is refreshed, too: its number of children changed.
  await Promise.all([...added, ...touched].map((id) => refreshNode(id).catch(() => undefined)));
  growTopologies([...new Set([...added, ...touched])].flatMap((id) => getNode(id) ?? []));
  const parents = new Set(added.flatMap((id) => getNode(id)?.parent ?? []));
  await Promise.all([...parents].filter((id) => getNode(id)).map((id) => refreshNode(id).catch(() => undefined)));
}

/** Fetches each changed thread, or all lists if there are many. */
async function refreshThreads(changes: readonly Change[]): Promise<void> {
  const ids = new Set(changes.flatMap(changedThreads));
  if (ids.size === 0) return;
  if (ids.size > MANY) return queryClient.invalidateQueries({ queryKey: ['threads'] });
  void queryClient.invalidateQueries({ queryKey: ['threads', 'of'] });
  await Promise.all([...ids].map((id) => refreshThread(id).catch(() => undefined)));
}

async function refreshShown(): Promise<void> {
  const { children } = useNodes.getState();
  void queryClient.invalidateQueries({ queryKey: ['topology'] });
  await Promise.all([...children.keys()].map((id) => refreshChildren(id).catch(() => undefined)));
}

/** Data that was fetched before the feed began may be older than its first change. */
async function refetchAll(): Promise<void> {
  markNodesOutdated();
  void queryClient.invalidateQueries({ predicate: ({ state }) => state.data !== undefined });
  await refreshShown();
}

/**
 * Refetches a query. A first response that is still on its way may be older than the change, and invalidating would only
 * wait for it, so it is cancelled.
 */
async function refetch(queryKey: readonly string[]): Promise<void> {
  await queryClient.cancelQueries({
    queryKey,
    fetchStatus: 'fetching',
    predicate: ({ state }) => state.data === undefined,
  });
  await queryClient.invalidateQueries({ queryKey });
}

/** One entry of the server's change feed. */
interface Change {
  readonly kind: string;
  readonly key: string;
  readonly of?: string;
}

/** The lists that each kind of record can change. */
const LISTS: Readonly<Record<string, readonly string[]>> = {
  node: ['search', 'leaves', 'previews'],
  take: ['usage', 'context-changes', 'last-request', 'session'],
  generation: ['generations'],
  exchange: ['recordings'],
};

/** The lists that a register can change, by its subject. Threads are refreshed one by one. */
const LISTS_OF_REFS: Readonly<Record<string, readonly string[]>> = {
  // A removed or moved node takes its whole subtree along.
  node: ['bookmarks', 'topology', 'search'],
  bookmark: ['bookmarks'],
  // The placement of a recording, or a prompt.
  forest: ['recordings', 'library'],
};

/** The lists to fetch again. */
export function listsToRefresh({ kind, key }: Change): readonly string[] {
  return (kind === 'ref' ? LISTS_OF_REFS[key.split('/')[0] ?? ''] : LISTS[kind]) ?? [];
}

/** The thread whose register changed. */
export function changedThreads({ kind, key }: Change): string[] {
  if (kind !== 'ref') return [];
  const [on, id] = key.split('/');
  return on === 'thread' && id !== undefined ? [decodeURIComponent(id)] : [];
}

/** The node whose takes or marks changed. */
export function changedNodes({ kind, key, of }: Change): string[] {
  if (kind === 'take' && of !== undefined) return [of];
  if (kind !== 'ref') return [];
  const [on, id] = key.split('/');
  return on === 'node' && id !== undefined ? [id] : [];
}

/** Updates the cached topologies with new or changed nodes; fetching thousands again would take seconds. */
function growTopologies(nodes: readonly Node[]): void {
  for (const [key, topology] of queryClient.getQueriesData<Topology>({ queryKey: ['topology'] }))
    if (topology) queryClient.setQueryData<Topology>(key, growTopology(topology, nodes, key[1] === 'all'));
}
