import type { NodeRecord } from '../../model/index.ts';
import { cut, moreThan, type Place, setPlace } from './columns.ts';
import { createEchoTable, type EchoTable, readEcho, type SavedEchoes } from './echo-table.ts';
import { readHex, writeHex } from './hex.ts';
import { ECHO_BYTES, grownNodes, type NodeColumns, nodeColumns } from './node-columns.ts';
import { createKeyTable } from './row-map.ts';

const ID_BYTES = 20;
/** The row of the root, which has no record. */
export const ROOT_ROW = 0;

export interface NodeTable {
  readonly count: number;
  readonly columns: NodeColumns;
  readonly roles: readonly string[];
  readonly echoes: EchoTable;
  /** Named, and not there. */
  readonly gaps: number;
  /** -1 for an unknown id. */
  rowOf(id: string): number;
  /** Of an id that someone names, known or not; -1 when it is no id. */
  rowFor(id: string): number;
  idOf(row: number): string;
  has(row: number): boolean;
  /** Whether a row begins with these digits. */
  idsLike(prefix: string): string[];
  /** What it changed: nothing when the node is there already and not older. */
  put(record: NodeRecord, body: number, place: Place): 'new' | 'earlier' | undefined;
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
  // The root's row is not a gap.
  if (!saved) ids.add(key);
  const isLaterId = (row: number, other: number) => {
    for (let at = 0; at < ID_BYTES; at++) {
      const difference = ids.keys[row * ID_BYTES + at]! - ids.keys[other * ID_BYTES + at]!;
      if (difference !== 0) return difference > 0;
    }
    return false;
  };
  const echoes = createEchoTable(() => columns, isLaterId, saved?.echoes);

  const rowOf = (id: string) => (readHex(id, 0, key, ID_BYTES) ? ids.find(key) : -1);
  const rowFor = (id: string) => {
    if (!readHex(id, 0, key, ID_BYTES)) return -1;
    const known = ids.find(key);
    if (known >= 0) return known;
    if (ids.count >= columns.at.length) columns = grownNodes(columns, moreThan(ids.count));
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
      columns: { ...cut(columns, ids.count), echo: columns.echo.subarray(0, ids.count * ECHO_BYTES) },
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
