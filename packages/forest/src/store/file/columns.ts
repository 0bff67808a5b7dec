export type Column = Uint8Array | Uint32Array | Float64Array;

/** A table in memory: one array per column, so that a million rows are a handful of objects. */
export type Columns = Readonly<Record<string, Column>>;

/** Where a record stands. A length of 0 means that there is none. */
export interface Place {
  /** Number of the segment. */
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

export function placeAt(columns: PlaceColumns, row: number): Place {
  return { segment: columns.segment[row]!, start: columns.start[row]!, length: columns.length[row]! };
}

export function setPlace(columns: PlaceColumns, row: number, place: Place): void {
  columns.segment[row] = place.segment;
  columns.start[row] = place.start;
  columns.length[row] = place.length;
}

/** The same columns with room for more rows. */
export function grown<T extends object>(columns: T, capacity: number): T {
  return Object.fromEntries(
    Object.entries(columns as Columns).map(([name, column]) => [name, widened(column, capacity)]),
  ) as T;
}

/** An array with the same beginning and more room. */
export function widened<T extends Column>(column: T, length: number): T {
  const wider = new (column.constructor as new (length: number) => T)(length);
  wider.set(column);
  return wider;
}

/** What is in use. */
export function cut<T extends object>(columns: T, count: number): T {
  return Object.fromEntries(
    Object.entries(columns as Columns).map(([name, column]) => [name, column.subarray(0, count)]),
  ) as T;
}

/** A little more than half as much again, so that growing costs little per row and wastes little. */
export function moreThan(capacity: number): number {
  return Math.ceil(capacity * 1.5) + 64;
}
