import { createTake, type EntryRecord, nodeId, type RefRecord, type StoreRecord, sha256 } from '../model/index.ts';
import type { Change } from './store.ts';

/** What a record is known by: of two of a kind with the same key, one counts. */
export function recordKey(record: StoreRecord): string {
  if (record.k === 'body') return record.digest;
  if (record.k === 'node' || record.k === 'take') return record.id;
  if (record.k === 'ref') return refKey(record);
  // Nobody knows what names it but all of it.
  return isEntry(record) ? `${record.k}/${record.id}` : JSON.stringify(record);
}

/** `on/key/name`; slashes in the key are escaped, so that no two registers have the same key. */
export function refKey({ on, key, name }: Pick<RefRecord, 'on' | 'key' | 'name'>): string {
  return `${on}/${/[/%]/.test(key) ? key.replaceAll('%', '%25').replaceAll('/', '%2F') : key}/${name}`;
}

/** Whether a record of another kind than node, body, take and ref can be found as an entry. */
export function isEntry(record: object): record is EntryRecord {
  const { id, of, order, clock } = record as Partial<Record<keyof EntryRecord, unknown>>;
  return [id, of, order, clock].every((member) => typeof member === 'string');
}

/** What a reader is told of a record that is new. */
export function toChange(record: StoreRecord): Change {
  if (record.k === 'take') return { kind: 'take', key: record.id, of: record.node };
  if (record.k === 'ref' || record.k === 'node' || record.k === 'body')
    return { kind: record.k, key: recordKey(record) };
  return isEntry(record)
    ? { kind: record.k, key: record.id, of: record.of }
    : { kind: (record as StoreRecord).k, key: recordKey(record) };
}

/** What is wrong with a record by the hash that names it; undefined when it holds, and for kinds that have none. */
export function hashFault(record: StoreRecord): string | undefined {
  switch (record.k) {
    case 'body':
      return sha256(record.text) === record.digest ? undefined : `The text of body ${record.digest} has another hash.`;
    case 'take': {
      const { k: _, id, ...facts } = record;
      return createTake(facts).id === id ? undefined : `Take ${id} has another hash.`;
    }
    case 'node': {
      const { id, parent, dialect, body } = record;
      return nodeId(parent, dialect, body) === id ? undefined : `Node ${id} does not have the id of what it says.`;
    }
    default:
      return undefined;
  }
}
