import type { NodeRecord, RefRecord, TakeRecord } from '../model/index.ts';
import type { Store } from '../store/index.ts';
import { makeRecords, type Place } from './make-records.ts';
import { everyItem } from './pages.ts';
import { groupBy, messageOf, takesByNode } from './read-nodes.ts';

/** A node and what it becomes below another place. */
export interface Moving {
  readonly old: NodeRecord;
  readonly node: NodeRecord;
  readonly takes: readonly TakeRecord[];
  /** What is said of the old one: marks, whether it was removed. */
  readonly refs: readonly RefRecord[];
}

const BATCH = 500;

/**
 * What nodes and all below them become under another place, parents first. Read as a whole before anything is
 * written, because new nodes may stand where old ones do. What was moved away earlier is no longer part of it.
 */
export async function planMove(store: Store, tops: readonly NodeRecord[], onto: Place): Promise<Moving[]> {
  const plan: Moving[] = [];
  let front: readonly (readonly [NodeRecord, Place])[] = tops.map((top) => [top, onto] as const);
  while (front.length > 0) {
    const below: (readonly [NodeRecord, Place])[] = [];
    for (let start = 0; start < front.length; start += BATCH) {
      const made = await planBatch(store, front.slice(start, start + BATCH));
      for (const { moving } of made) plan.push(moving);
      const counts = await store.childCounts(made.map(({ moving }) => moving.old.id));
      for (const [index, { moving, place }] of made.entries()) {
        if (counts[index] === 0) continue;
        for await (const child of everyItem((page) => store.children(moving.old.id, page))) below.push([child, place]);
      }
    }
    front = below;
  }
  return plan;
}

async function planBatch(store: Store, batch: readonly (readonly [NodeRecord, Place])[]) {
  const ids = batch.map(([{ id }]) => id);
  const [bodies, takes, { items }] = await Promise.all([
    store.bodies(batch.map(([{ body }]) => body)),
    takesByNode(store, ids),
    store.refs({ on: 'node', keys: ids, limit: Number.MAX_SAFE_INTEGER }),
  ]);
  const refs = groupBy(items, ({ key }) => key);
  return batch.flatMap(([old, onto], index) => {
    const own = takes.get(old.id) ?? [];
    const { node, next } = makeRecords(onto, messageOf(store, old, bodies[index], own), old.at);
    const said = refs.get(old.id) ?? [];
    const moved = said.find(({ name }) => name === 'moved')?.value;
    if (typeof moved === 'string') return [];
    return [{ moving: { old, node, takes: own, refs: said }, place: next }];
  });
}
