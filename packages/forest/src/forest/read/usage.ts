import type { Usage } from '@skein/core';
import { DEMO_ISSUER, type NodeRecord, ROOT, type TakeRecord } from '../../model/index.ts';
import type { Context } from '../context.ts';
import type { Forest } from '../forest.ts';
import { everyPage } from '../pages.ts';
import { type Lineage, lineageOf, takesOfLineage } from '../threads/thread.ts';
import type { Threads } from '../threads/threads.ts';
import { recordOf, resolveId } from './resolve.ts';
import { everyStep, topOf } from './walk.ts';

export type UsageOf =
  | { readonly node: string }
  | { readonly below: string }
  /** With a thread, only what that conversation paid on the path. */
  | { readonly path: string; readonly thread?: string }
  | { readonly thread: string }
  | { readonly since: number; readonly until?: number };

export interface UsageTotal {
  readonly usage: Omit<Usage, 'native'>;
  /** US dollars of the replies whose price is known, and how many have none. */
  readonly cost: number;
  readonly withoutPrice: number;
  readonly replies: number;
}

const BUCKETS = ['input', 'cacheRead', 'cacheWrite5m', 'cacheWrite1h', 'output', 'reasoning'] as const;
const BATCH = 1000;

/** Sums over takes. One that was carried to another place counts once, however often its node was moved or split. */
export function usageOf(context: Context, threads: Threads): Forest['usage'] {
  return async (of) => {
    const { since = -Infinity, until = Infinity } = 'since' in of ? of : {};
    const seen = new Set<string>();
    const usage = { input: 0, cacheRead: 0, cacheWrite5m: 0, cacheWrite1h: 0, output: 0, reasoning: 0 };
    let cost = 0;
    let withoutPrice = 0;
    const thread = 'thread' in of ? of.thread : undefined;
    const lineage = thread === undefined ? undefined : await lineageOf(context.store, thread);
    for await (const take of takesOf(context, nodesOf(context, threads, of), lineage)) {
      // An exchange that found another place has a take in both, and was paid for once.
      const first = take.exchange ?? take.carried?.take ?? take.id;
      if (!isReply(take) || take.at < since || take.at >= until || seen.has(first)) continue;
      seen.add(first);
      for (const bucket of BUCKETS) usage[bucket] += take.usage?.[bucket] ?? 0;
      const price = take.origin.issuer === DEMO_ISSUER ? 0 : take.cost;
      if (price === undefined) withoutPrice += 1;
      else cost += price;
    }
    return { usage, cost, withoutPrice, replies: seen.size } satisfies UsageTotal;
  };
}

function isReply({ usage, cost }: TakeRecord): boolean {
  return usage !== undefined || cost !== undefined;
}

async function* takesOf(
  { store }: Context,
  nodes: AsyncIterable<NodeRecord>,
  lineage: Lineage | undefined,
): AsyncGenerator<TakeRecord> {
  let batch: string[] = [];
  for await (const { id } of nodes) {
    batch.push(id);
    if (batch.length < BATCH) continue;
    yield* takesOfLineage(await store.takes(batch), lineage);
    batch = [];
  }
  yield* takesOfLineage(await store.takes(batch), lineage);
}

async function* nodesOf({ store }: Context, threads: Threads, of: UsageOf): AsyncGenerator<NodeRecord> {
  if ('node' in of) yield await recordOf(store, of.node);
  else if ('path' in of) yield* await store.path(await resolveId(store, of.path));
  else if ('thread' in of) {
    const { start, head } = await threads.get(of.thread);
    const path = await store.path(head);
    const first = path.findIndex(({ id }) => id === start);
    yield* path.slice(Math.max(0, first));
  } else if ('below' in of) {
    const top = await topOf(store, of.below);
    if (top.id !== ROOT) yield await recordOf(store, top.id);
    for await (const { record } of everyStep(store, top)) yield record;
  } else for await (const page of everyPage((request) => store.scan(request))) yield* page;
}
