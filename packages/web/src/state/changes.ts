import { apiBase } from '../api/base.ts';
import { queryClient } from '../api/queries.ts';
import { refreshThread } from '../api/threads.ts';
import { type Change, listsOf, threadOf, touchedNode } from './change.ts';
import { useConnection } from './connection.ts';
import { nodeOf, noteNews, outdateNodes, refreshChildren, refreshNode, useNodes } from './nodes.ts';
import { growTopologies } from './topology.ts';

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
      outdateNodes();
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
  const lists = new Set(changes.flatMap(listsOf));
  for (const list of lists) void renew([list]);
  void takeThreads(changes);

  const added = changes.filter(({ kind }) => kind === 'node').map(({ key }) => key);
  const concerned = changes.flatMap(touchedNode);
  noteNews(concerned);
  const touched = new Set(concerned.filter((id) => nodeOf(id)));
  if (added.length + touched.size > MANY) {
    if (touched.size > 0) outdateNodes();
    return refreshShown();
  }
  // What is taken away or moved takes all below it along.
  if (changes.some(({ kind, key }) => kind === 'ref' && key.startsWith('node/')))
    void queryClient.invalidateQueries({ queryKey: ['topology'] });
  // A new node is worth fetching only where its siblings are shown; its parent's count of children changes.
  await Promise.all([...added, ...touched].map((id) => refreshNode(id).catch(() => undefined)));
  growTopologies([...new Set([...added, ...touched])].flatMap((id) => nodeOf(id) ?? []));
  const parents = new Set(added.flatMap((id) => nodeOf(id)?.parent ?? []));
  await Promise.all([...parents].filter((id) => nodeOf(id)).map((id) => refreshNode(id).catch(() => undefined)));
}

/** Threads that changed: each is fetched, unless there are many of them. */
async function takeThreads(changes: readonly Change[]): Promise<void> {
  const ids = new Set(changes.flatMap(threadOf));
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
  outdateNodes();
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
