import { ROOT } from '../../model/ids.ts';
import type { NodeRecord, RefRecord } from '../../model/records.ts';
import type { Store } from '../../store/index.ts';
import { type ForestContext, makeRef } from '../context.ts';

/** Finds which of these nodes are hidden themselves, because they were removed or moved. */
export async function findHidden(store: Store, ids: readonly string[]): Promise<Set<string>> {
  return new Set((await readHidingRefs(store, ids)).map(({ key }) => key));
}

/** Makes the refs that show hidden nodes again which are about to be written. */
export async function makeUnhideRefs(context: ForestContext, ids: readonly string[]): Promise<RefRecord[]> {
  const refs = await readHidingRefs(
    context.store,
    ids.filter((id) => id !== ROOT),
  );
  return refs.map(({ key, name }) => makeRef(context, 'node', key, name, false));
}

/** Makes the refs that undo removals. */
export function makeUnremoveRefs(context: ForestContext, hiding: readonly RefRecord[]): RefRecord[] {
  const removals = hiding.filter(({ name }) => name === 'removed');
  return removals.map(({ key }) => makeRef(context, 'node', key, 'removed', false));
}

/** Says for each record whether it or a node above it is hidden. Paths that records share are read once. */
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

/** Reads the refs that hide these nodes. */
export async function readHidingRefs(store: Store, ids: readonly string[]): Promise<RefRecord[]> {
  if (ids.length === 0) return [];
  const { items } = await store.refs({ on: 'node', keys: ids, names: ['removed', 'moved'], limit: ids.length * 2 });
  return items.filter(isHiding);
}

/** Whether a register hides its node. */
export function isHiding({ name, value }: RefRecord): boolean {
  return name === 'moved' ? typeof value === 'string' : value === true;
}
