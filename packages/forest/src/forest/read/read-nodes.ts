import { dialect, isSkeinError, type Message, type Role, type SkeinError } from '@skein/core';
import type { NodeRecord, RefRecord, TakeRecord } from '../../model/records.ts';
import type { Store } from '../../store/index.ts';
import { ForestError } from '../errors.ts';
import { areHidden } from './hidden.ts';

/** A message in the tree, with what is known of it. */
export interface ForestNode {
  readonly id: string;
  readonly parent: string;
  readonly depth: number;
  readonly role: Role;
  readonly at: number;
  readonly dialect: string;
  readonly message: Message;
  /** Oldest first. */
  readonly takes: readonly TakeRecord[];
  /** Including removed children. */
  readonly childCount: number;
  /** Whether the node or a node above it was removed. */
  readonly removed: boolean;
  readonly marks: Marks;
}

/** What people noted on a node. */
export interface Marks {
  readonly tags: readonly string[];
  readonly note?: string;
  /** From −5 (very bad) to 5 (very good). */
  readonly rating?: number;
}

/**
 * Reads nodes as they are shown, for records in any order. `hidden` saves reading the nodes above them. A damaged text is
 * an error.
 */
export async function readNodes(
  store: Store,
  records: readonly NodeRecord[],
  hidden?: readonly boolean[],
): Promise<ForestNode[]> {
  return (await nodeReaders(store, records, hidden)).map((read) => read());
}

/**
 * Reads nodes for a list and leaves out those whose text is damaged or missing; `store.problems()` names them.
 *
 * @example
 * const nodes = await readableNodes(forest.store, await forest.store.path(head));
 */
export async function readableNodes(
  store: Store,
  records: readonly NodeRecord[],
  hidden?: readonly boolean[],
): Promise<ForestNode[]> {
  return (await nodeReaders(store, records, hidden)).flatMap((read) => unlessDamaged(read) ?? []);
}

async function nodeReaders(
  store: Store,
  records: readonly NodeRecord[],
  hidden: readonly boolean[] | undefined,
): Promise<(() => ForestNode)[]> {
  const ids = records.map(({ id }) => id);
  const [bodies, takes, counts, marks, removed] = await Promise.all([
    store.bodies(records.map(({ body }) => body)),
    readTakes(store, ids),
    store.childCounts(ids),
    readMarks(store, ids),
    hidden ?? areHidden(store, records),
  ]);
  return records.map((record, index) => () => {
    const own = takes.get(record.id) ?? [];
    return {
      id: record.id,
      parent: record.parent,
      depth: record.depth,
      role: record.facts.role,
      at: record.at,
      dialect: record.dialect,
      message: readMessage(store, record, bodies[index], own),
      takes: own,
      childCount: counts[index]!,
      removed: removed[index]!,
      marks: marks.get(record.id) ?? { tags: [] },
    };
  });
}

/**
 * Reads the message of a node. Several issuers may have issued the same text: the origin is that of the take with the given
 * issuer, or else of the first take.
 */
export function readMessage(
  store: Pick<Store, 'problems'>,
  { id, dialect: dialectId, body, facts }: NodeRecord,
  raw: string | undefined,
  takes: readonly TakeRecord[],
  issuer?: string,
): Message {
  if (raw === undefined) throw textError(store, id, body);
  const take = takes.find(({ origin }) => origin.issuer === issuer) ?? takes[0];
  return dialect(dialectId).parseMessage(raw, take?.origin, { ...facts, digest: body });
}

function textError(store: Pick<Store, 'problems'>, id: string, body: string): ForestError {
  const damage = store.problems().find(({ subject }) => subject === body);
  if (!damage)
    return new ForestError(
      'unknown_body',
      id,
      `The text of node ${id} is not in the store: run fsck to see what is missing.`,
    );
  const why = `${damage.where}: ${damage.message}`;
  return new ForestError('damaged', id, `The text of node ${id} is damaged at ${why} Run fsck to list all damage.`);
}

/** Returns what `read` returns, or undefined when the text is damaged or missing. */
export function unlessDamaged<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (isDamage(error)) return undefined;
    throw error;
  }
}

/** Whether an error says that a text is damaged or missing. */
export function isDamage(error: unknown): error is SkeinError {
  return isSkeinError(error, 'damaged', 'unknown_body');
}

export async function readTakes(store: Store, ids: readonly string[]): Promise<Map<string, TakeRecord[]>> {
  return groupBy(await store.takes(ids), ({ node }) => node);
}

export async function readMarks(store: Store, ids: readonly string[]): Promise<Map<string, Marks>> {
  if (ids.length === 0) return new Map();
  const { items } = await store.refs({ on: 'node', keys: ids, limit: Number.MAX_SAFE_INTEGER });
  return new Map([...groupBy(items, ({ key }) => key)].map(([id, refs]) => [id, toMarks(refs)]));
}

/** Ratings go from −5 to 5. */
export const MOST_RATING = 5;

/**
 * A rating on the one scale that there is. Judges of earlier versions rated from 1 to 10: what is above 5 is theirs, and is
 * shown where it stands between −5 and 5.
 */
function readRating(stored: number): number {
  return stored > MOST_RATING ? Math.round(((stored - 5.5) / 4.5) * MOST_RATING * 10) / 10 : stored;
}

export function toMarks(refs: readonly RefRecord[]): Marks {
  const tags = refs.filter(({ name, value }) => name.startsWith('tag:') && value === true);
  const named = (name: string) => refs.find((ref) => ref.name === name)?.value;
  const note = named('note');
  const rating = named('rating');
  return {
    tags: tags.map(({ name }) => name.slice('tag:'.length)).sort(),
    ...(typeof note === 'string' && { note }),
    ...(typeof rating === 'number' && { rating: readRating(rating) }),
  };
}

export function groupBy<T>(items: readonly T[], keyOf: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const group = groups.get(keyOf(item));
    if (group) group.push(item);
    else groups.set(keyOf(item), [item]);
  }
  return groups;
}
