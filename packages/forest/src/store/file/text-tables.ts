import { cut, grown, moreThan, type Place, type PlaceColumns, placeColumns, setPlace } from './columns.ts';
import { readHex } from './hex.ts';
import { createKeyTable } from './row-map.ts';

const DIGEST_BYTES = 32;
const TAKE_BYTES = 16;

/** Where each body is. One that a node names and that is not there has a row without a place. */
export interface BodyTable {
  readonly count: number;
  readonly columns: PlaceColumns;
  rowOf(digest: string): number;
  rowFor(digest: string): number;
  /** Of a digest as bytes. */
  rowForBytes(digest: Uint8Array): number;
  /** Whether it is new. */
  put(row: number, place: Place): boolean;
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
    if (digests.count >= columns.length.length) columns = grown(columns, moreThan(digests.count));
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
      columns: cut(columns, digests.count),
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

/** Where the takes of each node are. */
export interface TakeTable {
  readonly count: number;
  readonly columns: TakeColumns;
  rowOf(id: string): number;
  /** The row of a new take, in front of `next`. */
  add(id: string, next: number, place: Place): number;
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
      if (ids.count >= columns.next.length) columns = grown(columns, moreThan(ids.count));
      const row = ids.add(key);
      setPlace(columns, row, place);
      columns.next[row] = next;
      return row;
    },
    save: () => ({
      keys: ids.keys.subarray(0, ids.count * TAKE_BYTES),
      slots: ids.slots,
      columns: cut(columns, ids.count),
    }),
    get count() {
      return ids.count;
    },
    get columns() {
      return columns;
    },
  };
}
