import { type Forest, type ListedExchange, listExchanges } from '@skein/forest';
import type { Services } from './services.ts';
import { toSpending } from './spending.ts';
import { readUsageTakes, type UsageTake } from './usage-takes.ts';

/** What daily usage is divided by. */
type UsageDivision = 'model' | 'app' | 'tag';

/** What one model, program or tag used on one day. */
export interface DailyUsage {
  /** Such as 2026-11-17, in the reader's time zone. */
  readonly day: string;
  /** Empty for what has no tag. */
  readonly name: string;
  readonly replies: number;
  /** Tokens that were sent, of these from a cache, and received. */
  readonly input: number;
  readonly cached: number;
  readonly output: number;
  /** US dollars by list price, of the replies whose price is known. */
  readonly cost: number;
  readonly withoutPrice: number;
  /** How much more the same requests would have cost without a cache; negative if writing the cache cost more. */
  readonly saved: number;
}

interface DailyUsageQuery {
  readonly by: UsageDivision;
  readonly since: number;
  readonly until: number;
  /** Minutes that the reader's clock is ahead of UTC. */
  readonly zone: number;
}

const PAGE = 1000;
const DAY_LENGTH = '2026-11-17'.length;

/** Adds up the replies of a time by day and model, program or tag, oldest day first. */
export async function readDailyUsage(
  forest: Pick<Forest, 'store' | 'clock' | 'threads'>,
  { by, since, until, zone }: DailyUsageQuery,
  costOf: Services['costOf'],
): Promise<readonly DailyUsage[]> {
  const exchanges = by === 'model' ? new Map() : await readExchanges(forest, since, until);
  const threadTags = by === 'tag' ? await readThreadTags(forest) : new Map();
  const namesOf = (take: UsageTake): readonly string[] => {
    const exchange = take.exchange === undefined ? undefined : exchanges.get(take.exchange);
    if (by === 'model') return [take.model === undefined ? '' : `${take.provider ?? '?'}/${take.model}`];
    if (by === 'app') return [nameApp(take, exchange)];
    const tags = new Set<string>([...(exchange?.tags ?? []), ...(threadTags.get(take.thread ?? '') ?? [])]);
    return tags.size === 0 ? [''] : [...tags];
  };
  const sums = new Map<string, DailyUsage>();
  const seen = new Set<string>();
  for (const take of await readUsageTakes(forest.store)) {
    const first = take.exchange ?? take.carried?.take ?? take.id;
    const { usage, at } = take;
    if (at < since || at >= until || seen.has(first)) continue;
    seen.add(first);
    const { cost } = toSpending(take, usage, costOf);
    const day = new Date(at + zone * 60_000).toISOString().slice(0, DAY_LENGTH);
    for (const name of namesOf(take)) {
      const key = `${day} ${name}`;
      const before = sums.get(key) ?? { day, name, ...NOTHING };
      sums.set(key, {
        ...{ day, name, replies: before.replies + 1 },
        input: before.input + usage.input + usage.cacheRead + usage.cacheWrite5m + usage.cacheWrite1h,
        cached: before.cached + usage.cacheRead,
        output: before.output + usage.output + usage.reasoning,
        cost: before.cost + (cost ?? 0),
        withoutPrice: before.withoutPrice + (cost === undefined ? 1 : 0),
        saved: before.saved + (cost === undefined ? 0 : cacheSavings(take, usage, cost, costOf)),
      });
    }
  }
  return [...sums.values()].sort((a, b) => a.day.localeCompare(b.day) || b.cost - a.cost || b.input - a.input);
}

const NOTHING = { replies: 0, input: 0, cached: 0, output: 0, cost: 0, withoutPrice: 0, saved: 0 };

async function readExchanges(forest: Pick<Forest, 'store' | 'clock'>, since: number, until: number) {
  const found = new Map<string, ListedExchange>();
  for (let after: string | undefined; ; ) {
    const page = await listExchanges(forest, { since, until, limit: PAGE, ...(after !== undefined && { after }) });
    for (const one of page.items) found.set(one.id, one);
    if (page.next === undefined) return found;
    after = page.next;
  }
}

async function readThreadTags({ threads }: Pick<Forest, 'threads'>) {
  const found = new Map<string, readonly string[]>();
  for (let after: string | undefined; ; ) {
    const page = await threads.list({ limit: PAGE, ...(after !== undefined && { after }) });
    for (const { id, tags } of page.items) if (tags.length > 0) found.set(id, tags);
    if (page.next === undefined) return found;
    after = page.next;
  }
}

/** A program is known by the name of its gateway token, or by what it calls itself. */
function nameApp({ via, carried }: UsageTake, exchange: ListedExchange | undefined): string {
  if (exchange?.gateway?.token !== undefined) return exchange.gateway.token;
  const agent = exchange?.requestHeaders['user-agent'];
  if (agent !== undefined) return /^[^\s(]+?(?=\/?\d|[\s(]|$)/.exec(agent)?.[0].replace(/\/$/, '') || agent;
  const how = carried?.via ?? via;
  if (how === 'record') return 'unknown program';
  return how === 'import' ? 'imported' : 'Skein';
}

function cacheSavings(
  { provider = '', model = '', at }: UsageTake,
  usage: UsageTake['usage'],
  cost: number,
  costOf: Services['costOf'],
): number {
  const { input, cacheRead, cacheWrite5m, cacheWrite1h } = usage;
  if (cost === 0 || cacheRead + cacheWrite5m + cacheWrite1h === 0) return 0;
  const uncached = {
    ...usage,
    input: input + cacheRead + cacheWrite5m + cacheWrite1h,
    ...{ cacheRead: 0, cacheWrite5m: 0, cacheWrite1h: 0 },
  };
  const without = costOf?.(uncached, provider, model, new Date(at))?.total;
  return without === undefined ? 0 : without - cost;
}
