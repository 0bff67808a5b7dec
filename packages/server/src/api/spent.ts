import { DEMO_ISSUER, type Forest, type ListedExchange, type TakeRecord } from '@skein/forest';
import type { Services } from '../services.ts';
import { usageView } from './views.ts';

/** What the reply of a recorded exchange used, and what that cost by the list price of its time. */
export interface Spent {
  readonly usage: ReturnType<typeof usageView>;
  /** Absent where no price is known. */
  readonly cost?: number;
}

/** By the exchange's id. Worked out when it is shown: what is recorded does not depend on a price list. */
export async function spentOn(
  { store }: Forest,
  exchanges: readonly ListedExchange[],
  costOf: Services['costOf'],
): Promise<ReadonlyMap<string, Spent>> {
  const nodes = exchanges.flatMap(({ landing }) => landing?.node ?? []);
  const takes = nodes.length === 0 ? [] : await store.takes(nodes);
  const spent = new Map<string, Spent>();
  for (const take of takes)
    if (take.exchange !== undefined && take.usage) spent.set(take.exchange, spentBy(take, take.usage, costOf));
  return spent;
}

function spentBy(
  { provider = '', model = '', at, origin }: TakeRecord,
  usage: NonNullable<TakeRecord['usage']>,
  costOf: Services['costOf'],
): Spent {
  const isFree = origin.issuer === DEMO_ISSUER;
  const cost = isFree ? 0 : costOf?.(usage, provider, model, new Date(at))?.total;
  return { usage: usageView(usage), ...(cost !== undefined && { cost }) };
}
