import type { EntryRecord, NodeRecord, RefRecord, StoreRecord, TakeRecord } from '../../model/index.ts';
import { createEntryTable } from '../entry-table.ts';
import { isEntry, keyOf } from '../key-of.ts';
import { createRegisterTable, type Register } from '../register-table.ts';

export type Tables = ReturnType<typeof createTables>;

interface HeldRef extends Register {
  readonly record: RefRecord;
}

export function createTables() {
  return {
    nodes: new Map<string, NodeRecord>(),
    /** As they came: parents before their children. */
    order: [] as NodeRecord[],
    children: new Map<string, NodeRecord[]>(),
    echoes: new Map<string, NodeRecord[]>(),
    bodies: new Map<string, string>(),
    takes: new Map<string, TakeRecord[]>(),
    refs: createRegisterTable<HeldRef>(),
    entries: createEntryTable<EntryRecord>(),
    /** Of kinds that nobody knows, and not like entries. */
    others: new Map<string, StoreRecord>(),
  };
}

/** Whether anything is new. */
export function addRecord(tables: Tables, record: StoreRecord): boolean {
  switch (record.k) {
    case 'node':
      if (tables.nodes.has(record.id)) return false;
      tables.nodes.set(record.id, record);
      tables.order.push(record);
      pushTo(tables.children, record.parent, record);
      pushTo(tables.echoes, record.echo, record);
      return true;
    case 'body':
      if (tables.bodies.has(record.digest)) return false;
      tables.bodies.set(record.digest, record.text);
      return true;
    case 'take':
      if (tables.takes.get(record.node)?.some(({ id }) => id === record.id)) return false;
      pushTo(tables.takes, record.node, record);
      return true;
    case 'ref': {
      const { on, key, name, clock } = record;
      return tables.refs.put({ on, key, name, clock, isSet: record.value !== null, record });
    }
    default:
      return isEntry(record) ? tables.entries.put(record) : addOther(tables, record);
  }
}

function addOther({ others }: Tables, record: StoreRecord): boolean {
  const key = keyOf(record);
  if (others.has(key)) return false;
  others.set(key, record);
  return true;
}

export function allRecords(tables: Tables): StoreRecord[] {
  const bodies = [...tables.bodies].map(([digest, text]) => ({ k: 'body' as const, digest, text }));
  return [
    ...bodies,
    ...tables.order,
    ...[...tables.takes.values()].flat(),
    ...Array.from(tables.refs.all(), ({ record }) => record),
    ...tables.entries.all(),
    ...tables.others.values(),
  ];
}

function pushTo<T>(map: Map<string, T[]>, key: string, item: T): void {
  const list = map.get(key);
  if (list) list.push(item);
  else map.set(key, [item]);
}
