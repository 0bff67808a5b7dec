import { QueryClient, queryOptions } from '@tanstack/react-query';
import { ApiProblem, api, ok, okText } from './client.ts';
import { wholeTopology } from './topology.ts';
import type { Thread, Wish } from './types.ts';

/** Lists and facts about the server. Nodes are not here: they never change, see state/nodes.ts. */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      // The change feed says when something is stale.
      staleTime: Number.POSITIVE_INFINITY,
      refetchOnWindowFocus: false,
      retry: (count, error) => count < 2 && !(error instanceof ApiProblem && error.status >= 400 && error.status < 500),
    },
  },
});

export const queries = {
  version: () => queryOptions({ queryKey: ['about', 'version'], queryFn: () => ok(api.version.$get()) }),
  health: () =>
    queryOptions({ queryKey: ['about', 'health'], queryFn: () => ok(api.health.$get()), refetchInterval: 30_000 }),
  settings: () => queryOptions({ queryKey: ['about', 'settings'], queryFn: () => ok(api.settings.$get()) }),
  providers: () => queryOptions({ queryKey: ['about', 'providers'], queryFn: () => ok(api.providers.$get()) }),
  agents: () => queryOptions({ queryKey: ['about', 'agents'], queryFn: () => ok(api.agents.$get()) }),
  tools: () => queryOptions({ queryKey: ['about', 'tools'], queryFn: () => ok(api.tools.$get()) }),

  models: () => queryOptions({ queryKey: ['about', 'models'], queryFn: () => ok(api.models.$get({ query: {} })) }),

  /** The exact stored text of a node. */
  raw: (node: string) => queryOptions({ queryKey: ['raw', node], queryFn: () => okText(`/nodes/${node}?raw`) }),
  /** The request that a node answers. */
  request: (node: string) =>
    queryOptions({
      queryKey: ['request', node],
      queryFn: () => ok(api.nodes[':node'].request.$get({ param: { node } })),
    }),
  /** The request that would be sent below a node. */
  nextRequest: (node: string, wish: Wish) =>
    queryOptions({
      queryKey: ['next-request', node, wish],
      queryFn: () => ok(api.nodes[':node'].preview.$post({ param: { node }, json: { ...wish } })),
    }),
  threadsOf: (node: string) =>
    queryOptions({
      queryKey: ['threads', 'of', node],
      queryFn: () => ok(api.nodes[':node'].threads.$get({ param: { node } })),
    }),
  /** The structure of the forest, or of a node and what is below it. */
  topology: (below?: string) =>
    queryOptions({ queryKey: ['topology', below ?? 'all'], queryFn: () => wholeTopology(below) }),
  leaves: (below: string) =>
    queryOptions({
      queryKey: ['leaves', below],
      queryFn: () => ok(api.nodes[':node'].leaves.$get({ param: { node: below }, query: { limit: 200 } })),
    }),
  search: (q: string, below?: string) =>
    queryOptions({
      queryKey: ['search', q, below ?? 'all'],
      queryFn: () => ok(api.search.$get({ query: { q, limit: 1000, ...(below && { below }) } })),
    }),

  threads: (filter: { readonly deleted?: boolean; readonly tag?: string } = {}) =>
    queryOptions({
      queryKey: ['threads', filter],
      queryFn: () => allThreads(filter),
    }),
  summary: (thread: string) =>
    queryOptions({
      queryKey: ['summary', thread],
      queryFn: () => ok(api.threads[':thread'].summary.$get({ param: { thread } })),
    }),
  bookmarks: () =>
    queryOptions({ queryKey: ['bookmarks'], queryFn: () => ok(api.bookmarks.$get({ query: { limit: 500 } })) }),
  usage: (of: { readonly node?: string; readonly path?: string; readonly below?: string; readonly thread?: string }) =>
    queryOptions({ queryKey: ['usage', of], queryFn: () => ok(api.usage.$get({ query: of })) }),
  generationsOf: (node: string) =>
    queryOptions({
      queryKey: ['generations', node],
      queryFn: () => ok(api.generations.$get({ query: { node, limit: 100 } })),
    }),
};

const PAGE = 1000;

/** Every conversation, last changed first: lists are sorted and filtered on the page. */
async function allThreads({ deleted, tag }: { readonly deleted?: boolean; readonly tag?: string }) {
  const items: Thread[] = [];
  for (let after: string | undefined; ; ) {
    const query = {
      limit: PAGE,
      ...(deleted && { deleted: 'true' as const }),
      ...(tag && { tag }),
      ...(after && { after }),
    };
    const page = await ok(api.threads.$get({ query }));
    items.push(...page.items);
    after = page.next;
    if (!after) return { items };
  }
}
