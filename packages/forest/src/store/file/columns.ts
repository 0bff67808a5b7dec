export type Column = Uint8Array | Uint32Array | Float64Array;

/** A table in memory with one typed array per column, so that a million rows need only a few objects. */
export type Columns = Readonly<Record<string, Column>>;

/** The place of a record. A length of 0 means that there is none. */
export interface RecordPlace {
  /** The number of the segment. */
  readonly segment: number;
  readonly start: number;
  readonly length: number;
}

export interface PlaceColumns {
  readonly segment: Uint32Array;
  readonly start: Float64Array;
  readonly length: Uint32Array;
}

export function placeColumns(capacity: number): PlaceColumns {
  return {
    segment: new Uint32Array(capacity),
    start: new Float64Array(capacity),
    length: new Uint32Array(capacity),
  };
}

export function placeAt(columns: PlaceColumns, row: number): RecordPlace {
  return { segment: columns.segment[row]!, start: columns.start[row]!, length: columns.length[row]! };
}

export function setPlace(columns: PlaceColumns, row: number, place: RecordPlace): void {
  columns.segment[row] = place.segment;
  columns.start[row] = place.start;
  columns.length[row] = place.length;
}

/** Copies columns into larger arrays. */
export function growColumns<T extends object>(columns: T, capacity: number): T {
  return Object.fromEntries(
    Object.entries(columns as Columns).map(([name, column]) => [name, widen(column, capacity)]),
  ) as T;
}

/** Copies an array into a larger one. */
function widen<T extends Column>(column: T, length: number): T {
  const wider = new (column.constructor as new (length: number) => T)(length);
  wider.set(column);
  return wider;
}

/** The used part of columns. */
export function trim<T extends object>(columns: T, count: number): T {
  return Object.fromEntries(
    Object.entries(columns as Columns).map(([name, column]) => [name, column.subarray(0, count)]),
  ) as T;
}

/** The next capacity: a little more than half as much again, which balances copying and waste. */
export function nextCapacity(capacity: number): number {
  return Math.ceil(capacity * 1.5) + 64;
}

/**
 * Finds rows by a hash: open addressing, with row + 1 in each slot and 0 for none. The caller compares keys. Rows are
 * never removed.
 */
export interface RowMap {
  /** The row with this hash for which `isIt` holds, or -1. */
  find(hash: number, isIt: (row: number) => boolean): number;
  /** Adds a row that is not there yet. */
  add(hash: number, row: number): void;
  /** Replaces a row by another one with the same key. */
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

/** Rows with a key of fixed width; row numbers are assigned in order. */
interface KeyTable {
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
      if ((row + 1) * width > keys.length) keys = widen(keys, (Math.ceil(row * 1.5) + LEAST) * width);
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

const VALUES = new Int8Array(256).fill(-1);
for (const [value, digit] of [...'0123456789abcdef'].entries()) VALUES[digit.charCodeAt(0)] = value;

/** Decodes lower-case hexadecimal digits; false if the text has another length or other characters. */
export function readHex(text: string, start: number, into: Uint8Array, width: number): boolean {
  if (text.length !== start + width * 2) return false;
  let wrong = 0;
  for (let at = 0, place = start; at < width; at++, place += 2) {
    const high = VALUES[text.charCodeAt(place) & 255]!;
    const low = VALUES[text.charCodeAt(place + 1) & 255]!;
    wrong |= high | low | (text.charCodeAt(place) >> 8) | (text.charCodeAt(place + 1) >> 8);
    into[at] = (high << 4) | low;
  }
  return wrong >= 0 && wrong < 16;
}

/** The same for ASCII characters. */
export function readHexBytes(text: Uint8Array, start: number, into: Uint8Array, width: number): boolean {
  let wrong = 0;
  for (let at = 0, place = start; at < width; at++, place += 2) {
    const high = VALUES[text[place]!]!;
    const low = VALUES[text[place + 1]!]!;
    wrong |= high | low;
    into[at] = (high << 4) | low;
  }
  return wrong >= 0;
}

export function writeHex(bytes: Uint8Array, start: number, width: number): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset + start, width).toString('hex');
}
