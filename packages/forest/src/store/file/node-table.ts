import { sha256 } from '../../model/ids.ts';
import type { NodeRecord } from '../../model/records.ts';
import {
  createKeyTable,
  createRowMap,
  growColumns,
  nextCapacity,
  type PlaceColumns,
  placeColumns,
  type RecordPlace,
  type RowMap,
  readHex,
  setPlace,
  trim,
  writeHex,
} from './columns.ts';

const ID_BYTES = 20;
/** The row of the root, which has no record. */
export const ROOT_ROW = 0;

export interface NodeTable {
  readonly count: number;
  readonly columns: NodeColumns;
  readonly roles: readonly string[];
  readonly echoes: EchoTable;
  /** The number of nodes that are referred to but missing. */
  readonly gaps: number;
  /** -1 for an unknown id. */
  rowOf(id: string): number;
  /** The row of an id, added if it is unknown; -1 if it is not a valid id. */
  rowFor(id: string): number;
  idOf(row: number): string;
  has(row: number): boolean;
  /**
   * The rows by depth, if some parent has a later row than its child, as after reading a segment before the one that it
   * continues; undefined if parents come first anyway.
   */
  rowsByDepth(): Uint32Array | undefined;
  /** The ids that begin with these digits. */
  idsLike(prefix: string): string[];
  /** Adds a node. Returns undefined if it is there already and not older. */
  put(record: NodeRecord, body: number, place: RecordPlace): 'new' | 'earlier' | undefined;
  save(): SavedNodes;
}

export interface SavedNodes {
  readonly keys: Uint8Array;
  readonly slots: Uint32Array;
  readonly columns: NodeColumns;
  readonly echoes: SavedEchoes;
  readonly roles: readonly string[];
  readonly gaps: number;
}

export function createNodeTable(saved?: SavedNodes): NodeTable {
  const ids = createKeyTable(ID_BYTES, saved);
  const roles = [...(saved?.roles ?? [])];
  const key = new Uint8Array(ID_BYTES);
  let columns = saved?.columns ?? nodeColumns(64);
  let gaps = saved?.gaps ?? 0;
  // The row of the root does not count as a gap.
  if (!saved) ids.add(key);
  const isLaterId = (row: number, other: number) => {
    for (let at = 0; at < ID_BYTES; at++) {
      const difference = ids.keys[row * ID_BYTES + at]! - ids.keys[other * ID_BYTES + at]!;
      if (difference !== 0) return difference > 0;
    }
    return false;
  };
  const echoes = createEchoTable(() => columns, isLaterId, saved?.echoes);
  const isBeforeParent = (row: number) => columns.length[row]! > 0 && columns.parent[row]! > row;
  let isOutOfOrder = false;
  for (let row = 1; row < ids.count && !isOutOfOrder; row++) isOutOfOrder = isBeforeParent(row);
  let byDepth: { readonly rows: Uint32Array; readonly count: number; readonly gaps: number } | undefined;

  const rowOf = (id: string) => (readHex(id, 0, key, ID_BYTES) ? ids.find(key) : -1);
  const rowFor = (id: string) => {
    if (!readHex(id, 0, key, ID_BYTES)) return -1;
    const known = ids.find(key);
    if (known >= 0) return known;
    if (ids.count >= columns.at.length) columns = growNodes(columns, nextCapacity(ids.count));
    gaps += 1;
    return ids.add(key);
  };
  const roleOf = (role: string) => {
    const known = roles.indexOf(role);
    return known >= 0 ? known : Math.min(roles.push(role) - 1, 255);
  };

  return {
    rowOf,
    rowFor,
    idOf: (row) => writeHex(ids.keys, row * ID_BYTES, ID_BYTES),
    has: (row) => row > ROOT_ROW && columns.length[row]! > 0,
    rowsByDepth() {
      if (!isOutOfOrder) return undefined;
      if (byDepth?.count !== ids.count || byDepth.gaps !== gaps) {
        const rows = Uint32Array.from({ length: ids.count - 1 }, (_, index) => index + 1);
        const { depth } = columns;
        rows.sort((a, b) => depth[a]! - depth[b]! || a - b);
        byDepth = { rows, count: ids.count, gaps };
      }
      return byDepth.rows;
    },
    idsLike(prefix) {
      const found: string[] = [];
      const first = /^[0-9a-f]{2}/.test(prefix) ? Number.parseInt(prefix.slice(0, 2), 16) : -1;
      for (let row = 1; row < ids.count; row++) {
        if ((first >= 0 && ids.keys[row * ID_BYTES] !== first) || columns.length[row] === 0) continue;
        const id = writeHex(ids.keys, row * ID_BYTES, ID_BYTES);
        if (id.startsWith(prefix)) found.push(id);
      }
      return found.sort();
    },
    put(record, body, place) {
      const parent = rowFor(record.parent);
      const lead = rowFor(record.lead);
      const row = rowFor(record.id);
      if (columns.length[row]! > 0) {
        if (record.at >= columns.at[row]!) return undefined;
        columns.at[row] = record.at;
        setPlace(columns, row, place);
        echoes.isStale = true;
        return 'earlier';
      }
      gaps -= 1;
      columns.parent[row] = parent;
      isOutOfOrder ||= parent > row;
      columns.lead[row] = lead;
      columns.body[row] = body;
      columns.depth[row] = record.depth;
      columns.at[row] = record.at;
      columns.role[row] = roleOf(record.facts.role);
      columns.nextSibling[row] = columns.firstChild[parent]!;
      columns.firstChild[parent] = row;
      columns.children[parent]! += 1;
      readEcho(record.echo, columns.echo, row * ECHO_BYTES);
      setPlace(columns, row, place);
      echoes.add(row);
      return 'new';
    },
    save: () => ({
      keys: ids.keys.subarray(0, ids.count * ID_BYTES),
      slots: ids.slots,
      columns: { ...trim(columns, ids.count), echo: columns.echo.subarray(0, ids.count * ECHO_BYTES) },
      echoes: echoes.save(),
      roles,
      gaps,
    }),
    echoes,
    roles,
    get count() {
      return ids.count;
    },
    get columns() {
      return columns;
    },
    get gaps() {
      return gaps;
    },
  };
}

const ECHO_BYTES = 16;

/** One row per node. A missing node that others refer to has a row without a record: a gap. */
interface NodeColumns extends PlaceColumns {
  readonly parent: Uint32Array;
  readonly lead: Uint32Array;
  readonly body: Uint32Array;
  readonly depth: Uint32Array;
  readonly at: Float64Array;
  readonly role: Uint8Array;
  readonly firstChild: Uint32Array;
  readonly nextSibling: Uint32Array;
  readonly children: Uint32Array;
  /** 1 + the row of its first take; 0 for none. */
  readonly firstTake: Uint32Array;
  /** `ECHO_BYTES` bytes per row. */
  readonly echo: Uint8Array;
}

function nodeColumns(capacity: number): NodeColumns {
  const numbers = () => new Uint32Array(capacity);
  return {
    ...placeColumns(capacity),
    parent: numbers(),
    lead: numbers(),
    body: numbers(),
    depth: numbers(),
    at: new Float64Array(capacity),
    role: new Uint8Array(capacity),
    firstChild: numbers(),
    nextSibling: numbers(),
    children: numbers(),
    firstTake: numbers(),
    echo: new Uint8Array(capacity * ECHO_BYTES),
  };
}

function growNodes(columns: NodeColumns, capacity: number): NodeColumns {
  const { echo, ...others } = columns;
  return { ...growColumns(others, capacity), echo: growColumns({ echo }, capacity * ECHO_BYTES).echo };
}

/** The best node for each echo, and for each echo and lead, by hash. */
interface EchoTable {
  add(row: number): void;
  /** The row of the best node with this echo; -1 for none. */
  find(echo: string, lead: number): number;
  /** Set if the time of a node changed, so that the best nodes have to be determined again. */
  isStale: boolean;
  save(): SavedEchoes;
}

interface SavedEchoes {
  readonly byEcho: Uint32Array;
  readonly byLead: Uint32Array;
  readonly counts: readonly [byEcho: number, byLead: number];
}

function createEchoTable(
  columnsNow: () => NodeColumns,
  isLaterId: (row: number, other: number) => boolean,
  saved?: SavedEchoes,
): EchoTable {
  const wanted = new Uint8Array(ECHO_BYTES);
  const hash = (row: number) => hashAt(columnsNow().echo, row * ECHO_BYTES);
  const leadHash = (row: number) => withLead(hash(row), columnsNow().lead[row]!);
  let byEcho = createRowMap(hash, saved && { slots: saved.byEcho, count: saved.counts[0] });
  let byLead = createRowMap(leadHash, saved && { slots: saved.byLead, count: saved.counts[1] });

  const hasEcho = (row: number, echo: Uint8Array, at: number) => {
    const { echo: echoes } = columnsNow();
    for (let index = 0; index < ECHO_BYTES; index++)
      if (echoes[row * ECHO_BYTES + index] !== echo[at + index]) return false;
    return true;
  };
  const isBetter = (row: number, other: number) => {
    const { depth, at } = columnsNow();
    if (depth[row] !== depth[other]) return depth[row]! > depth[other]!;
    return at[row] === at[other] ? isLaterId(row, other) : at[row]! > at[other]!;
  };
  const put = (map: RowMap, key: number, row: number, isSame: (other: number) => boolean) => {
    const there = map.find(key, isSame);
    if (there < 0) map.add(key, row);
    else if (isBetter(row, there)) map.replace(key, there, row);
  };
  const add = (row: number) => {
    const { echo, lead } = columnsNow();
    const isSame = (other: number) => hasEcho(other, echo, row * ECHO_BYTES);
    put(byEcho, hash(row), row, isSame);
    put(byLead, leadHash(row), row, (other) => lead[other] === lead[row] && isSame(other));
  };
  const again = () => {
    byEcho = createRowMap(hash);
    byLead = createRowMap(leadHash);
    const { length } = columnsNow();
    for (let row = 1; row < length.length; row++) if (length[row]! > 0) add(row);
    table.isStale = false;
  };

  const table: EchoTable = {
    isStale: false,
    add,
    find(echo, lead) {
      if (table.isStale) again();
      readEcho(echo, wanted, 0);
      const key = hashAt(wanted, 0);
      const isSame = (row: number) => hasEcho(row, wanted, 0);
      const { lead: leads } = columnsNow();
      const preferred = lead < 0 ? -1 : byLead.find(withLead(key, lead), (row) => leads[row] === lead && isSame(row));
      return preferred >= 0 ? preferred : byEcho.find(key, isSame);
    },
    save() {
      if (table.isStale) again();
      return { byEcho: byEcho.slots, byLead: byLead.slots, counts: [byEcho.count, byLead.count] };
    },
  };
  return table;
}

/** Reads the 16 bytes of an echo of rule 1. Echoes of other rules are hashed, so that they never collide with those. */
function readEcho(echo: string, into: Uint8Array, at: number): void {
  const bytes = into.subarray(at, at + ECHO_BYTES);
  if (echo.startsWith('1:') && readHex(echo, 2, bytes, ECHO_BYTES)) return;
  readHex(sha256(echo).slice(0, ECHO_BYTES * 2), 0, bytes, ECHO_BYTES);
}

function hashAt(bytes: Uint8Array, at: number): number {
  return bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24);
}

function withLead(hash: number, lead: number): number {
  return Math.imul(hash ^ Math.imul(lead + 1, 0x9e3779b1), 0x85ebca6b) >> 3;
}
