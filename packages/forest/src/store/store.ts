import { SkeinError, type SkeinErrorCode } from '@skein/core';
import type { EntryKind, EntryRecord, NodeRecord, RefRecord, StoreRecord, TakeRecord } from '../model/index.ts';

/** Ids of which each is the parent of the next. Asking for one may be what makes it: an array will do, too. */
export interface IdChain {
  readonly length: number;
  at(index: number): string | undefined;
}

/**
 * Where a forest is kept. A store knows records and finds them; what they mean is the forest's business. Every
 * implementation passes `storeConformance`. All of it concerns one project.
 */
export interface Store {
  /** Names this writer, in stamps and as the owner of what it has under way. */
  readonly writer: string;

  /**
   * Writes records and resolves when they are safe. A batch is all there after a crash, or not at all. What is there
   * already is not written again. Of what a record names, everything is there or stands before it in the batch.
   */
  append(records: readonly StoreRecord[]): Promise<void>;

  /** In the order of the ids; undefined where there is none. The root is not a record. */
  nodes(ids: readonly string[]): Promise<(NodeRecord | undefined)[]>;
  /** Ids that begin with this, in order. */
  idsLike(prefix: string, limit: number): Promise<string[]>;
  /** From the first message, or the one behind `above`, to the node itself. Empty when there is no such node. */
  path(id: string, above?: string): Promise<NodeRecord[]>;
  /** Oldest first, by `at`; equal ones by id. */
  children(id: string, page?: PageRequest): Promise<Page<NodeRecord>>;
  /** How many children each has. */
  childCounts(ids: readonly string[]): Promise<number[]>;
  /** Every node, parents before their children, in an order that stays. */
  scan(page?: PageRequest): Promise<Page<NodeRecord>>;

  /** The index of the last id that is there, -1 for none. */
  deepest(chain: IdChain): Promise<number>;
  /**
   * A node with the last of these echoes that any node has. Of several one with this `lead` is preferred, then the
   * deepest, then the newest.
   */
  byEcho(echoes: readonly string[], lead: string): Promise<{ index: number; node: NodeRecord } | undefined>;

  bodies(digests: readonly string[]): Promise<(string | undefined)[]>;
  /** Of all these nodes, oldest first, by `at`; equal ones by id. */
  takes(nodes: readonly string[]): Promise<TakeRecord[]>;
  /** What counts now; registers whose value is null are left out. */
  refs(query: RefQuery): Promise<Page<RefRecord>>;
  /** What counts now. */
  entry(kind: EntryKind, id: string): Promise<EntryRecord | undefined>;
  /** By `order`; equal ones by id. */
  entries(kind: EntryKind, query?: EntryQuery): Promise<Page<EntryRecord>>;

  /** Nodes whose text has all the words, best first. */
  search(query: SearchQuery): Promise<Page<SearchHit>>;

  /** What was written since, by anyone, bodies aside. `reset` when that can no longer be told, as after `compact`: read anew. */
  changes(after?: string): Promise<Changes>;
  /** Called when there may be changes. */
  watch(listener: () => void): () => void;
  /** Whether a writer still lives; what a dead one had under way will never end. */
  isAlive(writer: string): Promise<boolean>;

  /** What could not be read since opening. Such data is kept as it is. */
  problems(): readonly Problem[];
  /** Looks at everything that is stored, not only at what the index knows. */
  check(): Promise<readonly Problem[]>;
  /** Offline: writes anew what `keep` says, in the least space. What is damaged is never removed. */
  compact(keep: (record: StoreRecord) => boolean): Promise<Compaction>;
  close(): Promise<void>;
}

/** What became of the records of a store that was written anew. */
export interface Compaction {
  readonly kept: number;
  readonly removed: number;
  /** Where files with damage lie now. */
  readonly setAside?: readonly string[];
}

export interface Page<T> {
  readonly items: readonly T[];
  /** Where the next page begins, whatever is written meanwhile; absent on the last one. */
  readonly next?: string;
}

export interface PageRequest {
  readonly after?: string;
  /** Default 100. */
  readonly limit?: number;
}

export interface RefQuery extends PageRequest {
  readonly on: RefRecord['on'];
  readonly keys?: readonly string[];
  readonly names?: readonly string[];
  /** By `clock`; default `oldest`. */
  readonly order?: 'oldest' | 'newest';
}

export interface EntryQuery extends PageRequest {
  readonly of?: string;
  /** Only those that come behind this place in the list. */
  readonly afterOrder?: string;
  /** By `order` and id; default `oldest`. */
  readonly order?: 'oldest' | 'newest';
}

export interface SearchQuery extends PageRequest {
  readonly words: readonly string[];
  readonly roles?: readonly string[];
  /** Written at or after, and before; milliseconds. */
  readonly since?: number;
  readonly until?: number;
}

export interface SearchHit {
  readonly id: string;
  readonly score: number;
}

export interface Changes {
  readonly items: readonly Change[];
  /** Give it as `after` to learn what comes next. */
  readonly next: string;
  readonly reset: boolean;
}

/** `key` is a node's id, a ref's `on/key/name` (with `%` and `/` of its key as `%25` and `%2F`), or an entry's id. */
export interface Change {
  readonly kind: StoreRecord['k'];
  readonly key: string;
  /** What an entry belongs to, and the node of a take. */
  readonly of?: string;
}

/** Something that is stored and cannot be read, or does not fit. */
export interface Problem {
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
  /** File and place, or the id. */
  readonly where: string;
  readonly message: string;
  /** The id or digest of the record that is damaged, where that is known. */
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

/** Every method of a store; the compiler finds what is missing. */
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
} satisfies Record<Exclude<keyof Store, 'writer'>, true>) as readonly Exclude<keyof Store, 'writer'>[];

/**
 * A store with some methods replaced. All others are called on the store itself: an object that inherits from it would
 * be another `this`, which a class with private fields refuses.
 */
export function overlayStore(store: Store, overlay: Partial<Store>): Store {
  const own = METHODS.map((name) => {
    const call = (...args: never[]): unknown => Reflect.apply(store[name], store, args);
    return [name, call] as const;
  });
  return { writer: store.writer, ...Object.fromEntries(own), ...overlay } as Store;
}
