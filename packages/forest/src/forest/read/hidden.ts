import { type NodeRecord, type RefRecord, ROOT } from '../../model/index.ts';
import type { Store } from '../../store/index.ts';
import { type ForestContext, makeRef } from '../context.ts';

/** Which of these nodes are themselves hidden: they were removed, or moved to another place. */
export async function findHidden(store: Store, ids: readonly string[]): Promise<Set<string>> {
  return new Set((await readHidingRefs(store, ids)).map(({ key }) => key));
}

/** What brings hidden nodes back that are written again: at this place they are no longer removed, nor moved. */
export async function makeUnhideRefs(context: ForestContext, ids: readonly string[]): Promise<RefRecord[]> {
  const refs = await readHidingRefs(
    context.store,
    ids.filter((id) => id !== ROOT),
  );
  return refs.map(({ key, name }) => makeRef(context, 'node', key, name, false));
}

/** What takes back the removal of these nodes. */
export function makeUnremoveRefs(context: ForestContext, hiding: readonly RefRecord[]): RefRecord[] {
  const removals = hiding.filter(({ name }) => name === 'removed');
  return removals.map(({ key }) => makeRef(context, 'node', key, 'removed', false));
}

/** For each record, whether it or a node above it is hidden. What records have above them in common is looked at once. */
export async function areHidden(store: Store, records: readonly NodeRecord[]): Promise<boolean[]> {
  const answers = new Map<string, boolean>([[ROOT, false]]);
  const own = await findHidden(
    store,
    records.map(({ id }) => id),
  );
  for (const { id, parent } of records.toSorted((a, b) => a.depth - b.depth)) {
    if (!answers.has(parent)) {
      const above = (await store.path(parent)).map((node) => node.id);
      const hidden = await findHidden(store, above);
      let isHidden = false;
      for (const one of above) {
        isHidden ||= hidden.has(one);
        answers.set(one, isHidden);
      }
    }
    answers.set(id, answers.get(parent) === true || own.has(id));
  }
  return records.map(({ id }) => answers.get(id) === true);
}

/** The refs that hide these nodes. */
export async function readHidingRefs(store: Store, ids: readonly string[]): Promise<RefRecord[]> {
  if (ids.length === 0) return [];
  const { items } = await store.refs({ on: 'node', keys: ids, names: ['removed', 'moved'], limit: ids.length * 2 });
  return items.filter(({ name, value }) => (name === 'moved' ? typeof value === 'string' : value === true));
}
