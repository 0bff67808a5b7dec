import { type RefRecord, type StoreRecord, type TakeRecord, takeOf } from '../model/index.ts';
import type { Moving } from './subtree.ts';

export type RefMaker = (key: string, name: string, value: unknown) => RefRecord;

/** What is known of the id that a node will have. */
export interface State {
  readonly exists: boolean;
  readonly refs: readonly RefRecord[];
}

/** The node at its new place and its takes; its text is there already. */
export function carriedRecords({ old, node, takes }: Moving, via: TakeRecord['via']): StoreRecord[] {
  return [node, ...takes.map((take) => carriedTake(take, { node: node.id, via, from: old.id }))];
}

/** A take at another node, with all it says of the request and what that cost. It remembers which take it first was. */
export function carriedTake(
  { k: _, id, ...take }: TakeRecord,
  change: Pick<TakeRecord, 'node' | 'via' | 'from'> & Partial<Pick<TakeRecord, 'origin'>>,
): TakeRecord {
  const carried = take.carried ?? { take: id, via: take.via, ...(take.from !== undefined && { from: take.from }) };
  return takeOf({ ...take, ...change, carried });
}

/** What people said of a node follows it, unless something is said there already; so does that it was removed. */
export function carriedRefs({ refs, node }: Moving, there: State, ref: RefMaker): RefRecord[] {
  const known = new Set(there.refs.map(({ name }) => name));
  const marks = refs.filter(({ name }) => name !== 'removed' && name !== 'moved' && !known.has(name));
  const isShown = there.exists && !isRemoved(there.refs) && !isMoved(there.refs);
  return [
    ...marks.map(({ name, value }) => ref(node.id, name, value)),
    ...hidingRefs(node.id, there, isRemoved(refs) && !isShown, ref),
  ];
}

/** What makes a node visible that is written anew. */
export function revivingRefs(id: string, there: State, ref: RefMaker): RefRecord[] {
  return hidingRefs(id, there, false, ref);
}

function hidingRefs(id: string, { refs }: State, removed: boolean, ref: RefMaker): RefRecord[] {
  return [
    ...(isMoved(refs) ? [ref(id, 'moved', false)] : []),
    ...(isRemoved(refs) === removed ? [] : [ref(id, 'removed', removed)]),
  ];
}

function isRemoved(refs: readonly RefRecord[]): boolean {
  return refs.some(({ name, value }) => name === 'removed' && value === true);
}

function isMoved(refs: readonly RefRecord[]): boolean {
  return refs.some(({ name, value }) => name === 'moved' && typeof value === 'string');
}
