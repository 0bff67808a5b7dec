import { sha256 } from '../../model/ids.ts';
import type { StoreRecord } from '../../model/records.ts';
import {
  createEntryTable,
  createRegisterTable,
  type Entry,
  type EntryTable,
  type Register,
  type RegisterTable,
} from '../latest-tables.ts';
import { isEntry, recordKey } from '../records.ts';
import {
  createKeyTable,
  growColumns,
  nextCapacity,
  type PlaceColumns,
  placeColumns,
  type RecordPlace,
  readHex,
  setPlace,
  trim,
} from './columns.ts';
import { createNodeTable, type NodeTable } from './node-table.ts';

export interface PlacedRegister extends Register {
  readonly place: RecordPlace;
}

export interface PlacedEntry extends Entry {
  readonly place: RecordPlace;
}

/** The places of all records. The records themselves stay on the disk. */
export interface Tables {
  readonly nodes: NodeTable;
  readonly bodies: BodyTable;
  readonly takes: TakeTable;
  readonly refs: RegisterTable<PlacedRegister>;
  readonly entries: EntryTable<PlacedEntry>;
  /** Records of unknown kinds that are not entries, by the hash of their exact text. */
  readonly others: Map<string, RecordPlace>;
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

/** Adds a record, with its exact text if it was read. Returns whether it is new. */
export function addRecord(tables: Tables, record: StoreRecord, place: RecordPlace, text?: string): boolean {
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
      if (!isEntry(record)) return addOther(tables, sha256(text ?? recordKey(record)), place);
      const { k, id, of, order, clock } = record;
      return tables.entries.put({ k, id, of, order, clock, place });
    }
  }
}

function addOther({ others }: Tables, key: string, place: RecordPlace): boolean {
  if (others.has(key)) return false;
  others.set(key, place);
  return true;
}

/** The place of the stored record that makes this one redundant; undefined if this one is new. */
export function recordPlace(tables: Tables, record: StoreRecord): RecordPlace | undefined {
  const { nodes, bodies, takes } = tables;
  switch (record.k) {
    case 'node': {
      const row = nodes.rowOf(record.id);
      return nodes.columns.at[row]! > record.at ? undefined : placeIn(nodes.columns, row);
    }
    case 'body':
      return placeIn(bodies.columns, bodies.rowOf(record.digest));
    case 'take':
      return placeIn(takes.columns, takes.rowOf(record.id));
    case 'ref':
      return ifLater(tables.refs.get(record.on, record.key, record.name), record.clock);
    default:
      return isEntry(record)
        ? ifLater(tables.entries.get(record.k, record.id), record.clock)
        : tables.others.get(sha256(recordKey(record)));
  }
}

/** The place of a row's record; undefined if there is none. */
export function placeIn(columns: NodeTable['columns'] | BodyTable['columns'], row: number): RecordPlace | undefined {
  if (row < 0 || columns.length[row]! === 0) return undefined;
  return { segment: columns.segment[row]!, start: columns.start[row]!, length: columns.length[row]! };
}

function ifLater(there: { clock: string; place: RecordPlace } | undefined, clock: string): RecordPlace | undefined {
  return there && there.clock >= clock ? there.place : undefined;
}

const DIGEST_BYTES = 32;
const TAKE_BYTES = 16;

/** The places of bodies. A missing body that a node refers to has a row without a place. */
interface BodyTable {
  readonly count: number;
  readonly columns: PlaceColumns;
  rowOf(digest: string): number;
  rowFor(digest: string): number;
  /** The same for a digest as bytes. */
  rowForBytes(digest: Uint8Array): number;
  /** Returns whether the body is new. */
  put(row: number, place: RecordPlace): boolean;
  save(): SavedBodies;
}

export interface SavedBodies {
  readonly keys: Uint8Array;
  readonly slots: Uint32Array;
  readonly columns: PlaceColumns;
}

export function createBodyTable(saved?: SavedBodies): BodyTable {
  const digests = createKeyTable(DIGEST_BYTES, saved);
  const key = new Uint8Array(DIGEST_BYTES);
  let columns = saved?.columns ?? placeColumns(64);
  const rowForBytes = (digest: Uint8Array) => {
    const known = digests.find(digest);
    if (known >= 0) return known;
    if (digests.count >= columns.length.length) columns = growColumns(columns, nextCapacity(digests.count));
    return digests.add(digest);
  };
  return {
    rowOf: (digest) => (readHex(digest, 0, key, DIGEST_BYTES) ? digests.find(key) : -1),
    rowFor: (digest) => (readHex(digest, 0, key, DIGEST_BYTES) ? rowForBytes(key) : -1),
    rowForBytes,
    put(row, place) {
      if (columns.length[row]! > 0) return false;
      setPlace(columns, row, place);
      return true;
    },
    save: () => ({
      keys: digests.keys.subarray(0, digests.count * DIGEST_BYTES),
      slots: digests.slots,
      columns: trim(columns, digests.count),
    }),
    get count() {
      return digests.count;
    },
    get columns() {
      return columns;
    },
  };
}

interface TakeColumns extends PlaceColumns {
  /** 1 + the row of the next take of the same node; 0 for none. */
  readonly next: Uint32Array;
}

/** The places of takes, linked per node. */
interface TakeTable {
  readonly count: number;
  readonly columns: TakeColumns;
  rowOf(id: string): number;
  /** Adds a take in front of `next` and returns its row. */
  add(id: string, next: number, place: RecordPlace): number;
  save(): SavedTakes;
}

export interface SavedTakes {
  readonly keys: Uint8Array;
  readonly slots: Uint32Array;
  readonly columns: TakeColumns;
}

export function createTakeTable(saved?: SavedTakes): TakeTable {
  const ids = createKeyTable(TAKE_BYTES, saved);
  const key = new Uint8Array(TAKE_BYTES);
  let columns: TakeColumns = saved?.columns ?? { ...placeColumns(64), next: new Uint32Array(64) };
  return {
    rowOf: (id) => (readHex(id, 0, key, TAKE_BYTES) ? ids.find(key) : -1),
    add(id, next, place) {
      readHex(id, 0, key, TAKE_BYTES);
      if (ids.count >= columns.next.length) columns = growColumns(columns, nextCapacity(ids.count));
      const row = ids.add(key);
      setPlace(columns, row, place);
      columns.next[row] = next;
      return row;
    },
    save: () => ({
      keys: ids.keys.subarray(0, ids.count * TAKE_BYTES),
      slots: ids.slots,
      columns: trim(columns, ids.count),
    }),
    get count() {
      return ids.count;
    },
    get columns() {
      return columns;
    },
  };
}
