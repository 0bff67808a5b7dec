import { createTake, nodeId, sha256 } from '../model/ids.ts';
import type { EntryRecord, RefRecord, StoreRecord } from '../model/records.ts';
import type { Change } from './store.ts';

/**
 * The key of a record: of two records of a kind with the same key, one counts.
 *
 * @example
 * recordKey(node) === node.id;
 */
export function recordKey(record: StoreRecord): string {
  if (record.k === 'body') return record.digest;
  if (record.k === 'node' || record.k === 'take') return record.id;
  if (record.k === 'ref') return refKey(record);
  // A record of an unknown kind is identified by all of its text.
  return isEntry(record) ? `${record.k}/${record.id}` : JSON.stringify(record);
}

/**
 * The key of a register, `on/key/name`, with slashes in `key` escaped, so that it is unique.
 *
 * @example
 * refKey({ on: 'thread', key: 'a/b', name: 'title' }); // 'thread/a%2Fb/title'
 */
export function refKey({ on, key, name }: Pick<RefRecord, 'on' | 'key' | 'name'>): string {
  return `${on}/${/[/%]/.test(key) ? key.replaceAll('%', '%25').replaceAll('/', '%2F') : key}/${name}`;
}

/**
 * Whether a record of another kind than node, body, take and ref can be queried as an entry.
 *
 * @example
 * if (isEntry(record)) entries.put(record);
 */
export function isEntry(record: object): record is EntryRecord {
  const { id, of, order, clock } = record as Partial<Record<keyof EntryRecord, unknown>>;
  return typeof id === 'string' && typeof of === 'string' && typeof order === 'string' && typeof clock === 'string';
}

/** Whether a value has the members that the index needs. Other members are not checked. */
export function isRecord(value: object): value is StoreRecord {
  const record = value as Record<string, unknown>;
  if ('~' in record || '#' in record) return false;
  switch (record.k) {
    case 'node':
      return (
        isHex(record.id, 40) &&
        isHex(record.parent, 40) &&
        isHex(record.lead, 40) &&
        isHex(record.body, 64) &&
        typeof record.echo === 'string' &&
        typeof record.dialect === 'string' &&
        typeof record.at === 'number' &&
        Number.isInteger(record.depth) &&
        typeof (record.facts as { role?: unknown } | undefined)?.role === 'string'
      );
    case 'body':
      return isHex(record.digest, 64) && typeof record.text === 'string';
    case 'take':
      return isHex(record.id, 32) && isHex(record.node, 40) && typeof record.at === 'number';
    case 'ref':
      return [record.on, record.key, record.name, record.clock].every((member) => typeof member === 'string');
    case 'generation':
    case 'event':
    case 'exchange':
    case 'tool-journal':
      return isEntry(record);
    default:
      return typeof record.k === 'string';
  }
}

function isHex(value: unknown, length: number): boolean {
  return typeof value === 'string' && value.length === length && /^[0-9a-f]*$/.test(value);
}

/**
 * The change that a new record means for readers.
 *
 * @example
 * log.add(toChange(record));
 */
export function toChange(record: StoreRecord): Change {
  if (record.k === 'take') return { kind: 'take', key: record.id, of: record.node };
  if (record.k === 'ref' || record.k === 'node' || record.k === 'body')
    return { kind: record.k, key: recordKey(record) };
  return isEntry(record)
    ? { kind: record.k, key: record.id, of: record.of }
    : { kind: (record as StoreRecord).k, key: recordKey(record) };
}

/**
 * Checks a record against the hash in its key; undefined if it is right, or if its kind has none.
 *
 * @example
 * const fault = hashFault({ k: 'body', digest, text });
 */
export function hashFault(record: StoreRecord): string | undefined {
  switch (record.k) {
    case 'body':
      return sha256(record.text) === record.digest
        ? undefined
        : `The text of body ${record.digest} does not match its digest.`;
    case 'take': {
      const { k: _, id, ...facts } = record;
      return createTake(facts).id === id ? undefined : `Take ${id} does not match its id.`;
    }
    case 'node': {
      const { id, parent, dialect, body } = record;
      return nodeId(parent, dialect, body) === id ? undefined : `Node ${id} does not match its id.`;
    }
    default:
      return undefined;
  }
}
