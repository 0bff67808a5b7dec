import type { BodyRecord, EntryRecord, NodeRecord, RefRecord, StoreRecord, TakeRecord } from '../../model/index.ts';
import { isEntry, keyOf } from '../key-of.ts';

/** Records by kind, each once. */
export interface Batch {
  readonly nodes: readonly NodeRecord[];
  readonly bodies: readonly BodyRecord[];
  readonly takes: readonly TakeRecord[];
  readonly refs: readonly RefRecord[];
  readonly entries: readonly EntryRecord[];
  /** Of kinds that nobody knows. */
  readonly others: readonly StoreRecord[];
}

/**
 * Sorted by their key: two writers with the same records then wait for each other instead of blocking each other.
 * Nodes are sorted by depth first, so that parents come before their children.
 */
export function batchOf(records: readonly StoreRecord[]): Batch {
  const kinds = {
    node: new Map<string, NodeRecord>(),
    body: new Map<string, BodyRecord>(),
    take: new Map<string, TakeRecord>(),
    ref: new Map<string, RefRecord>(),
    entry: new Map<string, EntryRecord>(),
    other: new Map<string, StoreRecord>(),
  };
  for (const record of records) {
    if (record.k === 'node') keepFirst(kinds.node, record.id, record);
    else if (record.k === 'body') keepFirst(kinds.body, record.digest, record);
    else if (record.k === 'take') keepFirst(kinds.take, `${record.node}/${record.id}`, record);
    else if (record.k === 'ref') keepLatest(kinds.ref, keyOf(record), record);
    else if (isEntry(record)) keepLatest(kinds.entry, keyOf(record), record);
    else keepFirst(kinds.other, keyOf(record), record);
  }
  return {
    nodes: sorted(kinds.node).sort((a, b) => a.depth - b.depth),
    bodies: sorted(kinds.body),
    takes: sorted(kinds.take),
    refs: sorted(kinds.ref),
    entries: sorted(kinds.entry),
    others: sorted(kinds.other),
  };
}

/** Parts that one statement can carry. */
export function* partsOf(
  records: readonly StoreRecord[],
  most = 5000,
  largest = 16 * 2 ** 20,
): Generator<StoreRecord[]> {
  let part: StoreRecord[] = [];
  let size = 0;
  for (const record of records) {
    const length = record.k === 'body' ? record.text.length : 500;
    if (part.length > 0 && (part.length >= most || size + length > largest)) {
      yield part;
      part = [];
      size = 0;
    }
    part.push(record);
    size += length;
  }
  if (part.length > 0) yield part;
}

function sorted<T>(map: ReadonlyMap<string, T>): T[] {
  return [...map].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, record]) => record);
}

function keepFirst<T>(map: Map<string, T>, key: string, record: T): void {
  if (!map.has(key)) map.set(key, record);
}

function keepLatest<T extends { clock: string }>(map: Map<string, T>, key: string, record: T): void {
  const there = map.get(key);
  if (!there || there.clock < record.clock) map.set(key, record);
}
