import { type StoreRecord, sha256 } from '../../model/index.ts';
import { createEntryTable, type Entry, type EntryTable } from '../entry-table.ts';
import { isEntry, keyOf } from '../key-of.ts';
import { createRegisterTable, type Register, type RegisterTable } from '../register-table.ts';
import type { Place } from './columns.ts';
import { createNodeTable, type NodeTable } from './node-table.ts';
import { type BodyTable, createBodyTable, createTakeTable, type TakeTable } from './text-tables.ts';

export interface PlacedRegister extends Register {
  readonly place: Place;
}

export interface PlacedEntry extends Entry {
  readonly place: Place;
}

/** What is where. The records themselves stay on the disk. */
export interface Tables {
  readonly nodes: NodeTable;
  readonly bodies: BodyTable;
  readonly takes: TakeTable;
  readonly refs: RegisterTable<PlacedRegister>;
  readonly entries: EntryTable<PlacedEntry>;
  /** Records of kinds that nobody knows and that do not look like entries, by the hash of their exact text. */
  readonly others: Map<string, Place>;
}

export function createTables(): Tables {
  return {
    nodes: createNodeTable(),
    bodies: createBodyTable(),
    takes: createTakeTable(),
    refs: createRegisterTable(),
    entries: createEntryTable(),
    others: new Map(),
  };
}

/** Takes note of a record, with its exact text where it was read; whether it is new. */
export function addRecord(tables: Tables, record: StoreRecord, place: Place, text?: string): boolean {
  const { nodes, bodies, takes } = tables;
  switch (record.k) {
    case 'node':
      return nodes.put(record, bodies.rowFor(record.body), place) === 'new';
    case 'body':
      return bodies.put(bodies.rowFor(record.digest), place);
    case 'take': {
      if (takes.rowOf(record.id) >= 0) return false;
      const node = nodes.rowFor(record.node);
      const { firstTake } = nodes.columns;
      firstTake[node] = takes.add(record.id, firstTake[node]!, place) + 1;
      return true;
    }
    case 'ref': {
      const { on, key, name, clock } = record;
      return tables.refs.put({ on, key, name, clock, isSet: record.value !== null, place });
    }
    default: {
      if (!isEntry(record)) return addOther(tables, sha256(text ?? keyOf(record)), place);
      const { k, id, of, order, clock } = record;
      return tables.entries.put({ k, id, of, order, clock, place });
    }
  }
}

function addOther({ others }: Tables, key: string, place: Place): boolean {
  if (others.has(key)) return false;
  others.set(key, place);
  return true;
}

/** Where the record is that makes this one needless; undefined when this one is new. */
export function placeOf(tables: Tables, record: StoreRecord): Place | undefined {
  const { nodes, bodies, takes } = tables;
  switch (record.k) {
    case 'node':
      return placeIn(nodes.columns, nodes.rowOf(record.id));
    case 'body':
      return placeIn(bodies.columns, bodies.rowOf(record.digest));
    case 'take':
      return placeIn(takes.columns, takes.rowOf(record.id));
    case 'ref':
      return ifLater(tables.refs.get(record.on, record.key, record.name), record.clock);
    default:
      return isEntry(record)
        ? ifLater(tables.entries.get(record.k, record.id), record.clock)
        : tables.others.get(sha256(keyOf(record)));
  }
}

/** Where a row's record is; undefined when there is none. */
export function placeIn(columns: NodeTable['columns'] | BodyTable['columns'], row: number): Place | undefined {
  if (row < 0 || columns.length[row]! === 0) return undefined;
  return { segment: columns.segment[row]!, start: columns.start[row]!, length: columns.length[row]! };
}

function ifLater(there: { clock: string; place: Place } | undefined, clock: string): Place | undefined {
  return there && there.clock >= clock ? there.place : undefined;
}
