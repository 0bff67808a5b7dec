import { allItems, type Forest } from '../forest/index.ts';
import type { StoreRecord } from '../model/records.ts';
import { listExchanges } from './list-exchanges.ts';

/** How long threads and recordings are kept; without a number, for ever. */
export interface Retention {
  /** Deletes threads that did not change for this many days. */
  readonly days?: number | undefined;
  /** Forgets recorded conversations that nobody continued for this many days, with all bytes of their exchanges. */
  readonly recordingDays?: number | undefined;
}

const DAY_MS = 24 * 60 * 60 * 1000;

/**
 * Runs `forest.gc()` and forgets what is older than the retention allows. Nodes stay, because other threads may use
 * them. Run it while no other process uses the store.
 *
 * @example
 * await forgetOld(forest, { recordingDays: 30 });
 */
export async function forgetOld(
  forest: Forest,
  { days, recordingDays }: Retention,
): Promise<{ kept: number; removed: number }> {
  const since = (count: number) => forest.clock.now() - count * DAY_MS;
  if (days !== undefined) await deleteThreads(forest, since(days));
  const old = recordingDays === undefined ? new Set<string>() : await oldExchanges(forest, since(recordingDays));
  return forest.gc({ forget: (record) => belongsTo(record, old) });
}

/**
 * Keeps the recordings of a project by month, and drops whole months that are older than the retention. It reads none of
 * them, and other processes may go on. Conversations and their messages stay; the exact bytes of their exchanges go.
 *
 * @example
 * const months = await forgetMonths(forest, { recordingDays: 90 }); // ['2026-05', '2026-06']
 */
export async function forgetMonths(
  { store, clock }: Pick<Forest, 'store' | 'clock'>,
  { recordingDays }: Retention,
): Promise<readonly string[]> {
  if (!store.months) throw new TypeError('This store does not keep recordings by month: use one in PostgreSQL.');
  await store.months.create();
  return recordingDays === undefined ? [] : store.months.drop(clock.now() - recordingDays * DAY_MS);
}

/**
 * Deletes recorded conversations for good: their threads, every byte of their exchanges, and the messages that no other
 * conversation shares. Run it while no other process uses the store.
 *
 * @example
 * const { exchanges } = await forgetRecordings(forest, [thread.id]);
 */
export async function forgetRecordings(
  forest: Forest,
  threads: readonly string[],
): Promise<{ kept: number; removed: number; exchanges: number }> {
  const named = new Set(threads);
  const exchanges = new Set<string>();
  for await (const { id, landing } of allItems((page) => listExchanges(forest, page)))
    if (landing?.thread !== undefined && named.has(landing.thread)) exchanges.add(id);
  const heads = new Set<string>();
  for await (const { id, head } of allItems((page) => forest.threads.list(page))) if (!named.has(id)) heads.add(head);
  for (const id of named) {
    const { head, deleted } = await forest.threads.get(id);
    const own = await firstOwnNode(forest, head, heads);
    if (own !== undefined) await forest.remove(own);
    if (!deleted) await forest.threads.delete(id);
  }
  const first = await forest.gc({ forget: (record) => belongsTo(record, exchanges) });
  // The texts that the exchanges named are free only when these are gone.
  const second = await forest.gc();
  return { kept: second.kept, removed: first.removed + second.removed, exchanges: exchanges.size };
}

/** The highest node on the path to a head below which nothing belongs to another conversation. */
async function firstOwnNode(forest: Forest, head: string, others: ReadonlySet<string>): Promise<string | undefined> {
  let own: string | undefined;
  let below: string | undefined;
  for (const { id } of (await forest.store.path(head)).toReversed()) {
    const { items } = await forest.children(id, { limit: 2 });
    if (others.has(id) || items.some((child) => child.id !== below)) return own;
    own = id;
    below = id;
  }
  return own;
}

/**
 * The earliest start time that may still be shown; undefined if recordings are kept for ever.
 *
 * @example
 * const since = oldestShown(forest, { recordingDays: 30 });
 */
export function oldestShown(forest: Pick<Forest, 'clock'>, { recordingDays }: Retention): number | undefined {
  return recordingDays === undefined ? undefined : forest.clock.now() - recordingDays * DAY_MS;
}

async function deleteThreads({ threads }: Forest, before: number): Promise<void> {
  const old: string[] = [];
  for await (const { id, updatedAt } of allItems((page) => threads.list(page))) if (updatedAt < before) old.push(id);
  for (const id of old) await threads.delete(id);
}

/** Exchanges are forgotten by whole conversations, because the placement of an exchange depends on those before it. */
async function oldExchanges(forest: Forest, before: number): Promise<ReadonlySet<string>> {
  const groups = new Map<string, { last: number; ids: string[] }>();
  for await (const { id, start, end = start, landing } of allItems((page) => listExchanges(forest, page))) {
    const name = landing?.thread ?? id;
    const group = groups.get(name) ?? { last: 0, ids: [] };
    groups.set(name, group);
    group.ids.push(id);
    group.last = Math.max(group.last, end);
  }
  return new Set([...groups.values()].filter(({ last }) => last < before).flatMap(({ ids }) => ids));
}

/** The exchange records, their bytes, and their placements. */
function belongsTo(record: StoreRecord, exchanges: ReadonlySet<string>): boolean {
  if (record.k === 'exchange') return exchanges.has(record.id) || exchanges.has(record.of);
  return record.k === 'ref' && record.on === 'forest' && exchanges.has(record.key);
}
