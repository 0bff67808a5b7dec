import { SkeinError, type SkeinErrorCode } from '@skein/core';
import type { EntryKind, EntryRecord, NodeRecord, RefRecord, StoreRecord, TakeRecord } from '../model/records.ts';

/** Ids of which each is the parent of the next. They may be computed on demand; an array is one, too. */
export interface IdChain {
  readonly length: number;
  at(index: number): string | undefined;
}

/**
 * Where a forest is kept. A store writes and finds records of one project; the forest knows what they mean. Every
 * implementation passes `storeConformance`.
 */
export interface Store {
  /** The name of this writer, in clocks and as the owner of its open work. */
  readonly writer: string;

  /**
   * Writes records and resolves when they are safe. After a crash, either the whole batch is there or nothing of it.
   * Existing records are not written again. Everything that a record refers to exists already or comes before it in the
   * batch.
   */
  append(records: readonly StoreRecord[]): Promise<void>;

  /** In the order of the ids; undefined for unknown ones. The root is not a record. */
  nodes(ids: readonly string[]): Promise<(NodeRecord | undefined)[]>;
  /** The ids that begin with a prefix, sorted. */
  idsLike(prefix: string, limit: number): Promise<string[]>;
  /** From the first message, or the one after `above`, to the node itself. Empty for an unknown node. */
  path(id: string, above?: string): Promise<NodeRecord[]>;
  /** Oldest first: by `at`, then id. */
  children(id: string, page?: PageRequest): Promise<Page<NodeRecord>>;
  /** The number of children of each node. */
  childCounts(ids: readonly string[]): Promise<number[]>;
  /**
   * All nodes, parents before their children, in a stable order. If the order has changed since the page before, so that the list
   * cannot go on without missing nodes, it fails with `store_cursor`.
   */
  scan(page?: PageRequest): Promise<Page<NodeRecord>>;

  /** The index of the last id that exists; -1 for none. */
  deepest(chain: IdChain): Promise<number>;
  /**
   * The node for the last of these echoes that any node has. Of several, one with this `lead` is preferred, then the
   * deepest, then the newest.
   */
  byEcho(echoes: readonly string[], lead: string): Promise<{ index: number; node: NodeRecord } | undefined>;

  bodies(digests: readonly string[]): Promise<(string | undefined)[]>;
  /** The takes of all these nodes, oldest first: by `at`, then id. */
  takes(nodes: readonly string[]): Promise<TakeRecord[]>;
  /** The latest registers, without those whose value is null. */
  refs(query: RefQuery): Promise<Page<RefRecord>>;
  /** The latest entry. */
  entry(kind: EntryKind, id: string): Promise<EntryRecord | undefined>;
  /** By `order`, then id. Exchanges without `of`, which have no common order, come in any order that is stable. */
  entries(kind: EntryKind, query?: EntryQuery): Promise<Page<EntryRecord>>;

  /** The nodes whose text has all the words, best first; of those that are equally good, the newest first. */
  search(query: SearchQuery): Promise<Page<SearchHit>>;

  /**
   * What anyone has written since, except bodies. `reset` means that this is no longer known, as after `compact`: read
   * everything again.
   */
  changes(after?: string): Promise<Changes>;
  /** Calls the listener when there may be changes. Returns a function that removes it. */
  watch(listener: () => void): () => void;
  /** Whether a writer is alive. The open work of a dead one will never end. */
  isAlive(writer: string): Promise<boolean>;

  /** Facts that are derived from the records; a store without them has them derived again at every start. */
  readonly facts?: FactStore;

  /** For stores that can forget recordings by whole months, without reading them. */
  readonly months?: MonthPartitions;

  /** Everything that could not be read since opening. Such data is kept. */
  problems(): readonly StoreProblem[];
  /** Checks everything that is stored, not only what the index knows. */
  check(): Promise<readonly StoreProblem[]>;
  /**
   * Removes the records that `keep` rejects, and frees their space. Damaged data is never removed. No other process may
   * use the store.
   */
  compact(keep: (record: StoreRecord) => boolean): Promise<CompactionCount>;
  close(): Promise<void>;
}

/**
 * Facts that are derived from the records, by key. They are not records: they are neither copied nor exported, and can
 * be derived again. All of them belong to one version, which names the records that they were derived from.
 */
export interface FactStore {
  /** The version, and what was stored with it; undefined if there are no facts. */
  version(): Promise<FactVersion | undefined>;
  /** The values of these keys, in their order, and the version that they belong to. */
  read(
    keys: readonly string[],
  ): Promise<{ readonly version: string | undefined; readonly values: readonly (string | undefined)[] }>;
  /**
   * Replaces one version by the next: all of it or nothing. An undefined value removes its key. Returns false, and writes
   * nothing, if the version is no longer `from`.
   */
  write(from: string | undefined, to: FactVersion, values: ReadonlyMap<string, string | undefined>): Promise<boolean>;
  /** Removes all facts. */
  clear(): Promise<void>;
}

/** Recorded exchanges in a part for each month. */
export interface MonthPartitions {
  /** From now on, exchanges are kept by month; those that are there are moved. Nothing happens if they are kept so already. */
  create(): Promise<void>;
  /** Drops all months that ended before a time, and returns them, such as `2026-11`. Messages and conversations stay. */
  drop(before: number): Promise<readonly string[]>;
}

/** A version of the facts. `state` is a text of whoever derived them. */
export interface FactVersion {
  readonly version: string;
  readonly state: string;
}

/** The result of a compaction. */
export interface CompactionCount {
  readonly kept: number;
  readonly removed: number;
  /** The new paths of damaged files. */
  readonly setAside?: readonly string[];
}

/** A page of a list. */
export interface Page<T> {
  readonly items: readonly T[];
  /** The cursor of the next page, valid whatever is written meanwhile; absent on the last page. */
  readonly next?: string;
}

/** Which page of a list to read. */
export interface PageRequest {
  readonly after?: string;
  /** Default 100. */
  readonly limit?: number;
}

/** Which registers to read. */
export interface RefQuery extends PageRequest {
  readonly on: RefRecord['on'];
  readonly keys?: readonly string[];
  readonly names?: readonly string[];
  /** The order of `clock`; default `oldest`. */
  readonly order?: 'oldest' | 'newest';
}

/** Which entries to read. */
export interface EntryQuery extends PageRequest {
  /** What they belong to: one thing, or any of several. */
  readonly of?: string | readonly string[];
  /** Only entries after this `order`. */
  readonly afterOrder?: string;
  /** The order of `order` and id; default `oldest`. */
  readonly order?: 'oldest' | 'newest';
}

/** What to search for. */
export interface SearchQuery extends PageRequest {
  readonly words: readonly string[];
  readonly roles?: readonly string[];
  /** Written from `since` up to, but not including, `until`, in milliseconds. */
  readonly since?: number;
  readonly until?: number;
}

/** A node that a search found. */
export interface SearchHit {
  readonly id: string;
  readonly score: number;
}

/** The changes since a cursor. */
export interface Changes {
  readonly items: readonly Change[];
  /** Pass it as `after` to get the next changes. */
  readonly next: string;
  readonly reset: boolean;
}

/** `key` is a node's id, a ref's `on/key/name` (with `%` and `/` of its key as `%25` and `%2F`), or an entry's id. */
export interface Change {
  readonly kind: StoreRecord['k'];
  readonly key: string;
  /** The `of` of an entry, or the node of a take. */
  readonly of?: string;
}

/** Stored data that cannot be read, or is inconsistent. */
export interface StoreProblem {
  readonly code:
    | 'torn-line'
    | 'damaged-record'
    | 'wrong-hash'
    | 'missing-parent'
    | 'missing-body'
    | 'wrong-place'
    | 'wrong-echo'
    | 'wrong-request'
    | 'newer-format'
    | 'unreadable-file';
  /** File and offset, or an id. */
  readonly where: string;
  readonly message: string;
  /** The id or digest of the damaged record, if it is known. */
  readonly subject?: string;
}

/** A store could not do what it was asked to do. */
export class StoreError extends SkeinError {
  override readonly name = 'StoreError';
  readonly code: StoreErrorCode;

  constructor(code: StoreErrorCode, message: string, cause?: unknown) {
    super(message, { cause });
    this.code = code;
  }
}

/**
 * - `store_full`: no space is left; nothing was written.
 * - `store_failed`: the disk refused; the message says whether the batch may have been written.
 * - `store_read_only`: a newer version wrote the data, or this user may not write it.
 * - `store_in_use`: other processes write there.
 * - `store_closed`: the store was closed before the call.
 * - `store_name`: the project, folder or address is invalid.
 * - `store_record`: the value is not a record.
 * - `store_cursor`: the cursor does not come from a page of this list.
 * - `store_unreachable`: the database cannot be reached; the batch may have been written, and repeating it is safe.
 * - `store_refused`: the database refuses this user.
 * - `store_conflict`: two writers collided; nothing was written, so repeat the call.
 */
export type StoreErrorCode = Extract<SkeinErrorCode, `store_${string}`>;

/** All methods of a store; the compiler checks that none is missing. */
const METHODS = Object.keys({
  append: true,
  nodes: true,
  idsLike: true,
  path: true,
  children: true,
  childCounts: true,
  scan: true,
  deepest: true,
  byEcho: true,
  bodies: true,
  takes: true,
  refs: true,
  entry: true,
  entries: true,
  search: true,
  changes: true,
  watch: true,
  isAlive: true,
  problems: true,
  check: true,
  compact: true,
  close: true,
} satisfies Record<StoreMethod, true>) as readonly StoreMethod[];

type StoreMethod = Exclude<keyof Store, 'writer' | 'facts' | 'months'>;

/**
 * A store with some methods replaced. All others are called on the store itself, because a class with private fields
 * does not accept another `this`.
 *
 * @example
 * const readOnly = overlayStore(store, { append: () => Promise.reject(new Error('read-only')) });
 */
export function overlayStore(store: Store, overlay: Partial<Store>): Store {
  const own = METHODS.map((name) => {
    const call = (...args: never[]): unknown => Reflect.apply(store[name], store, args);
    return [name, call] as const;
  });
  const { writer, facts, months } = store;
  const parts = { ...(facts && { facts }), ...(months && { months }) };
  return { writer, ...parts, ...Object.fromEntries(own), ...overlay } as Store;
}
