import { type CostLookup, DEMO_ISSUER, type Usage } from '@skein/core';
import { ROOT } from '../../model/ids.ts';
import type { NodeRecord, TakeRecord } from '../../model/records.ts';
import type { ForestContext } from '../context.ts';
import { allPages } from '../pages.ts';
import { type Lineage, readLineage, selectTakes } from '../threads/thread.ts';
import type { Threads } from '../threads/threads.ts';
import { resolveId, resolveNode } from './resolve.ts';
import { resolveWalkStart, walkAll } from './walk.ts';

/** What usage is added up for. */
export type UsageScope =
  | { readonly node: string }
  | { readonly below: string }
  /** With a thread: only what that conversation paid on the path. */
  | { readonly path: string; readonly thread?: string }
  | { readonly thread: string }
  | { readonly since: number; readonly until?: number };

/** Tokens and cost of replies. */
export interface UsageTotal {
  readonly usage: Omit<Usage, 'native'>;
  /** US dollars, of the replies whose price is known; null if there are replies and the price of none is known. */
  readonly cost: number | null;
  /** How many replies have no known price. */
  readonly withoutPrice: number;
  readonly replies: number;
}

/** How usage is added up. */
export interface UsageOptions {
  /** Prices replies that were stored without a cost, such as recorded ones: `costOf` of `@skein/core/prices`. */
  readonly costOf?: CostLookup | undefined;
}

const BUCKETS = ['input', 'cacheRead', 'cacheWrite5m', 'cacheWrite1h', 'output', 'reasoning'] as const;
const BATCH = 1000;

/** Adds up the takes of a scope. A take that was carried to another node counts once, however often its node was moved. */
export async function sumUsage(
  context: ForestContext,
  threads: Threads,
  of: UsageScope,
  { costOf }: UsageOptions = {},
): Promise<UsageTotal> {
  const { since = -Infinity, until = Infinity } = 'since' in of ? of : {};
  const seen = new Set<string>();
  const usage = { input: 0, cacheRead: 0, cacheWrite5m: 0, cacheWrite1h: 0, output: 0, reasoning: 0 };
  let cost = 0;
  let withoutPrice = 0;
  const thread = 'thread' in of ? of.thread : undefined;
  const lineage = thread === undefined ? undefined : await readLineage(context.store, thread);
  for await (const take of readScopeTakes(context, readScopeNodes(context, threads, of), lineage)) {
    // An exchange that was placed again has a take in both places, and was paid for once.
    const first = take.exchange ?? take.carried?.take ?? take.id;
    if (!isReply(take) || take.at < since || take.at >= until || seen.has(first)) continue;
    seen.add(first);
    for (const bucket of BUCKETS) usage[bucket] += take.usage?.[bucket] ?? 0;
    const price = priceOf(take, costOf);
    if (price === undefined) withoutPrice += 1;
    else cost += price;
  }
  const isUnknown = seen.size > 0 && withoutPrice === seen.size;
  return { usage, cost: isUnknown ? null : cost, withoutPrice, replies: seen.size };
}

/** The cost that was stored with a reply, otherwise that by the price list, at the time of the reply. */
function priceOf({ origin, cost, usage, provider, model, at }: TakeRecord, costOf: CostLookup | undefined) {
  if (origin.issuer === DEMO_ISSUER) return 0;
  if (cost !== undefined || !usage || provider === undefined || model === undefined) return cost;
  return costOf?.(usage, provider, model, new Date(at))?.total;
}

function isReply({ usage, cost }: TakeRecord): boolean {
  return usage !== undefined || cost !== undefined;
}

async function* readScopeTakes(
  { store }: ForestContext,
  nodes: AsyncIterable<NodeRecord>,
  lineage: Lineage | undefined,
): AsyncGenerator<TakeRecord> {
  let batch: string[] = [];
  for await (const { id } of nodes) {
    batch.push(id);
    if (batch.length < BATCH) continue;
    yield* selectTakes(await store.takes(batch), lineage);
    batch = [];
  }
  yield* selectTakes(await store.takes(batch), lineage);
}

async function* readScopeNodes({ store }: ForestContext, threads: Threads, of: UsageScope): AsyncGenerator<NodeRecord> {
  if ('node' in of) yield await resolveNode(store, of.node);
  else if ('path' in of) yield* await store.path(await resolveId(store, of.path));
  else if ('thread' in of) {
    const { start, head } = await threads.get(of.thread);
    const path = await store.path(head);
    const first = path.findIndex(({ id }) => id === start);
    yield* path.slice(Math.max(0, first));
  } else if ('below' in of) {
    const top = await resolveWalkStart(store, of.below);
    if (top.id !== ROOT) yield await resolveNode(store, top.id);
    for await (const { record } of walkAll(store, top)) yield record;
  } else for await (const page of allPages((request) => store.scan(request))) yield* page;
}
