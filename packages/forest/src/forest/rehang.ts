import type { NodeRecord, RefRecord, StoreRecord, TakeRecord } from '../model/index.ts';
import { carriedMarks, carriedRecords, hidingValues, isRemoved, type State, shownAmong } from './carry.ts';
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
 * the old id; texts are shared. All of it is one batch when that is not too large. Otherwise nodes are written in
 * parts and stay hidden until the last batch, which has all the redirects: before that the old tree is what counts, and
 * doing the same again completes the move.
 */
export async function rehang(context: Context, rehanging: Rehanging, batch = BATCH): Promise<Rehung> {
  const { tops, onto, via, replaced, removed } = rehanging;
  const plan = await planMove(context.store, tops, onto);
  const above = (replaced?.by ?? []).filter((record) => record.k === 'node');
  const nodes = [...above, ...plan.map(({ node }) => node)];
  const fresh = new Set(nodes.map(({ id }) => id));
  const leaving = [replaced?.old, removed].filter((id) => id !== undefined);
  const stateOf = await statesOf(context, [...fresh, ...leaving]);
  const shown = shownAmong(nodes, stateOf);

  const renamed = plan.map(({ old, node, refs }) => ({ old: old.id, now: node.id, refs }));
  if (replaced) renamed.push({ ...replaced, refs: stateOf(replaced.old).refs });
  // A new node may stand where an old one did: then that one is there, and not elsewhere.
  const redirects = renamed.filter(({ old }) => !fresh.has(old));
  const wasRemoved = new Set(plan.filter(({ refs }) => isRemoved(refs)).map(({ node }) => node.id));
  if (replaced && isRemoved(stateOf(replaced.old).refs)) wasRemoved.add(above[0]!.id);
  const changes = [
    ...carriedMarks(renamed, stateOf),
    ...nodes.flatMap(({ id }) => hidingValues(id, wasRemoved.has(id), stateOf(id), shown.has(id))),
    ...redirects.map(({ old, now }) => ({ key: old, name: 'moved', value: now })),
    ...(removed !== undefined && !fresh.has(removed) ? [{ key: removed, name: 'removed', value: true }] : []),
  ];
  const groups = [replaced?.by ?? [], ...plan.map((moving) => carriedRecords(moving, via))];
  const size = groups.reduce((sum, { length }) => sum + length, changes.length);
  if (size <= batch) await context.store.append([...groups.flat(), ...refsOf(context, changes)]);
  else {
    const isNew = (id: string) => fresh.has(id) && !stateOf(id).exists;
    const guarded = nodes.filter(({ id, parent }) => isNew(id) && !isNew(parent)).map(({ id }) => id);
    await appendInParts(context, groups, changes, new Set(guarded), batch);
  }
  return { moved: new Map(redirects.map(({ old, now }) => [old, now])) };
}

type Change = Pick<RefRecord, 'key' | 'name' | 'value'>;

/** `guarded` are new nodes that nothing new stands above: each is hidden in the batch that brings it, and shown last. */
async function appendInParts(
  context: Context,
  groups: readonly (readonly StoreRecord[])[],
  changes: readonly Change[],
  guarded: ReadonlySet<string>,
  batch: number,
): Promise<void> {
  const hide = (key: string, value: boolean): Change => ({ key, name: 'removed', value });
  let part: StoreRecord[] = [];
  for (const group of groups) {
    if (part.length > 0 && part.length + group.length > batch) {
      await context.store.append(part);
      part = [];
    }
    const hidden = group.filter((record) => record.k === 'node' && guarded.has(record.id)) as NodeRecord[];
    part.push(
      ...group,
      ...refsOf(
        context,
        hidden.map(({ id }) => hide(id, true)),
      ),
    );
  }
  await context.store.append(part);
  const told = new Set(changes.filter(({ name }) => name === 'removed').map(({ key }) => key));
  const shown = [...guarded].filter((key) => !told.has(key)).map((key) => hide(key, false));
  await context.store.append(refsOf(context, [...changes, ...shown]));
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
