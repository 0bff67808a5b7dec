import { createHash } from 'node:crypto';

/**
 * The facts of a projection, by key. Those of its last steps are in memory and can be undone. Older ones are in the store,
 * in rows of facts that are usually needed together; only the rows that are in use are in memory.
 */
export class FactMap<V> {
  readonly #recent = new Map<string, V | undefined>();
  readonly #older: OlderFacts | undefined;
  readonly #spec: FactSpec<V>;

  constructor(spec: FactSpec<V>, older: OlderFacts | undefined) {
    this.#spec = spec;
    // What only the last steps need is forgotten with them.
    this.#older = spec.split ? older : undefined;
  }

  get(key: string): V | undefined {
    const recent = this.#recent.get(key);
    if (recent !== undefined || this.#older === undefined || this.#recent.has(key)) return recent;
    const [row, rest] = this.#spec.split!(key);
    return this.#older.get(row, `${this.#spec.name} ${rest}`) as V | undefined;
  }

  has(key: string): boolean {
    return this.get(key) !== undefined;
  }

  values(): IterableIterator<V | undefined> {
    return this.#recent.values();
  }

  /** What is needed to undo a change. */
  recent(key: string): V | undefined | typeof NOT_RECENT {
    // Makes the row be read before the step is done, so that it is at hand when the fact is written to it.
    this.get(key);
    return this.#recent.has(key) ? this.#recent.get(key) : NOT_RECENT;
  }

  put(key: string, value: V | undefined): void {
    this.#recent.set(key, value);
  }

  putBack(key: string, value: V | undefined | typeof NOT_RECENT): void {
    if (value === NOT_RECENT) this.#recent.delete(key);
    else this.#recent.set(key, value);
  }

  /** Takes all facts out of memory except those in `later`, which later steps changed and which are given as they were before. */
  fold(later: ReadonlyMap<string, unknown>, into: RowChanges): void {
    const { name, split, shorten } = this.#spec;
    for (const [key, now] of this.#recent) {
      const isLater = later.has(key);
      const value = (isLater ? later.get(key) : now) as V | undefined | typeof NOT_RECENT;
      if (!isLater) this.#recent.delete(key);
      if (!split || value === NOT_RECENT) continue;
      const [row, rest] = split(key);
      let facts = into.get(row);
      if (!facts) {
        facts = new Map();
        into.set(row, facts);
      }
      facts.set(`${name} ${rest}`, shorten ? shorten(value) : value);
    }
  }
}

/** The fact was not among those of the last steps. */
const NOT_RECENT = Symbol('not recent');

export interface FactSpec<V> {
  /** The name of the map inside its rows. */
  readonly name: string;
  /** The row of a key, and the rest of the key inside the row. Without it, facts are forgotten with the steps that made them. */
  readonly split?: (key: string) => readonly [row: string, rest: string];
  /** The part of a value that is kept. */
  readonly shorten?: (value: V | undefined) => V | undefined;
}

/** Changed facts, by their row. */
export type RowChanges = Map<string, Map<string, unknown>>;

type Row = Readonly<Record<string, unknown>>;

/** Reads rows from the store, in the order of the keys. */
export type RowReader = (keys: readonly string[]) => Promise<readonly (string | undefined)[]>;

/** How many rows each of the two generations keeps. */
const ROWS_KEPT = 10_000;

/**
 * The rows of facts that are in use. A row that is asked for and not in memory counts as empty at first and is wanted: the
 * step that asked is undone, the row is read, and the step is taken again.
 */
export class OlderFacts {
  /** Whether there are no older facts: then nothing has to be read. */
  isEmpty = true;
  #young = new Map<string, Row | undefined>();
  #old = new Map<string, Row | undefined>();
  readonly #wanted = new Set<string>();
  readonly #kept: number;

  constructor(kept: number = ROWS_KEPT) {
    this.#kept = kept;
  }

  get(row: string, fact: string): unknown {
    if (this.isEmpty) return undefined;
    const there = this.#young.get(row);
    if (there !== undefined) return there[fact];
    return this.#find(row)?.[fact];
  }

  get isWaiting(): boolean {
    return this.#wanted.size > 0;
  }

  /** How many rows are in memory. */
  get size(): number {
    return this.#young.size + this.#old.size;
  }

  async load(read: RowReader): Promise<void> {
    const rows = [...this.#wanted];
    this.#wanted.clear();
    const texts = await read(rows.map(rowKey));
    for (const [at, row] of rows.entries()) this.#young.set(row, readRow(texts[at]));
  }

  /** Forgets rows that were not used for a while. Not called within a step, so that all of its rows are in memory at once. */
  trim(): void {
    if (this.#young.size < this.#kept) return;
    this.#old = this.#young;
    this.#young = new Map();
  }

  /** Merges changes into the rows, and returns those rows as they have to be stored. */
  async merge(changes: RowChanges, read: RowReader): Promise<Map<string, string | undefined>> {
    this.#wanted.clear();
    for (const row of this.isEmpty ? [] : changes.keys()) this.#find(row);
    if (this.isWaiting) await this.load(read);
    const stored = new Map<string, string | undefined>();
    for (const [row, facts] of changes) {
      const merged = this.#mergeRow(row, facts);
      stored.set(rowKey(row), merged && JSON.stringify(merged));
    }
    this.isEmpty = false;
    return stored;
  }

  /** Takes over changes that another process has stored: rows that are not in memory stay there. */
  adopt(changes: RowChanges): void {
    for (const [row, facts] of changes) if (this.isEmpty || this.#has(row)) this.#mergeRow(row, facts);
    this.isEmpty = false;
  }

  #mergeRow(row: string, facts: ReadonlyMap<string, unknown>): Row | undefined {
    const all = Object.entries({ ...(this.#young.get(row) ?? this.#old.get(row)), ...Object.fromEntries(facts) });
    const left = all.filter(([, value]) => value !== undefined);
    const merged = left.length === 0 ? undefined : Object.fromEntries(left);
    this.#young.set(row, merged);
    return merged;
  }

  #has(row: string): boolean {
    return this.#young.has(row) || this.#old.has(row);
  }

  #find(row: string): Row | undefined {
    if (this.#young.has(row)) return this.#young.get(row);
    if (this.#old.has(row)) {
      const there = this.#old.get(row);
      this.#young.set(row, there);
      return there;
    }
    this.#wanted.add(row);
    return undefined;
  }
}

/** Keys of rows are short and of one length, whatever the words of a conversation. */
function rowKey(row: string): string {
  return createHash('sha256').update(row).digest('base64url').slice(0, 22);
}

function readRow(text: string | undefined): Row | undefined {
  return text === undefined ? undefined : (JSON.parse(text) as Row);
}
