import { randomUUID } from 'node:crypto';
import { sha256 } from '../../../model/ids.ts';
import type { StoreRecord } from '../../../model/records.ts';
import {
  createEntryTable,
  createRegisterTable,
  type Entry,
  type EntryTable,
  type Register,
  type RegisterTable,
} from '../../latest-tables.ts';
import { isEntry, recordKey } from '../../records.ts';
import { readHex } from './hex.ts';
import { createNodeTable, type NodeTable, type SavedNodes } from './node-table.ts';
import type { PageCache } from './pages.ts';
import { KeyTable, type ListToSave, PLACE_WORDS, type RecordPlace, type SavedList } from './rows.ts';

export interface PlacedRegister extends Register {
  readonly place: RecordPlace;
}

export interface PlacedEntry extends Entry {
  readonly place: RecordPlace;
}

/** The places of all records. The records themselves stay on the disk. */
export interface Tables {
  /** A name for the numbers of the rows: other tables may number the same records otherwise. */
  readonly numbering: string;
  readonly nodes: NodeTable;
  readonly bodies: BodyTable;
  readonly takes: TakeTable;
  readonly refs: RegisterTable<PlacedRegister>;
  readonly entries: EntryTable<PlacedEntry>;
  /** Records of unknown kinds that are not entries, by the hash of their exact text. */
  readonly others: Map<string, RecordPlace>;
  /** Frees their pages. Whoever asks them later gets an `IndexDamage`. */
  drop(): void;
  /** Closes the file that they were loaded from. What is in memory can still be asked for. */
  close(): void;
}

/** The tables as they are saved. */
export interface SavedTables {
  readonly nodes: SavedNodes;
  readonly bodies: SavedKeyTable & { readonly bytes: number };
  readonly takes: SavedKeyTable;
  readonly refs: Iterable<PlacedRegister>;
  readonly entries: Iterable<PlacedEntry>;
  readonly others: Iterable<readonly [string, RecordPlace]>;
  /** Closes the file that has their pages. */
  close(): void;
}

export function createTables(cache: PageCache, saved?: SavedTables): Tables {
  const refs = createRegisterTable<PlacedRegister>();
  for (const ref of saved?.refs ?? []) refs.put(ref);
  const entries = createEntryTable<PlacedEntry>();
  for (const entry of saved?.entries ?? []) entries.put(entry);
  const nodes = createNodeTable(cache, saved?.nodes);
  const bodies = createBodyTable(cache, saved?.bodies);
  const takes = createTakeTable(cache, saved?.takes);
  const close = () => saved?.close();
  return {
    numbering: randomUUID().slice(0, 8),
    nodes,
    bodies,
    takes,
    refs,
    entries,
    others: new Map(saved?.others),
    drop() {
      for (const table of [nodes, bodies, takes]) table.drop();
      close();
    },
    close,
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
      nodes.setFirstTake(node, takes.add(record.id, nodes.firstTake(node), place) + 1);
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
      return nodes.has(row) && nodes.at(row) <= record.at ? nodes.place(row) : undefined;
    }
    case 'body':
      return bodies.place(bodies.rowOf(record.digest));
    case 'take':
      return takes.place(takes.rowOf(record.id));
    case 'ref':
      return ifLater(tables.refs.get(record.on, record.key, record.name), record.clock);
    default:
      return isEntry(record)
        ? ifLater(tables.entries.get(record.k, record.id), record.clock)
        : tables.others.get(sha256(recordKey(record)));
  }
}

function ifLater(there: { clock: string; place: RecordPlace } | undefined, clock: string): RecordPlace | undefined {
  return there && there.clock >= clock ? there.place : undefined;
}

const DIGEST_BYTES = 32;
const TAKE_BYTES = 16;

type SavedKeyTable = Readonly<Record<'rows' | 'map', SavedList>>;
type KeyTableToSave = Readonly<Record<'rows' | 'map', ListToSave>>;

/** The places of bodies. A missing body that a node refers to has a row without a place. */
interface BodyTable {
  readonly count: number;
  /** The length of all bodies, as they are stored. */
  readonly bytes: number;
  rowOf(digest: string): number;
  rowFor(digest: string): number;
  /** The same for a digest as bytes. */
  rowForBytes(digest: Uint8Array): number;
  place(row: number): RecordPlace | undefined;
  /** Returns whether the body is new. */
  put(row: number, place: RecordPlace): boolean;
  save(): KeyTableToSave;
  drop(): void;
}

function createBodyTable(cache: PageCache, saved?: SavedTables['bodies']): BodyTable {
  const shape = { width: PLACE_WORDS + DIGEST_BYTES / 4, at: PLACE_WORDS, bytes: DIGEST_BYTES };
  const table = new KeyTable(cache, shape, saved);
  const { rows, key } = table;
  let bytes = saved?.bytes ?? 0;
  const rowForKey = () => {
    const known = table.find();
    return known >= 0 ? known : table.add();
  };
  return {
    rowOf: (digest) => (readHex(digest, 0, key, DIGEST_BYTES) ? table.find() : -1),
    rowFor: (digest) => (readHex(digest, 0, key, DIGEST_BYTES) ? rowForKey() : -1),
    rowForBytes(digest) {
      key.set(digest);
      return rowForKey();
    },
    place: (row) => rows.place(row),
    put(row, place) {
      if (rows.hasPlace(row)) return false;
      rows.setPlace(row, place);
      bytes += place.length;
      return true;
    },
    save: () => table.save(),
    drop: () => table.drop(),
    get count() {
      return rows.count;
    },
    get bytes() {
      return bytes;
    },
  };
}

/** The places of takes, linked per node. */
interface TakeTable {
  readonly count: number;
  rowOf(id: string): number;
  place(row: number): RecordPlace | undefined;
  /** 1 + the row of the next take of the same node; 0 for none. */
  next(row: number): number;
  /** Adds a take in front of `next` and returns its row. */
  add(id: string, next: number, place: RecordPlace): number;
  save(): KeyTableToSave;
  drop(): void;
}

function createTakeTable(cache: PageCache, saved?: SavedKeyTable): TakeTable {
  const next = PLACE_WORDS + TAKE_BYTES / 4;
  // One word more than needed, because the width has to be even.
  const table = new KeyTable(cache, { width: next + 2, at: PLACE_WORDS, bytes: TAKE_BYTES }, saved);
  const { rows, key } = table;
  return {
    rowOf: (id) => (readHex(id, 0, key, TAKE_BYTES) ? table.find() : -1),
    place: (row) => rows.place(row),
    next: (row) => rows.word(row, next),
    add(id, following, place) {
      readHex(id, 0, key, TAKE_BYTES);
      const row = table.add();
      rows.setPlace(row, place);
      rows.setWord(row, next, following);
      return row;
    },
    save: () => table.save(),
    drop: () => table.drop(),
    get count() {
      return rows.count;
    },
  };
}
