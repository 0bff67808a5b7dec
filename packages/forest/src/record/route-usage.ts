import type { Usage } from '@skein/core';
import { listExchanges } from './list-exchanges.ts';
import type { RecordingForest } from './recorder.ts';

/** What went one way through a gateway, and what it used. */
export interface RouteUsage {
  /** The pattern of the route, or `provider/*` for models that clients named. */
  readonly route: string;
  /** The provider and the model that answered. */
  readonly provider: string;
  readonly model: string;
  readonly replies: number;
  readonly usage: Omit<Usage, 'native'>;
}

const BUCKETS = ['input', 'cacheRead', 'cacheWrite5m', 'cacheWrite1h', 'output', 'reasoning'] as const;
const PAGE = 1000;

/**
 * Adds up what the replies of a gateway used, by route and model, most replies first.
 *
 * @example
 * for (const { route, model, usage } of await readRouteUsage(forest)) console.log(route, model, usage.cacheRead);
 */
export async function readRouteUsage(
  forest: RecordingForest,
  period: { readonly since?: number; readonly until?: number } = {},
): Promise<readonly RouteUsage[]> {
  const sums = new Map<string, RouteUsage>();
  for (let after: string | undefined; ; ) {
    const page = await listExchanges(forest, { ...period, limit: PAGE, ...(after !== undefined && { after }) });
    const answered = page.items.filter(({ upstream, landing }) => upstream && landing?.node !== undefined);
    const takes = await forest.store.takes(answered.map(({ landing }) => landing!.node!));
    const usages = new Map(takes.map((take) => [take.exchange, take.usage]));
    for (const { id, upstream, gateway } of answered) {
      const { provider, model } = upstream!;
      const { route = '' } = gateway ?? {};
      const key = JSON.stringify([route, provider, model]);
      const before = sums.get(key);
      const usage = usages.get(id);
      sums.set(key, {
        ...{ route, provider, model, replies: (before?.replies ?? 0) + 1 },
        usage: Object.fromEntries(
          BUCKETS.map((bucket) => [bucket, (before?.usage[bucket] ?? 0) + (usage?.[bucket] ?? 0)]),
        ) as unknown as RouteUsage['usage'],
      });
    }
    if (page.next === undefined) return [...sums.values()].sort((a, b) => b.replies - a.replies);
    after = page.next;
  }
}
