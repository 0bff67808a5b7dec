import type { Message, PrefixDifference } from '@skein/core';
import { type Clock, createClock } from '../model/clock.ts';
import type { StoreRecord } from '../model/records.ts';
import { nextChange } from '../store/changes.ts';
import type { Changes, CompactionCount, Page, Store, StoreProblem } from '../store/index.ts';
import { createContext } from './context.ts';
import {
  createQueries,
  type Difference,
  type RequestQuery,
  type ThreadScope,
  type TopologyNode,
  type TopologyRequest,
} from './read/queries.ts';
import type { ForestNode } from './read/read-nodes.ts';
import { resolveId } from './read/resolve.ts';
import { type SearchFilters, type SearchResult, searchNodes } from './read/search.ts';
import { type ContextChange, findContextChanges } from './read/sent-context.ts';
import type { SentRequest } from './read/sent-request.ts';
import { sumUsage, type UsageOptions, type UsageScope, type UsageTotal } from './read/usage.ts';
import type { NodePageRequest, WithRemoved } from './read/walk.ts';
import { createThreads, type Threads } from './threads/threads.ts';
import { checkForest, collectGarbage } from './upkeep.ts';
import { appendMessages, type TakeFacts } from './write/append.ts';
import { readAppendPoint } from './write/append-point.ts';
import { type Bookmarks, createBookmarks } from './write/bookmarks.ts';
import { createEdits, type SplitResult } from './write/edit.ts';
import { createLibrary, type Library } from './write/library.ts';
import { createMarks } from './write/marks.ts';
import { type Match, matchHistory, type ObserveResult, observeHistory } from './write/match.ts';
import { type MoveResult, moveAllStragglers } from './write/reparent.ts';

/**
 * A forest of branching conversations. An id may be abbreviated to any prefix that only one node has. A refused operation
 * throws a `ForestError` and changes nothing. When the promise of a write resolves, the write is durable.
 */
export interface Forest {
  /** Separates one forest from another in the same store. */
  readonly project: string;
  readonly store: Store;
  readonly clock: Clock;

  /**
   * Appends messages below a node and returns the id of the last one. The same bytes below the same parent are the same
   * node: it gets one more take. A node that was removed is shown again.
   */
  append(parent: string, messages: readonly Message[], take?: TakeFacts): Promise<string>;
  /** Adds a history as a client sent it. Messages that are known, exactly or by their echo, are not added again. */
  observe(messages: readonly Message[], take?: TakeFacts): Promise<ObserveResult>;
  /** Finds the deepest node that this history leads to. */
  match(messages: readonly Message[]): Promise<Match>;

  /** Returns the full id for a prefix. The former id of a moved node leads to its present one. */
  resolve(id: string): Promise<string>;
  node(id: string): Promise<ForestNode>;
  /** Returns the nodes below `from` (default: the root) down to `to`. Refused unless `from` is above `to`. */
  path(to: string, from?: string): Promise<ForestNode[]>;
  /**
   * Returns the messages of a path as they are sent. Where several providers issued the same text, the origin is that of
   * `issuer`. Neighbours of one role that are nothing but text, as a split leaves them, are joined.
   */
  messages(id: string, options?: { readonly issuer?: string }): Promise<Message[]>;
  /** Oldest first. */
  children(id: string, page?: NodePageRequest): Promise<Page<ForestNode>>;
  /** Returns all children of the node's parent, including the node itself. */
  siblings(id: string, options?: WithRemoved): Promise<ForestNode[]>;
  /** Returns the nodes without children at or below a node (default: the root). */
  leaves(id?: string, page?: NodePageRequest): Promise<Page<ForestNode>>;
  /** Returns all nodes below a node, parents before their children. */
  descendants(id: string, page?: NodePageRequest): Promise<Page<ForestNode>>;
  /**
   * Returns the exact request that a model answered with this node, verified by its hash. With `stateless`, the same
   * request for an API that keeps nothing.
   */
  request(id: string, options?: RequestQuery): Promise<SentRequest>;
  /** Says where that request differs from the previous one on the path; undefined when it extends it or is the first. */
  requestParts(id: string, options?: ThreadScope): Promise<PrefixDifference | undefined>;
  /** Lists where the system text, the tools or the sent history changed within a conversation. */
  contextChanges(thread: string, options?: { readonly to?: string }): Promise<readonly ContextChange[]>;

  readonly threads: Threads;
  readonly bookmarks: Bookmarks;
  readonly library: Library;

  /**
   * Adds a sibling of the node with another text and returns its id. `carry` names a node below the edited one: the path
   * to it is copied below the sibling, and the end of the copy is returned. For the root, the text becomes a new system
   * message above a copy of the path to `carry`, which must have no system message yet.
   */
  edit(id: string, text: string, options?: { readonly carry?: string }): Promise<string>;
  /** Replaces a node by two: the text up to a position, and below it the rest. */
  split(id: string, at: number): Promise<SplitResult>;
  /**
   * Hides a node and everything below it. With `keepChildren`, its children move to its parent. Refused when a bookmark is
   * at or below the node.
   */
  remove(id: string, options?: { readonly keepChildren?: boolean }): Promise<MoveResult>;
  /** Shows a removed node again, with everything below it and the removed nodes above it. */
  restore(id: string): Promise<void>;
  /** Moves a subtree below another node. */
  graft(id: string, onto: string): Promise<MoveResult>;

  /** Sets tags (`true`) and removes them (`false`). */
  tag(id: string, tags: { readonly [tag: string]: boolean }): Promise<void>;
  note(id: string, text: string | null): Promise<void>;
  rate(id: string, rating: number | null): Promise<void>;

  /** Finds nodes that contain all words; the last word may be a prefix. */
  search(text: string, filters?: SearchFilters): Promise<Page<SearchResult>>;
  /** Adds up tokens and cost of a node, a subtree, a path, a thread or a period. */
  usage(of: UsageScope, options?: UsageOptions): Promise<UsageTotal>;
  /** Says where two paths diverge, and what each has after that. */
  diff(a: string, b: string): Promise<Difference>;
  /** Returns the shape of the tree without content, parents before their children. */
  topology(options?: TopologyRequest): Promise<Page<TopologyNode>>;
  /**
   * Yields the structure of the whole forest in large parts, parents before their children, in the order of writing. It is much
   * faster than all pages of `topology`, and leaves out removed nodes.
   */
  outline(): AsyncGenerator<readonly TopologyNode[]>;

  /** Returns what changed after a cursor, and the next cursor. */
  changes(after?: string): Promise<Changes>;
  /** Calls the listener when something may have changed; returns a function that stops it. */
  watch(listener: () => void): () => void;

  /** Checks everything that is stored: every hash, every parent, every text, every request. */
  fsck(): Promise<readonly StoreProblem[]>;
  /** Moves nodes that another process appended to a node while it was being moved to where that node is now. */
  settle(): Promise<MoveResult>;
  /** Offline: deletes what was removed, and what `forget` selects. */
  gc(options?: { readonly forget?: (record: StoreRecord) => boolean }): Promise<CompactionCount>;
  /** Offline: rewrites the stored files without superseded records, to save disk space. */
  pack(): Promise<CompactionCount>;
  close(): Promise<void>;
}

/**
 * Creates a forest on a store. `openForest` does the same for an address.
 *
 * @example
 * const forest = createForest(memoryStore());
 * const head = await forest.append(ROOT, [user('Hello')]);
 */
export function createForest(store: Store, { project = 'default', now = Date.now } = {}): Forest {
  const clock = createClock(store.writer, now);
  const context = createContext(store, clock);
  const threads = createThreads(context);
  return {
    project,
    // The context's store, not the given one: whoever writes through it advances the same clock.
    store: context.store,
    clock,
    async append(parent, messages, take) {
      const point = await readAppendPoint(context.store, await resolveId(context.store, parent));
      return (await appendMessages(context, point, messages, take)).at(-1) ?? point.id;
    },
    observe: (messages, take) => observeHistory(context, messages, take),
    match: (messages) => matchHistory(context.store, messages),
    ...createQueries(context),
    ...createEdits(context),
    ...createMarks(context),
    contextChanges: (thread, options) => findContextChanges(context, threads, thread, options),
    search: (text, filters) => searchNodes(context, threads, text, filters),
    usage: (of, options) => sumUsage(context, threads, of, options),
    threads,
    bookmarks: createBookmarks(context),
    library: createLibrary(context),
    changes: (after) => store.changes(after),
    watch: (listener) => store.watch(listener),
    fsck: () => checkForest(context.store),
    settle: async () => ({ moved: await moveAllStragglers(context) }),
    gc: (options) => collectGarbage(context, options),
    pack: () => context.store.compact(() => true),
    close: () => store.close(),
  };
}

/** How often to look for changes when the store does not call, in milliseconds. */
const POLL_MS = 1000;

/**
 * Yields the changes after a cursor, and then every later change by any process, until the signal aborts.
 *
 * @example
 * for await (const { items } of followChanges(forest, undefined, signal)) render(items);
 */
export async function* followChanges(
  forest: Pick<Forest, 'changes' | 'watch'>,
  after: string | undefined,
  signal: AbortSignal,
): AsyncGenerator<Changes> {
  for (let cursor = after; !signal.aborted; ) {
    const woken = nextChange(forest, POLL_MS, signal);
    try {
      const found = await forest.changes(cursor);
      cursor = found.next;
      if (found.reset || found.items.length > 0) yield found;
      if (!signal.aborted) await woken.promise;
    } finally {
      woken.cancel();
    }
  }
}
