import { createTake } from '../../model/ids.ts';
import type { NodeRecord, RefRecord, StoreRecord, TakeRecord } from '../../model/records.ts';
import type { Store } from '../../store/index.ts';
import type { ForestContext } from '../context.ts';
import { allItems, allPages } from '../pages.ts';
import { groupBy, readMessage, readTakes } from '../read/read-nodes.ts';
import { followRedirects } from '../read/resolve.ts';
import { type AppendPoint, makeNodeRecords, readAppendPoint } from './append-point.ts';

/** What a move changed. It costs one small record for each moved node. */
export interface MoveResult {
  /** New ids by old ids. The old ids still resolve. */
  readonly moved: ReadonlyMap<string, string>;
}

export interface ReparentRequest {
  /** The roots of the subtrees to move. */
  readonly tops: readonly NodeRecord[];
  readonly onto: AppendPoint;
  readonly via: TakeRecord['via'];
  /** A node to replace: the records of its replacements, upper one first, and the id that its former id leads to. */
  readonly replaced?: { readonly old: string; readonly now: string; readonly by: readonly StoreRecord[] };
  /** A node to remove in the same step. */
  readonly removed?: string;
}

const WRITTEN_AT_ONCE = 4000;

/**
 * Moves subtrees to another append point. It writes a node record and the takes of each node again, and a redirect from the
 * old id; texts are shared. A small move is one batch. A large one is written in parts whose nodes stay hidden until the
 * last batch, which has all redirects: until then the old tree counts, and repeating the move completes it.
 */
export async function reparent(
  context: ForestContext,
  request: ReparentRequest,
  batch = WRITTEN_AT_ONCE,
): Promise<MoveResult> {
  const { tops, onto, via, replaced, removed } = request;
  const plan = await planMove(context.store, tops, onto);
  const above = (replaced?.by ?? []).filter((record) => record.k === 'node');
  const nodes = [...above, ...plan.map(({ node }) => node)];
  const fresh = new Set(nodes.map(({ id }) => id));
  const leaving = [replaced?.old, removed].filter((id) => id !== undefined);
  const stateOf = await readStates(context, [...fresh, ...leaving]);
  const shown = findShown(nodes, stateOf);

  const renamed = plan.map(({ old, node, refs }) => ({ old: old.id, now: node.id, refs }));
  if (replaced) renamed.push({ ...replaced, refs: stateOf(replaced.old).refs });
  // The new id of one node may be the old id of another: then that id needs no redirect.
  const redirects = renamed.filter(({ old }) => !fresh.has(old));
  const wasRemoved = new Set(plan.filter(({ refs }) => isRemoved(refs)).map(({ node }) => node.id));
  if (replaced && isRemoved(stateOf(replaced.old).refs)) wasRemoved.add(above[0]!.id);
  const changes = [
    ...carryMarks(renamed, stateOf),
    ...nodes.flatMap(({ id }) => makeHidingChanges(id, wasRemoved.has(id), stateOf(id), shown.has(id))),
    ...redirects.map(({ old, now }) => ({ key: old, name: 'moved', value: now })),
    ...(removed !== undefined && !fresh.has(removed) ? [{ key: removed, name: 'removed', value: true }] : []),
  ];
  const groups = [replaced?.by ?? [], ...plan.map((moving) => makeMovedRecords(moving, via))];
  const size = groups.reduce((sum, { length }) => sum + length, changes.length);
  if (size <= batch) await context.store.append([...groups.flat(), ...makeRefs(context, changes)]);
  else {
    const isNew = (id: string) => fresh.has(id) && !stateOf(id).exists;
    const guarded = nodes.filter(({ id, parent }) => isNew(id) && !isNew(parent)).map(({ id }) => id);
    await appendInParts(context, groups, changes, new Set(guarded), batch);
  }
  return { moved: new Map(redirects.map(({ old, now }) => [old, now])) };
}

type RefChange = Pick<RefRecord, 'key' | 'name' | 'value'>;

/** `guarded` are the topmost new nodes: each is written hidden, and the last batch shows them. */
async function appendInParts(
  context: ForestContext,
  groups: readonly (readonly StoreRecord[])[],
  changes: readonly RefChange[],
  guarded: ReadonlySet<string>,
  batch: number,
): Promise<void> {
  const hide = (key: string, value: boolean): RefChange => ({ key, name: 'removed', value });
  let part: StoreRecord[] = [];
  for (const group of groups) {
    if (part.length > 0 && part.length + group.length > batch) {
      await context.store.append(part);
      part = [];
    }
    const hidden = group.filter((record) => record.k === 'node' && guarded.has(record.id)) as NodeRecord[];
    part.push(
      ...group,
      ...makeRefs(
        context,
        hidden.map(({ id }) => hide(id, true)),
      ),
    );
  }
  await context.store.append(part);
  const told = new Set(changes.filter(({ name }) => name === 'removed').map(({ key }) => key));
  const shown = [...guarded].filter((key) => !told.has(key)).map((key) => hide(key, false));
  await context.store.append(makeRefs(context, [...changes, ...shown]));
}

/** All refs of a move have one stamp, so that of two simultaneous moves the same one wins for every node. */
function makeRefs({ clock }: ForestContext, changes: readonly RefChange[]): RefRecord[] {
  const stamp = clock.tick();
  return changes.map((change) => ({ k: 'ref', on: 'node', ...change, clock: stamp }));
}

async function readStates({ store }: ForestContext, ids: readonly string[]): Promise<(id: string) => NodeState> {
  if (ids.length === 0) return () => ({ exists: false, refs: [] });
  const [nodes, { items }] = await Promise.all([
    store.nodes(ids),
    store.refs({ on: 'node', keys: ids, limit: Number.MAX_SAFE_INTEGER }),
  ]);
  const refs = groupBy(items, ({ key }) => key);
  const exists = new Set(nodes.map((node) => node?.id));
  return (id) => ({ exists: exists.has(id), refs: refs.get(id) ?? [] });
}

/** A node and the record it gets at its new place. */
interface NodeMove {
  readonly old: NodeRecord;
  readonly node: NodeRecord;
  readonly takes: readonly TakeRecord[];
  /** The refs of the old node: its marks, and whether it was removed. */
  readonly refs: readonly RefRecord[];
}

const READ_AT_ONCE = 500;

/**
 * Plans the move of subtrees, parents first. Everything is read before anything is written, because a new id may equal an
 * old one. Nodes that were moved away earlier are left out.
 */
async function planMove(store: Store, tops: readonly NodeRecord[], onto: AppendPoint): Promise<NodeMove[]> {
  const plan: NodeMove[] = [];
  let front: readonly (readonly [NodeRecord, AppendPoint])[] = tops.map((top) => [top, onto] as const);
  while (front.length > 0) {
    const below: (readonly [NodeRecord, AppendPoint])[] = [];
    for (let start = 0; start < front.length; start += READ_AT_ONCE) {
      const made = await planBatch(store, front.slice(start, start + READ_AT_ONCE));
      for (const { moving } of made) plan.push(moving);
      const counts = await store.childCounts(made.map(({ moving }) => moving.old.id));
      for (const [index, { moving, point }] of made.entries()) {
        if (counts[index] === 0) continue;
        for await (const child of allItems((page) => store.children(moving.old.id, page))) below.push([child, point]);
      }
    }
    front = below;
  }
  return plan;
}

async function planBatch(store: Store, batch: readonly (readonly [NodeRecord, AppendPoint])[]) {
  const ids = batch.map(([{ id }]) => id);
  const [bodies, takes, { items }] = await Promise.all([
    store.bodies(batch.map(([{ body }]) => body)),
    readTakes(store, ids),
    store.refs({ on: 'node', keys: ids, limit: Number.MAX_SAFE_INTEGER }),
  ]);
  const refs = groupBy(items, ({ key }) => key);
  return batch.flatMap(([old, onto], index) => {
    const own = takes.get(old.id) ?? [];
    const { node, next } = makeNodeRecords(onto, readMessage(store, old, bodies[index], own), old.at);
    const oldRefs = refs.get(old.id) ?? [];
    const moved = oldRefs.find(({ name }) => name === 'moved')?.value;
    if (typeof moved === 'string') return [];
    return [{ moving: { old, node, takes: own, refs: oldRefs }, point: next }];
  });
}

/**
 * Moves stragglers: nodes that another process appended below the old id of a node while it was being moved. They go below
 * the present id. `olds` are nodes that may have been moved.
 */
export async function moveStragglers(context: ForestContext, olds: readonly string[]): Promise<Map<string, string>> {
  const { store } = context;
  const moved = new Map<string, string>();
  const now = await followRedirects(store, olds);
  const parents = olds.filter((id) => now.get(id) !== id);
  const counts = await store.childCounts(parents);
  for (const [index, parent] of parents.entries()) {
    if (counts[index] === 0) continue;
    const tops = await findStragglers(store, parent);
    const target = now.get(parent)!;
    // The target may have been deleted by gc.
    if (tops.length === 0 || !(await store.nodes([target]))[0]) continue;
    const onto = await readAppendPoint(store, target);
    for (const [old, id] of (await reparent(context, { tops, onto, via: 'graft' })).moved) moved.set(old, id);
  }
  return moved;
}

/** Moves the stragglers of every node that was ever moved. */
export async function moveAllStragglers(context: ForestContext): Promise<Map<string, string>> {
  const moved = new Map<string, string>();
  for await (const refs of allPages((page) => context.store.refs({ on: 'node', names: ['moved'], ...page }))) {
    const olds = refs.filter(({ value }) => typeof value === 'string').map(({ key }) => key);
    for (const [old, id] of await moveStragglers(context, olds)) moved.set(old, id);
  }
  return moved;
}

/** Finds the children that were not moved with their parent. */
async function findStragglers(store: Store, parent: string): Promise<NodeRecord[]> {
  const left: NodeRecord[] = [];
  for await (const child of allItems((page) => store.children(parent, page))) left.push(child);
  const ids = left.map(({ id }) => id);
  const { items } = await store.refs({ on: 'node', keys: ids, names: ['moved'], limit: ids.length + 1 });
  const gone = new Set(items.filter(({ value }) => typeof value === 'string').map(({ key }) => key));
  return left.filter(({ id }) => !gone.has(id));
}

/** Whether an id exists, and its refs. */
interface NodeState {
  readonly exists: boolean;
  readonly refs: readonly RefRecord[];
}

/** A node whose id changes, with the refs of its old id. */
interface IdChange {
  readonly old: string;
  readonly now: string;
  readonly refs: readonly RefRecord[];
}

/** The records of a node at its new place. Its text is stored already. */
function makeMovedRecords({ old, node, takes }: NodeMove, via: TakeRecord['via']): StoreRecord[] {
  return [node, ...takes.map((take) => carryTake(take, { node: node.id, via, from: old.id }))];
}

/** Copies a take to another node, with its request and its cost. The copy names the original take. */
export function carryTake(
  { k: _, id, ...take }: TakeRecord,
  change: Pick<TakeRecord, 'node' | 'via' | 'from'> & Partial<Pick<TakeRecord, 'origin'>>,
): TakeRecord {
  const carried = take.carried ?? { take: id, via: take.via, ...(take.from !== undefined && { from: take.from }) };
  return createTake({ ...take, ...change, carried });
}

/**
 * Moves marks from the old id to the new one, unless the new one has a mark of that name, and unsets them on the old id.
 * The old id may be the new id of another node.
 */
function carryMarks(
  renamed: readonly IdChange[],
  stateOf: (id: string) => NodeState,
): { readonly key: string; readonly name: string; readonly value: unknown }[] {
  const leaving = new Set(renamed.map(({ old }) => old));
  const values = new Map<string, { key: string; name: string; value: unknown }>();
  const put = (key: string, name: string, value: unknown) => values.set(`${key} ${name}`, { key, name, value });
  const said = (refs: readonly RefRecord[]) => refs.filter(({ name, value }) => isMark(name) && value !== false);
  for (const { old, refs } of renamed) for (const { name } of said(refs)) put(old, name, false);
  for (const { now, refs } of renamed) {
    const there = leaving.has(now) ? [] : said(stateOf(now).refs);
    for (const { name, value } of said(refs)) if (!there.some((ref) => ref.name === name)) put(now, name, value);
  }
  return [...values.values()];
}

/** The changes that hide or show a node at its new place: it stays removed if it was, unless it is shown there already. */
function makeHidingChanges(
  key: string,
  wasRemoved: boolean,
  { refs }: NodeState,
  isShown: boolean,
): { readonly key: string; readonly name: string; readonly value: boolean }[] {
  const removed = wasRemoved && !isShown;
  return [
    ...(isMoved(refs) ? [{ key, name: 'moved', value: false }] : []),
    ...(isRemoved(refs) === removed ? [] : [{ key, name: 'removed', value: removed }]),
  ];
}

/**
 * Finds which of the nodes to be written exist and are shown already. A node below a hidden one does not count: an
 * interrupted move may have left it.
 */
function findShown(
  nodes: readonly { readonly id: string; readonly parent: string }[],
  stateOf: (id: string) => NodeState,
): Set<string> {
  const own = new Set(nodes.map(({ id }) => id));
  const shown = new Set<string>();
  for (const { id, parent } of nodes) {
    const { exists, refs } = stateOf(id);
    if (exists && !isRemoved(refs) && !isMoved(refs) && (shown.has(parent) || !own.has(parent))) shown.add(id);
  }
  return shown;
}

function isRemoved(refs: readonly RefRecord[]): boolean {
  return refs.some(({ name, value }) => name === 'removed' && value === true);
}

function isMoved(refs: readonly RefRecord[]): boolean {
  return refs.some(({ name, value }) => name === 'moved' && typeof value === 'string');
}

/** Whether a ref is a mark that people set. What was computed for a history, such as a checkpoint, is not carried to another. */
function isMark(name: string): boolean {
  return name.startsWith('tag:') || name === 'note' || name === 'rating';
}
