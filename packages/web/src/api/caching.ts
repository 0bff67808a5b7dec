import { queryOptions } from '@tanstack/react-query';
import type { InferResponseType } from 'hono/client';
import { api, unwrap } from './client.ts';

type Caching = InferResponseType<(typeof api)['caching']['$get'], 200>;

/** A request of a conversation, and what the provider's cache did for it. */
export type CacheTurn = NonNullable<Caching['turns']>[number];

/** A cause of misses at one place, with everything that it cost. */
export type CacheCause = Caching['causes'][number];

/** What prompt caches did for recorded requests: of a conversation, or since a time. */
export function cachingQuery(of: { readonly thread: string } | { readonly since: number }) {
  const query = 'thread' in of ? { thread: of.thread } : { since: String(of.since) };
  return queryOptions({
    queryKey: ['usage', 'caching', query],
    queryFn: () => unwrap(api.caching.$get({ query })),
  });
}

/** What recorded requests would have used and cost under a change. */
export type CacheSimulation = InferResponseType<(typeof api)['caching']['simulate']['$post'], 200>['items'][number];

/** Sends the requests since a time to simulated caches: first as they were, then under each change. */
export async function simulateCaches(scenarios: readonly string[], since: number): Promise<readonly CacheSimulation[]> {
  const { items } = await unwrap(api.caching.simulate.$post({ json: { scenarios: [...scenarios], since } }));
  return items;
}
