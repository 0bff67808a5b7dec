import type { NodeRecord, StoreRecord } from '../model/index.ts';
import type { Store } from '../store/index.ts';
import { isAtOrBelow } from './below.ts';
import { carriedTake } from './carry.ts';
import { ForestError } from './errors.ts';
import { makeRecords, type Place } from './make-records.ts';
import { messageOf, takesByNode } from './read-nodes.ts';
import { recordOf } from './resolve.ts';

/** What stands behind a node up to another one; none when that is the node itself. */
export async function pathBehind(store: Store, node: NodeRecord, to: string): Promise<NodeRecord[]> {
  const end = await recordOf(store, to);
  if (!(await isAtOrBelow(store, end, node)))
    throw new ForestError('not_above', end.id, `Node ${end.id} is not below ${node.id}: there is nothing to carry.`);
  return store.path(end.id, node.id);
}

/** The same messages once more below a place: exact texts, with who wrote them and what that cost. */
export async function copyPath(
  store: Store,
  path: readonly NodeRecord[],
  onto: Place,
): Promise<{ readonly records: readonly StoreRecord[]; readonly ids: readonly string[] }> {
  const [bodies, takes] = await Promise.all([
    store.bodies(path.map(({ body }) => body)),
    takesByNode(
      store,
      path.map(({ id }) => id),
    ),
  ]);
  const records: StoreRecord[] = [];
  const ids: string[] = [];
  let here = onto;
  for (const [index, old] of path.entries()) {
    const own = takes.get(old.id) ?? [];
    const { node, next } = makeRecords(here, messageOf(store, old, bodies[index], own), old.at);
    records.push(node, ...own.map((take) => carriedTake(take, { node: node.id, via: 'edit', from: old.id })));
    ids.push(node.id);
    here = next;
  }
  return { records, ids };
}
