import type { TakeRecord } from '../model/index.ts';
import type { Store } from '../store/index.ts';

/**
 * A thread and those it was forked from. Nodes are content and may be shared by any number of conversations; only takes of
 * the lineage say what this conversation sent, had as its system text, and paid.
 */
export type Lineage = ReadonlySet<string>;

/** Forks of forks of forks: nobody has that many, but a damaged store may lead in a circle. */
const MOST_FORKS = 100;

export async function lineageOf(store: Store, thread: string): Promise<Lineage> {
  const lineage = new Set<string>();
  for (let at: unknown = thread; typeof at === 'string' && !lineage.has(at) && lineage.size < MOST_FORKS; ) {
    lineage.add(at);
    const { items } = await store.refs({ on: 'thread', keys: [at], names: ['forkedFrom'], limit: 1 });
    at = items[0]?.value;
  }
  return lineage;
}

/**
 * The takes that belong to a conversation; all of them where none is named. A take from before conversations were named
 * belongs to every conversation through its node, unless its exchange has been placed since.
 */
export function takesOfLineage(takes: readonly TakeRecord[], lineage: Lineage | undefined): readonly TakeRecord[] {
  if (!lineage) return takes;
  const placed = new Set(
    takes.flatMap(({ exchange, thread }) => (thread !== undefined && exchange !== undefined ? [exchange] : [])),
  );
  return takes.filter(({ thread, exchange }) =>
    thread === undefined ? exchange === undefined || !placed.has(exchange) : lineage.has(thread),
  );
}
