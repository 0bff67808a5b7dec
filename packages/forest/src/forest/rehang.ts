import type { NodeRecord, RefRecord, StoreRecord, TakeRecord } from '../model/index.ts';
import { carriedMarks, carriedRecords, hidingValues, isRemoved, type State } from './carry.ts';
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
  /** A node that others take the place of: their records, the upper one first, and the id that stands for it. */
  readonly replaced?: { readonly old: string; readonly now: string; readonly by: readonly StoreRecord[] };
  /** A node that is removed in the same step. */
  readonly removed?: string;
}

const BATCH = 4000;

/**
 * Hangs subtrees below another place: one small record for each node, one for each of its takes, and a redirect from
 * the old id; texts are shared. All of it is one batch when that is not too large. Otherwise what is new stays hidden
 * until the last batch, which also redirects the tops: before that the old tree is what counts, and doing the same
 * again completes it.
 */
export async function rehang(context: Context, rehanging: Rehanging, batch = BATCH): Promise<Rehung> {
  const { tops, onto, via, replaced, removed } = rehanging;
  const plan = await planMove(context.store, tops, onto);
  const above = (replaced?.by ?? []).filter((record) => record.k === 'node');
  const fresh = new Set([...above, ...plan.map(({ node }) => node)].map(({ id }) => id));
  const stateOf = await statesOf(context, [...fresh, ...(replaced ? [replaced.old] : [])]);

  const renamed = plan.map(({ old, node, refs }) => ({ old: old.id, now: node.id, refs }));
  if (replaced) renamed.push({ ...replaced, refs: stateOf(replaced.old).refs });
  // A new node may stand where an old one did: then that one is there, and not elsewhere.
  const redirects = renamed.filter(({ old }) => !fresh.has(old));
  const changes = [
    ...carriedMarks(renamed, stateOf),
    ...above.flatMap(({ id }, index) =>
      hidingValues(id, index === 0 && isRemoved(stateOf(replaced!.old).refs), stateOf(id)),
    ),
    ...plan.flatMap(({ node, refs }) => hidingValues(node.id, isRemoved(refs), stateOf(node.id))),
    ...redirects.map(({ old, now }) => ({ key: old, name: 'moved', value: now })),
    ...(removed !== undefined && !fresh.has(removed) ? [{ key: removed, name: 'removed', value: true }] : []),
  ];
  const records = [...(replaced?.by ?? []), ...plan.flatMap((moving) => carriedRecords(moving, via))];
  if (records.length + changes.length <= batch) await context.store.append([...records, ...refsOf(context, changes)]);
  else {
    const first = above[0] ? [above[0]] : plan.map(({ node }) => node).filter(({ parent }) => parent === onto.id);
    const lastKeys = [...tops.map(({ id }) => id), ...(replaced ? [replaced.old] : [])];
    await appendInParts(context, records, changes, {
      batch,
      guarded: first.filter(({ id }) => !stateOf(id).exists).map(({ id }) => id),
      isLast: ({ key, name }) => name === 'removed' || lastKeys.includes(key),
    });
  }
  return { moved: new Map(redirects.map(({ old, now }) => [old, now])) };
}

type Change = Pick<RefRecord, 'key' | 'name' | 'value'>;

async function appendInParts(
  context: Context,
  records: readonly StoreRecord[],
  changes: readonly Change[],
  parts: { batch: number; guarded: readonly string[]; isLast: (change: Change) => boolean },
): Promise<void> {
  const { batch, guarded, isLast } = parts;
  const guards = refsOf(
    context,
    guarded.map((key) => ({ key, name: 'removed', value: true })),
  );
  const last = changes.filter(isLast);
  const stillHidden = new Set(last.filter(({ name }) => name === 'removed').map(({ key }) => key));
  const shown = guarded.filter((key) => !stillHidden.has(key)).map((key) => ({ key, name: 'removed', value: false }));
  const early = [
    ...records,
    ...refsOf(
      context,
      changes.filter((change) => !isLast(change)),
    ),
  ];
  for (let start = 0; start < early.length; start += batch)
    await context.store.append([...early.slice(start, start + batch), ...(start === 0 ? guards : [])]);
  await context.store.append(refsOf(context, [...last, ...shown]));
}

/** Refs of one step have one stamp: of two moves of the same nodes at the same time one counts for all of them. */
function refsOf({ clock }: Context, changes: readonly Change[]): RefRecord[] {
  const stamp = clock.tick();
  return changes.map((change) => ({ k: 'ref', on: 'node', ...change, clock: stamp }));
}

async function statesOf({ store }: Context, ids: readonly string[]): Promise<(id: string) => State> {
  if (ids.length === 0) return () => ({ exists: false, refs: [] });
  const [nodes, { items }] = await Promise.all([
    store.nodes(ids),
    store.refs({ on: 'node', keys: ids, limit: Number.MAX_SAFE_INTEGER }),
  ]);
  const refs = groupBy(items, ({ key }) => key);
  const exists = new Set(nodes.map((node) => node?.id));
  return (id) => ({ exists: exists.has(id), refs: refs.get(id) ?? [] });
}
