import type { Forest, TakeRecord } from '@skein/forest';

/** What usage needs of a take. The rest, such as the context of its request, is not held in memory. */
export type UsageTake = Pick<
  TakeRecord,
  'id' | 'at' | 'via' | 'origin' | 'carried' | 'provider' | 'model' | 'exchange' | 'thread'
> & { readonly usage: NonNullable<TakeRecord['usage']> };

type Store = Pick<Forest['store'], 'scan' | 'takes' | 'changes'>;

interface Known {
  readonly cursor: string;
  readonly takes: Map<string, UsageTake>;
}

const PAGE = 1000;

/** What was read of each store. It is dropped together with the store. */
const known = new WeakMap<Store, Promise<Known>>();

/** The takes with a usage, oldest first. The first call reads the whole store, the next ones only what was written since. */
export async function readUsageTakes(store: Store): Promise<readonly UsageTake[]> {
  const before = known.get(store);
  // Calls at the same time follow each other, so that each change is read once. One that failed leaves nothing behind.
  const now = before ? before.then((one) => readChanges(store, one)) : readAll(store);
  known.set(store, now);
  now.catch(() => known.delete(store));
  return [...(await now).takes.values()].sort((a, b) => a.at - b.at || (a.id < b.id ? -1 : 1));
}

async function readAll(store: Store): Promise<Known> {
  // The cursor comes first: what is written during the scan is read twice rather than never.
  const { next } = await store.changes();
  const takes = new Map<string, UsageTake>();
  for (let after: string | undefined; ; ) {
    const page = await store.scan({ limit: PAGE, ...(after !== undefined && { after }) });
    await add(
      store,
      page.items.map(({ id }) => id),
      takes,
    );
    if (page.next === undefined) return { cursor: next, takes };
    after = page.next;
  }
}

async function readChanges(store: Store, { cursor, takes }: Known): Promise<Known> {
  const { items, next, reset } = await store.changes(cursor);
  if (reset) return readAll(store);
  const nodes = new Set(items.flatMap(({ kind, of }) => (kind === 'take' && of !== undefined ? [of] : [])));
  const ids = [...nodes];
  for (let at = 0; at < ids.length; at += PAGE) await add(store, ids.slice(at, at + PAGE), takes);
  return { cursor: next, takes };
}

async function add(store: Store, nodes: readonly string[], takes: Map<string, UsageTake>): Promise<void> {
  if (nodes.length === 0) return;
  for (const { id, at, via, origin, carried, provider, model, exchange, thread, usage } of await store.takes(nodes))
    if (usage)
      takes.set(id, {
        ...{ id, at, via, origin, usage },
        ...(carried && { carried }),
        ...(provider !== undefined && { provider }),
        ...(model !== undefined && { model }),
        ...(exchange !== undefined && { exchange }),
        ...(thread !== undefined && { thread }),
      });
}
