import { widened } from './columns.ts';

/**
 * Finds rows by a hash: open addressing, row + 1 in each slot, 0 for none. What makes two rows the same is known to
 * the caller. Rows are never taken out.
 */
export interface RowMap {
  /** The row with this hash for which `isIt` holds, or -1. */
  find(hash: number, isIt: (row: number) => boolean): number;
  /** A row that is not there yet. */
  add(hash: number, row: number): void;
  /** Puts a row in the place of another with the same key. */
  replace(hash: number, old: number, row: number): void;
  readonly slots: Uint32Array;
  readonly count: number;
}

const LEAST = 64;

export function createRowMap(hashOf: (row: number) => number, saved?: { slots: Uint32Array; count: number }): RowMap {
  let slots = saved?.slots ?? new Uint32Array(LEAST);
  let count = saved?.count ?? 0;

  const place = (hash: number, row: number) => {
    const mask = slots.length - 1;
    let at = hash & mask;
    while (slots[at] !== 0) at = (at + 1) & mask;
    slots[at] = row + 1;
  };
  const grow = () => {
    const old = slots;
    slots = new Uint32Array(old.length * 2);
    for (const held of old) if (held !== 0) place(hashOf(held - 1), held - 1);
  };

  return {
    find(hash, isIt) {
      const mask = slots.length - 1;
      for (let at = hash & mask; slots[at] !== 0; at = (at + 1) & mask) {
        const row = slots[at]! - 1;
        if (isIt(row)) return row;
      }
      return -1;
    },
    add(hash, row) {
      if (count * 3 >= slots.length * 2) grow();
      place(hash, row);
      count += 1;
    },
    replace(hash, old, row) {
      const mask = slots.length - 1;
      let at = hash & mask;
      while (slots[at] !== old + 1) at = (at + 1) & mask;
      slots[at] = row + 1;
    },
    get slots() {
      return slots;
    },
    get count() {
      return count;
    },
  };
}

/** Rows known by a key of fixed width; row numbers are given in order. */
export interface KeyTable {
  readonly count: number;
  readonly keys: Uint8Array;
  readonly slots: Uint32Array;
  find(key: Uint8Array): number;
  add(key: Uint8Array): number;
}

export function createKeyTable(width: number, saved?: { keys: Uint8Array; slots: Uint32Array }): KeyTable {
  let keys = saved?.keys ?? new Uint8Array(width * LEAST);
  let count = saved ? keys.length / width : 0;
  // Keys are hashes themselves.
  const hashAt = (bytes: Uint8Array, at: number) =>
    bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24);
  const map = createRowMap((row) => hashAt(keys, row * width), saved && { slots: saved.slots, count });

  const isAt = (key: Uint8Array, row: number) => {
    for (let at = 0, place = row * width; at < width; at++, place++) if (keys[place] !== key[at]) return false;
    return true;
  };

  return {
    find: (key) => map.find(hashAt(key, 0), (row) => isAt(key, row)),
    add(key) {
      const row = count;
      if ((row + 1) * width > keys.length) keys = widened(keys, (Math.ceil(row * 1.5) + LEAST) * width);
      keys.set(key.subarray(0, width), row * width);
      count += 1;
      map.add(hashAt(key, 0), row);
      return row;
    },
    get count() {
      return count;
    },
    get keys() {
      return keys;
    },
    get slots() {
      return map.slots;
    },
  };
}
