import { QueryClient, queryOptions } from '@tanstack/react-query';
import { api, fetchText, unwrap } from './client.ts';
import { isRefused } from './problem.ts';
import { fetchTopology } from './topology.ts';
import type { RequestOptions, Thread } from './types.ts';

/** Lists and facts from the server. Nodes are not here: their content never changes, see state/nodes.ts. */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      // The change feed reports what is stale.
      staleTime: Number.POSITIVE_INFINITY,
      refetchOnWindowFocus: false,
      retry: (count, error) => count < 2 && !isRefused(error),
    },
  },
});

export const queries = {
  version: () => queryOptions({ queryKey: ['about', 'version'], queryFn: () => unwrap(api.version.$get()) }),
  health: () =>
    queryOptions({ queryKey: ['about', 'health'], queryFn: () => unwrap(api.health.$get()), refetchInterval: 30_000 }),
  settings: () => queryOptions({ queryKey: ['about', 'settings'], queryFn: () => unwrap(api.settings.$get()) }),
  providers: () => queryOptions({ queryKey: ['about', 'providers'], queryFn: () => unwrap(api.providers.$get()) }),
  agents: () => queryOptions({ queryKey: ['about', 'agents'], queryFn: () => unwrap(api.agents.$get()) }),
  /** The protocols that messages can be exported in and imported from. */
  dialects: () => queryOptions({ queryKey: ['about', 'dialects'], queryFn: () => unwrap(api.dialects.$get()) }),
  tools: () => queryOptions({ queryKey: ['about', 'tools'], queryFn: () => unwrap(api.tools.$get()) }),

  models: () => queryOptions({ queryKey: ['about', 'models'], queryFn: () => unwrap(api.models.$get({ query: {} })) }),

  /** The exact stored text of a node. */
  raw: (node: string) => queryOptions({ queryKey: ['raw', node], queryFn: () => fetchText(`/nodes/${node}?raw`) }),
  /** The request that a node answers. */
  request: (node: string, thread?: string) =>
    queryOptions({
      queryKey: ['request', node, thread ?? ''],
      queryFn: () => unwrap(api.nodes[':node'].request.$get({ param: { node }, query: { ...(thread && { thread }) } })),
    }),
  /** The request that would be sent below a node. */
  nextRequest: (node: string, wish: RequestOptions) =>
    queryOptions({
      queryKey: ['next-request', node, wish],
      queryFn: () => unwrap(api.nodes[':node'].preview.$post({ param: { node }, json: { ...wish } })),
    }),
  /** A conversation, with the ids of those that it was forked from. */
  thread: (thread: string) =>
    queryOptions({
      queryKey: ['thread', thread],
      queryFn: () => unwrap(api.threads[':thread'].$get({ param: { thread } })),
    }),
  /** The points where the system text, the tools or the sent history of a conversation changed, up to a node. */
  contextChanges: (thread: string, to: string) =>
    queryOptions({
      queryKey: ['context-changes', thread, to],
      queryFn: () => unwrap(api.threads[':thread']['context-changes'].$get({ param: { thread }, query: { to } })),
    }),
  /** The session of a conversation, step by step. */
  session: (thread: string) =>
    queryOptions({
      queryKey: ['session', thread],
      queryFn: () => unwrap(api.threads[':thread'].session.$get({ param: { thread } })),
    }),
  /** The settings of the last request of a conversation. */
  lastRequest: (thread: string) =>
    queryOptions({
      queryKey: ['last-request', thread],
      queryFn: () => unwrap(api.threads[':thread']['last-request'].$get({ param: { thread }, query: {} })),
    }),
  threadsThrough: (node: string) =>
    queryOptions({
      queryKey: ['threads', 'of', node],
      queryFn: () => unwrap(api.nodes[':node'].threads.$get({ param: { node } })),
    }),
  /** The structure of the forest, or of a node and what is below it. */
  topology: (below?: string) =>
    queryOptions({ queryKey: ['topology', below ?? 'all'], queryFn: () => fetchTopology(below) }),
  leaves: (below: string) =>
    queryOptions({
      queryKey: ['leaves', below],
      queryFn: () => unwrap(api.nodes[':node'].leaves.$get({ param: { node: below }, query: { limit: 200 } })),
    }),
  search: (q: string, below?: string) =>
    queryOptions({
      queryKey: ['search', q, below ?? 'all'],
      queryFn: () => unwrap(api.search.$get({ query: { q, limit: 1000, ...(below && { below }) } })),
    }),

  threads: (filter: ThreadFilter = {}) =>
    queryOptions({
      queryKey: ['threads', filter],
      queryFn: () => allThreads(filter),
    }),
  /** The prompts, and the chosen model of new conversations. */
  library: () => queryOptions({ queryKey: ['library'], queryFn: () => unwrap(api.library.$get()) }),
  bookmarks: () =>
    queryOptions({ queryKey: ['bookmarks'], queryFn: () => unwrap(api.bookmarks.$get({ query: { limit: 500 } })) }),
  usage: (of: { readonly node?: string; readonly path?: string; readonly below?: string; readonly thread?: string }) =>
    queryOptions({ queryKey: ['usage', of], queryFn: () => unwrap(api.usage.$get({ query: of })) }),
  /** What was used by day since a time, by model, program or tag, in the days of the reader. */
  dailyUsage: (by: 'model' | 'app' | 'tag', since: number) =>
    queryOptions({
      queryKey: ['usage', 'days', by, since],
      queryFn: () =>
        unwrap(api.usage.days.$get({ query: { by, since: String(since), zone: -new Date().getTimezoneOffset() } })),
    }),
  budgets: () => queryOptions({ queryKey: ['usage', 'budgets'], queryFn: () => unwrap(api.budgets.$get()) }),
  generationsBelow: (node: string) =>
    queryOptions({
      queryKey: ['generations', node],
      queryFn: () => unwrap(api.generations.$get({ query: { node, limit: 100 } })),
    }),
};

/** A list of conversations, as far as it is loaded. */
interface ThreadListData {
  readonly items: readonly Thread[];
  /** Whether these are all. */
  readonly isWhole: boolean;
}

/** The first page is small, so that a list appears at once. */
const FIRST_PAGE = 100;
const PAGE = 1000;

/** All conversations, last changed first. The page sorts and filters them itself. */
async function allThreads(filter: ThreadFilter): Promise<ThreadListData> {
  const { deleted, tag } = filter;
  const { queryKey } = queries.threads(filter);
  const items: Thread[] = [];
  for (let after: string | undefined; ; ) {
    const page = await unwrap(
      api.threads.$get({
        query: {
          limit: after ? PAGE : FIRST_PAGE,
          ...(deleted && { deleted: 'true' as const }),
          ...(tag && { tag }),
          ...(after && { after }),
        },
      }),
    );
    items.push(...page.items);
    after = page.next;
    if (!after) return { items, isWhole: true };
    if ((queryClient.getQueryData(queryKey)?.items.length ?? 0) < items.length)
      queryClient.setQueryData(queryKey, { items: [...items], isWhole: false });
  }
}

/** Updates one thread in every cached list; fetching thousands again for one would be slow. */
export function putThread(thread: Thread): void {
  queryClient.setQueryData(queries.thread(thread.id).queryKey, (before) => before && { ...before, ...thread });
  const lists = queryClient.getQueriesData<ThreadListData>({ queryKey: ['threads'] });
  for (const [queryKey, data] of lists) {
    const filter = queryKey[1];
    if (!data || typeof filter !== 'object') continue;
    queryClient.setQueryData(queryKey, {
      ...data,
      items: insertThread(data.items, thread, filter as ThreadFilter),
    });
  }
}

interface ThreadFilter {
  readonly deleted?: boolean;
  readonly tag?: string;
}

/** Puts a changed thread at its place in a list, last changed first, or removes it if it no longer fits the filter. */
export function insertThread(
  list: readonly Thread[],
  thread: Thread,
  { deleted = false, tag }: ThreadFilter,
): Thread[] {
  const others = list.filter(({ id }) => id !== thread.id);
  const isWanted = thread.deleted === deleted && (tag === undefined || thread.tags.includes(tag));
  if (!isWanted) return others;
  const place = others.findIndex(({ updatedAt }) => updatedAt <= thread.updatedAt);
  return others.toSpliced(place < 0 ? others.length : place, 0, thread);
}
