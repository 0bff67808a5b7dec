import type { StoreRecord } from '../model/index.ts';

/** What a record is known by: of two with the same key, one counts. */
export function keyOf(record: StoreRecord): string {
  if (record.k === 'body') return record.digest;
  if (record.k === 'ref') return `${record.on}/${record.key}/${record.name}`;
  return record.k === 'node' || record.k === 'take' ? record.id : `${record.k}/${record.id}`;
}
