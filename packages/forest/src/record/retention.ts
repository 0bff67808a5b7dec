import { allItems, type Forest } from '../forest/index.ts';
import type { StoreRecord } from '../model/index.ts';
import { listExchanges } from './list-exchanges.ts';

export interface Retention {
  /** Threads that did not change for so many days go. */
  readonly days?: number | undefined;
  /** Recorded conversations that nobody went on with for so many days go, with every byte of their exchanges. */
  readonly recordingDays?: number | undefined;
}

const DAY_MS = 24 * 60 * 60 * 1000;

/** Like `forest.gc()`, and forgets also what is too old. Nodes stay: other threads may lead through them. Offline. */
export async function forgetOld(
  forest: Forest,
  { days, recordingDays }: Retention,
): Promise<{ kept: number; removed: number }> {
  const since = (count: number) => forest.clock.now() - count * DAY_MS;
  if (days !== undefined) await deleteThreads(forest, since(days));
  const old = recordingDays === undefined ? new Set<string>() : await oldExchanges(forest, since(recordingDays));
  return forest.gc({ forget: (record) => belongsTo(record, old) });
}

/** The first start that is not too old to be shown; undefined where nothing is. */
export function oldestShown(forest: Pick<Forest, 'clock'>, { recordingDays }: Retention): number | undefined {
  return recordingDays === undefined ? undefined : forest.clock.now() - recordingDays * DAY_MS;
}

async function deleteThreads({ threads }: Forest, before: number): Promise<void> {
  const old: string[] = [];
  for await (const { id, updatedAt } of allItems((page) => threads.list(page))) if (updatedAt < before) old.push(id);
  for (const id of old) await threads.delete(id);
}

/** By conversation: where the next exchange of one has its place depends on those before it. */
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

/** Its own records, its bytes, and where it landed. */
function belongsTo(record: StoreRecord, exchanges: ReadonlySet<string>): boolean {
  if (record.k === 'exchange') return exchanges.has(record.id) || exchanges.has(record.of);
  return record.k === 'ref' && record.on === 'forest' && exchanges.has(record.key);
}
