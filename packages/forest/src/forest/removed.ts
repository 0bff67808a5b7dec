import { type RefRecord, ROOT } from '../model/index.ts';
import type { Store } from '../store/index.ts';
import type { Context } from './context.ts';
import { setRef } from './refs.ts';

/** Which of these nodes were themselves removed. */
export async function removedAmong(store: Store, ids: readonly string[]): Promise<Set<string>> {
  if (ids.length === 0) return new Set();
  const { items } = await store.refs({ on: 'node', keys: ids, names: ['removed'], limit: ids.length });
  return new Set(items.filter(({ value }) => value === true).map(({ key }) => key));
}

/** What brings removed nodes back that are written again. */
export async function reviveRecords(context: Context, ids: readonly string[]): Promise<RefRecord[]> {
  const removed = await removedAmong(
    context.store,
    ids.filter((id) => id !== ROOT),
  );
  return [...removed].map((id) => setRef(context, 'node', id, 'removed', null));
}
