import { type Forest, type ListedExchange, listExchanges } from '@skein/forest';
import { expect } from 'vitest';

/** All exchanges, once this many are placed in the tree. */
export async function landed(forest: Forest, count: number): Promise<readonly ListedExchange[]> {
  await expect.poll(async () => (await all(forest)).length, { timeout: 60_000, interval: 500 }).toBe(count);
  return all(forest);
}

async function all(forest: Forest): Promise<ListedExchange[]> {
  const found: ListedExchange[] = [];
  let after: string | undefined;
  do {
    const { items, next } = await listExchanges(forest, { limit: 1000, ...(after !== undefined && { after }) });
    found.push(...items.filter(({ landing }) => landing !== undefined));
    after = next;
  } while (after !== undefined);
  return found;
}
