import { type RefRecord, type StoreRecord, type TakeRecord, takeOf } from '../model/index.ts';
import type { Moving } from './subtree.ts';

/** What is known of an id. */
export interface State {
  readonly exists: boolean;
  readonly refs: readonly RefRecord[];
}

/** A node whose id changes, and what is said of it under the old one. */
export interface Renamed {
  readonly old: string;
  readonly now: string;
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

/**
 * New values of the marks: what people said of a node follows it, unless something else is said there already, and is
 * no longer said of the old id. That id may be the new one of another node.
 */
export function carriedMarks(
  renamed: readonly Renamed[],
  stateOf: (id: string) => State,
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

/** New values of what hides a node, at a place where it is written: removed only if it was, and is not shown there. */
export function hidingValues(
  key: string,
  wasRemoved: boolean,
  { refs }: State,
  isShown: boolean,
): { readonly key: string; readonly name: string; readonly value: boolean }[] {
  const removed = wasRemoved && !isShown;
  return [
    ...(isMoved(refs) ? [{ key, name: 'moved', value: false }] : []),
    ...(isRemoved(refs) === removed ? [] : [{ key, name: 'removed', value: removed }]),
  ];
}

/**
 * Which of the nodes to be written are there and shown already. What hangs below one that is hidden is not: it may be
 * what an interrupted move left.
 */
export function shownAmong(
  nodes: readonly { readonly id: string; readonly parent: string }[],
  stateOf: (id: string) => State,
): Set<string> {
  const own = new Set(nodes.map(({ id }) => id));
  const shown = new Set<string>();
  for (const { id, parent } of nodes) {
    const { exists, refs } = stateOf(id);
    if (exists && !isRemoved(refs) && !isMoved(refs) && (shown.has(parent) || !own.has(parent))) shown.add(id);
  }
  return shown;
}

export function isRemoved(refs: readonly RefRecord[]): boolean {
  return refs.some(({ name, value }) => name === 'removed' && value === true);
}

function isMoved(refs: readonly RefRecord[]): boolean {
  return refs.some(({ name, value }) => name === 'moved' && typeof value === 'string');
}

/** What people said. What was worked out for a history, such as a checkpoint, does not hold for another one. */
function isMark(name: string): boolean {
  return name.startsWith('tag:') || name === 'note' || name === 'rating';
}
