import type { NodeRecord, RefRecord, StoreRecord, TakeRecord } from '../model/index.ts';
import { carriedRecords, carriedRefs, type RefMaker, revivingRefs } from './carry.ts';
import type { Context } from './context.ts';
import type { Place } from './make-records.ts';
import { groupBy } from './read-nodes.ts';
import { planMove } from './subtree.ts';
import type { Rehung } from './types.ts';

export interface Rehanging {
  /** What moves, with all below it. */
  readonly tops: readonly NodeRecord[];
  readonly onto: Place;
  readonly via: TakeRecord['via'];
  /** New nodes above the place, with their texts and takes. */
  readonly before?: readonly StoreRecord[];
  /** Nodes that others took the place of, and which. */
  readonly replaced?: ReadonlyMap<string, string>;
  /** Nodes that are removed in the same step. */
  readonly removed?: readonly string[];
}

const BATCH = 4000;

/**
 * Hangs subtrees below another place: one small record for each node, one for each of its takes, and a redirect from
 * the old id; texts are shared. All of it is one batch when that is not too large. Otherwise what is new stays hidden
 * until the last batch, which also redirects the tops: before that the old tree is what counts, and doing the same
 * again completes it.
 */
export async function rehang(context: Context, rehanging: Rehanging, batch = BATCH): Promise<Rehung> {
  const { tops, onto, via, before = [], replaced = [], removed = [] } = rehanging;
  const plan = await planMove(context.store, tops, onto);
  const above = before.filter((record) => record.k === 'node');
  const fresh = new Set([...above, ...plan.map(({ node }) => node)].map(({ id }) => id));
  const there = await statesOf(context, [...fresh]);
  const stateOf = (id: string) => there.get(id)!;
  const firstNew = above[0] ? [above[0]] : plan.map(({ node }) => node).filter(({ parent }) => parent === onto.id);
  const guarded = firstNew.filter(({ id }) => !stateOf(id).exists).map(({ id }) => id);

  const guard = refMaker(context);
  const ref = refMaker(context);
  // A new node may stand where an old one did: then that one is there, not elsewhere.
  const moves = [...replaced, ...plan.map(({ old, node }) => [old.id, node.id] as const)];
  const redirects = moves.filter(([old]) => !fresh.has(old));
  const lastIds = new Set([...guarded, ...tops.map(({ id }) => id), ...[...replaced].map(([old]) => old)]);
  const refs = [
    ...above.flatMap(({ id }) => revivingRefs(id, stateOf(id), ref)),
    ...plan.flatMap((moving) => carriedRefs(moving, stateOf(moving.node.id), ref)),
    ...redirects.map(([old, now]) => ref(old, 'moved', now)),
    ...removed.filter((id) => !fresh.has(id)).map((id) => ref(id, 'removed', true)),
  ];
  const isLast = ({ key, name }: RefRecord) => name === 'removed' || lastIds.has(key);
  const records = [...before, ...plan.flatMap((moving) => carriedRecords(moving, via))];
  const rehung = { moved: new Map(redirects) };
  if (records.length + refs.length <= batch) {
    await context.store.append([...records, ...refs]);
    return rehung;
  }
  const hiding = guarded.map((id) => guard(id, 'removed', true));
  const hidden = new Set(refs.filter(({ name }) => name === 'removed').map(({ key }) => key));
  const showing = guarded.filter((id) => !hidden.has(id)).map((id) => ref(id, 'removed', false));
  const early = [...records, ...refs.filter((one) => !isLast(one))];
  for (let start = 0; start < early.length; start += batch)
    await context.store.append([...early.slice(start, start + batch), ...(start === 0 ? hiding : [])]);
  await context.store.append([...refs.filter(isLast), ...showing]);
  return rehung;
}

/** Refs of one operation have one stamp: of two moves of the same nodes at the same time one counts for all of them. */
function refMaker({ clock }: Context): RefMaker {
  const stamp = clock.tick();
  return (key, name, value) => ({ k: 'ref', on: 'node', key, name, value, clock: stamp });
}

async function statesOf({ store }: Context, ids: readonly string[]) {
  if (ids.length === 0) return new Map();
  const [nodes, { items }] = await Promise.all([
    store.nodes(ids),
    store.refs({ on: 'node', keys: ids, limit: Number.MAX_SAFE_INTEGER }),
  ]);
  const refs = groupBy(items, ({ key }) => key);
  return new Map(ids.map((id, index) => [id, { exists: nodes[index] !== undefined, refs: refs.get(id) ?? [] }]));
}
