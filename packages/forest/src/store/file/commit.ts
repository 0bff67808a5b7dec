import type { StoreRecord } from '../../model/index.ts';
import { isEntry, keyOf } from '../key-of.ts';
import type { Place } from './columns.ts';
import { placeIn, placeOf, type Tables } from './tables.ts';

/** What of a batch has to be written: what is not there yet, each once. */
export function newRecords(tables: Tables, records: readonly StoreRecord[]): StoreRecord[] {
  const chosen = new Map<string, StoreRecord>();
  for (const record of records) {
    if (placeOf(tables, record)) continue;
    const key = keyIn(record);
    const there = chosen.get(key);
    if (!there) chosen.set(key, record);
    else if ('clock' in there && 'clock' in record && there.clock < record.clock) {
      // Behind what stands between the two, which it may name.
      chosen.delete(key);
      chosen.set(key, record);
    }
  }
  return [...chosen.values()];
}

/** Hashes of different kinds have different lengths; the other keys need their kind. */
function keyIn(record: StoreRecord): string {
  const isHash = record.k === 'node' || record.k === 'body' || record.k === 'take';
  return isHash ? keyOf(record) : `${record.k} ${keyOf(record)}`;
}

/** Where the things are that a batch relies on: what it names, and what makes a part of it needless. */
export function* reliedOn(tables: Tables, records: readonly StoreRecord[]): Generator<Place | undefined> {
  const { nodes, bodies } = tables;
  const body = (digest: unknown) =>
    typeof digest === 'string' ? placeIn(bodies.columns, bodies.rowOf(digest)) : undefined;
  const node = (id: string) => placeIn(nodes.columns, nodes.rowOf(id));
  for (const record of records) {
    yield placeOf(tables, record);
    if (record.k === 'node') {
      yield node(record.parent);
      yield body(record.body);
    } else if (record.k === 'take') {
      yield node(record.node);
      yield body(record.envelope);
      yield body(record.request?.manifest);
    } else if (record.k === 'ref') {
      // A register often holds the id of a node; what else its text may name, its writer has waited for.
      if (typeof record.value === 'string') yield node(record.value);
      yield node(record.key);
    } else if (record.k !== 'body' && isEntry(record)) yield node(record.of);
  }
}

/** Whether a batch hangs on a node that is not known. */
export function namesUnknown({ nodes }: Tables, records: readonly StoreRecord[]): boolean {
  const inBatch = new Set<string>();
  for (const record of records) {
    if (record.k !== 'node') continue;
    inBatch.add(record.id);
    const parent = nodes.rowOf(record.parent);
    if (parent !== 0 && !inBatch.has(record.parent) && !nodes.has(parent)) return true;
  }
  return false;
}
