import { create } from 'zustand';
import { apiBase } from '../api/base.ts';
import { queryClient } from '../api/queries.ts';
import { refreshThread } from '../api/threads.ts';
import { growTopology, type Topology } from '../api/topology.ts';
import type { Node } from '../api/types.ts';
import { getNode, markNodesOutdated, noteChanges, refreshChildren, refreshNode, useNodes } from './nodes.ts';

/** Whether the change feed is heard. While it is not, what is shown may be old. */
export const useConnection = create<{ readonly isConnected: boolean }>(() => ({ isConnected: true }));

/** More news than this at once: everything is looked at again instead of one by one. */
const MANY = 60;

/**
 * Follows everything that changes in the forest, whoever changes it; gives back how to stop. A page that nobody sees does
 * not: browsers have few connections to one server, and many pages may be open. Seen again, it goes on where it was.
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
      if (!isFollowing) void renewOlder();
      isFollowing = true;
    });
    on('reset', () => {
      markNodesOutdated();
      void queryClient.invalidateQueries();
      void refreshShown();
    });
    on('changes', (data) => void take(JSON.parse(data) as readonly Change[]));
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

async function take(changes: readonly Change[]): Promise<void> {
  const lists = new Set(changes.flatMap(listsToRefresh));
  for (const list of lists) void renew([list]);
  void takeThreads(changes);

  const added = changes.filter(({ kind }) => kind === 'node').map(({ key }) => key);
  const concerned = changes.flatMap(changedNodes);
  noteChanges(concerned);
  const touched = new Set(concerned.filter((id) => getNode(id)));
  if (added.length + touched.size > MANY) {
    if (touched.size > 0) markNodesOutdated();
    return refreshShown();
  }
  // What is taken away or moved takes all below it along.
  if (changes.some(({ kind, key }) => kind === 'ref' && key.startsWith('node/')))
    void queryClient.invalidateQueries({ queryKey: ['topology'] });
  // A new node is worth fetching only where its siblings are shown; its parent's count of children changes.
  await Promise.all([...added, ...touched].map((id) => refreshNode(id).catch(() => undefined)));
  growTopologies([...new Set([...added, ...touched])].flatMap((id) => getNode(id) ?? []));
  const parents = new Set(added.flatMap((id) => getNode(id)?.parent ?? []));
  await Promise.all([...parents].filter((id) => getNode(id)).map((id) => refreshNode(id).catch(() => undefined)));
}

/** Threads that changed: each is fetched, unless there are many of them. */
async function takeThreads(changes: readonly Change[]): Promise<void> {
  const ids = new Set(changes.flatMap(changedThreads));
  if (ids.size === 0) return;
  if (ids.size > MANY) return queryClient.invalidateQueries({ queryKey: ['threads'] });
  void queryClient.invalidateQueries({ queryKey: ['threads', 'of'] });
  for (const id of ids) void queryClient.invalidateQueries({ queryKey: ['summary', id] });
  await Promise.all([...ids].map((id) => refreshThread(id).catch(() => undefined)));
}

async function refreshShown(): Promise<void> {
  const { children } = useNodes.getState();
  void queryClient.invalidateQueries({ queryKey: ['topology'] });
  await Promise.all([...children.keys()].map((id) => refreshChildren(id).catch(() => undefined)));
}

/** What was answered before the feed began may be older than the first change that it tells of. */
async function renewOlder(): Promise<void> {
  markNodesOutdated();
  void queryClient.invalidateQueries({ predicate: ({ state }) => state.data !== undefined });
  await refreshShown();
}

/**
 * Asks again. A first answer that is on its way may be older than the change, and asking again would wait for it and stop
 * there: so it is given up.
 */
async function renew(queryKey: readonly string[]): Promise<void> {
  await queryClient.cancelQueries({
    queryKey,
    fetchStatus: 'fetching',
    predicate: ({ state }) => state.data === undefined,
  });
  await queryClient.invalidateQueries({ queryKey });
}

/** One line of the server's change feed, and what of the page it concerns. */
interface Change {
  readonly kind: string;
  readonly key: string;
  readonly of?: string;
}

/** What of the lists each kind of record can change. */
const LISTS: Readonly<Record<string, readonly string[]>> = {
  node: ['search', 'leaves', 'previews'],
  take: ['usage', 'summary', 'context-changes', 'last-request'],
  generation: ['generations'],
  exchange: ['recordings'],
};

/** The same for registers, by what they are about. Threads are looked at one by one. */
const LISTS_OF_REFS: Readonly<Record<string, readonly string[]>> = {
  // What is taken away or moved takes all below it along.
  node: ['bookmarks', 'summary', 'topology', 'search'],
  bookmark: ['bookmarks'],
  // Where a recording landed.
  forest: ['recordings'],
};

/** The lists to fetch again. */
export function listsToRefresh({ kind, key }: Change): readonly string[] {
  return (kind === 'ref' ? LISTS_OF_REFS[key.split('/')[0] ?? ''] : LISTS[kind]) ?? [];
}

/** The thread whose register it is. */
export function changedThreads({ kind, key }: Change): string[] {
  if (kind !== 'ref') return [];
  const [on, id] = key.split('/');
  return on === 'thread' && id !== undefined ? [decodeURIComponent(id)] : [];
}

/** The node about which something else is said now. */
export function changedNodes({ kind, key, of }: Change): string[] {
  if (kind === 'take' && of !== undefined) return [of];
  if (kind !== 'ref') return [];
  const [on, id] = key.split('/');
  return on === 'node' && id !== undefined ? [id] : [];
}

/** Takes nodes that came or changed into the structures that are shown: fetching thousands again would take seconds. */
function growTopologies(nodes: readonly Node[]): void {
  for (const [key, topology] of queryClient.getQueriesData<Topology>({ queryKey: ['topology'] }))
    if (topology) queryClient.setQueryData<Topology>(key, growTopology(topology, nodes, key[1] === 'all'));
}
