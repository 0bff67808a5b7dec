import { DEMO_ISSUER } from '@skein/core';
import { type Forest, type ListedExchange, listExchanges, type TakeRecord } from '@skein/forest';
import type { TokenSpending } from './gateway/budgets.ts';
import type { Services } from './services.ts';

/** What the reply of a recorded exchange used, and what that cost by the list price of its time. */
export interface Spending {
  readonly usage: NonNullable<TakeRecord['usage']>;
  /** Absent where no price is known. */
  readonly cost?: number;
}

/** By the exchange's id. Worked out when it is needed: what is recorded does not depend on a price list. */
export async function readSpending(
  { store }: Pick<Forest, 'store'>,
  exchanges: readonly ListedExchange[],
  costOf: Services['costOf'],
): Promise<ReadonlyMap<string, Spending>> {
  const nodes = exchanges.flatMap(({ landing }) => landing?.node ?? []);
  const takes = nodes.length === 0 ? [] : await store.takes(nodes);
  const spent = new Map<string, Spending>();
  for (const take of takes)
    if (take.exchange !== undefined && take.usage) spent.set(take.exchange, toSpending(take, take.usage, costOf));
  return spent;
}

/** What a reply used and cost; an answer of the demo costs nothing. */
export function toSpending(
  { provider = '', model = '', at, origin }: Pick<TakeRecord, 'provider' | 'model' | 'at' | 'origin'>,
  usage: NonNullable<TakeRecord['usage']>,
  costOf: Services['costOf'],
): Spending {
  const isFree = origin.issuer === DEMO_ISSUER;
  const cost = isFree ? 0 : costOf?.(usage, provider, model, new Date(at))?.total;
  return { usage, ...(cost !== undefined && { cost }) };
}

/** What was spent through the gateway since a time, by the names of the tokens. */
export async function readTokenSpending(
  forest: Pick<Forest, 'store' | 'clock'>,
  since: number,
  costOf: Services['costOf'],
): Promise<ReadonlyMap<string, TokenSpending>> {
  const spent = new Map<string, { cost: number; starts: number[] }>();
  for (let after: string | undefined; ; ) {
    const { items, next } = await listExchanges(forest, { since, limit: 1000, ...(after !== undefined && { after }) });
    const costs = await readSpending(forest, items, costOf);
    for (const { id, start, gateway } of items) {
      if (gateway?.token === undefined) continue;
      const one = spent.get(gateway.token) ?? { cost: 0, starts: [] };
      one.cost += costs.get(id)?.cost ?? 0;
      one.starts.push(start);
      spent.set(gateway.token, one);
    }
    if (next === undefined) return spent;
    after = next;
  }
}
