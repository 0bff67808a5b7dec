import { QueryClient, queryOptions } from '@tanstack/react-query';
import { ApiProblem, api, ok } from './client.ts';

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

  threads: (filter: { readonly deleted?: boolean; readonly tag?: string } = {}) =>
    queryOptions({
      queryKey: ['threads', filter],
      queryFn: () =>
        ok(
          api.threads.$get({
            query: { limit: 500, ...(filter.deleted && { deleted: 'true' }), ...(filter.tag && { tag: filter.tag }) },
          }),
        ),
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
