import type { Message, PrefixDifference } from '@skein/core';
import { type Clock, createClock, type StoreRecord } from '../model/index.ts';
import { nextChange } from '../store/changes.ts';
import type { Changes, Compaction, Page, Problem, Store } from '../store/index.ts';
import { createContext, type ForestContext } from './context.ts';
import { checkForest } from './fsck.ts';
import { collectGarbage } from './gc.ts';
import {
  type Difference,
  lookingOf,
  readingOf,
  type ThreadScope,
  type TopologyNode,
  type TopologyRequest,
} from './read/queries.ts';
import type { ForestNode } from './read/read-nodes.ts';
import { resolveId } from './read/resolve.ts';
import { type SearchFilters, type SearchResult, searchOf } from './read/search.ts';
import { type ContextChange, contextChangesOf } from './read/sent-context.ts';
import type { SentRequest } from './read/sent-request.ts';
import { type UsageScope, type UsageTotal, usageOf } from './read/usage.ts';
import type { NodePageRequest, WithRemoved } from './read/walk.ts';
import { createThreads, type Threads } from './threads/threads.ts';

import { appendMessages, type TakeFacts } from './write/append.ts';
import { readAppendPoint } from './write/append-point.ts';
import { type Bookmarks, createBookmarks } from './write/bookmarks.ts';
import { createEdits, type SplitResult } from './write/edit.ts';
import { createMarks } from './write/marks.ts';
import { type Match, matchHistory, type ObserveResult, observeHistory } from './write/match.ts';
import { type MoveResult, moveAllStragglers } from './write/reparent.ts';

/**
 * A forest of branching conversations. Ids may be abbreviated to what only one node begins with. Whatever is
 * refused is a `ForestError` and has no effect. What is written is safe when the promise resolves.
 */
export interface Forest {
  readonly project: string;
  readonly store: Store;
  readonly clock: Clock;

  /**
   * Hangs messages below a node and gives the id of the last one. Exact: the same bytes below the same parent are
   * the same node, which then gets one more take. What was deleted comes back.
   */
  append(parent: string, messages: readonly Message[], take?: TakeFacts): Promise<string>;
  /** A history as a client sent it: what is known is found again, exactly or by its echo, and only the rest is added. */
  observe(messages: readonly Message[], take?: TakeFacts): Promise<ObserveResult>;
  /** The deepest node that this history leads to. */
  match(messages: readonly Message[]): Promise<Match>;

  /** The full id of what only one node begins with; old ids lead to what took their place. */
  resolve(id: string): Promise<string>;
  node(id: string): Promise<ForestNode>;
  /** From behind `from` (default: the root) to the node. Refused where `from` is not above it. */
  path(to: string, from?: string): Promise<ForestNode[]>;
  /**
   * The messages of a path as they are sent, with the origins that fit a request to this issuer best. Neighbours of
   * one role that are nothing but text, as a split leaves them, are joined into one.
   */
  messages(id: string, options?: { readonly issuer?: string }): Promise<Message[]>;
  /** Oldest first. */
  children(id: string, page?: NodePageRequest): Promise<Page<ForestNode>>;
  /** All children of its parent, itself included. */
  siblings(id: string, options?: WithRemoved): Promise<ForestNode[]>;
  /** Nodes at or below a node that have none below them. */
  leaves(id?: string, page?: NodePageRequest): Promise<Page<ForestNode>>;
  /** All nodes below a node, parents before their children. */
  descendants(id: string, page?: NodePageRequest): Promise<Page<ForestNode>>;
  /** The exact bytes that were sent for a node a model wrote, checked by their hash. */
  request(id: string, options?: ThreadScope): Promise<SentRequest>;
  /** Where that request parts from the one before it on the path; undefined when it extends it, or is the first. */
  requestParts(id: string, options?: ThreadScope): Promise<PrefixDifference | undefined>;
  /** Where the system text, the tools or the sent history changed in the middle of a conversation. */
  contextChanges(thread: string, options?: { readonly to?: string }): Promise<readonly ContextChange[]>;

  readonly threads: Threads;
  readonly bookmarks: Bookmarks;

  /**
   * A sibling with this text in place of the message's. `carry` is a node below the message: what stands between is
   * carried on below the sibling, and the end of it is what is given. Of the root, the text is that of a new system
   * message, above a copy of the path to `carry`, which has none.
   */
  edit(id: string, text: string, options?: { readonly carry?: string }): Promise<string>;
  /** Two nodes in place of one: the text up to a position, and what follows below it. */
  split(id: string, at: number): Promise<SplitResult>;
  /** Hides a node and all below it, or hangs its children to its parent. Refused at or above a bookmark. */
  remove(id: string, options?: { readonly keepChildren?: boolean }): Promise<MoveResult>;
  /** Brings a removed node back, and all below it, and whatever above it was removed. */
  restore(id: string): Promise<void>;
  /** Hangs a subtree below another node, and takes it away from where it was. */
  graft(id: string, onto: string): Promise<MoveResult>;

  /** What people say of a node. */
  tag(id: string, tags: { readonly [tag: string]: boolean }): Promise<void>;
  note(id: string, text: string | null): Promise<void>;
  rate(id: string, rating: number | null): Promise<void>;

  search(text: string, filters?: SearchFilters): Promise<Page<SearchResult>>;
  /** What a node, a node with everything below it, a path, a thread or a time cost. */
  usage(of: UsageScope): Promise<UsageTotal>;
  /** Where two paths part, and what each has behind that. */
  diff(a: string, b: string): Promise<Difference>;
  /** Structure without content, parents before their children. */
  topology(options?: TopologyRequest): Promise<Page<TopologyNode>>;

  changes(after?: string): Promise<Changes>;
  watch(listener: () => void): () => void;

  /** Looks at everything that is stored: every hash, every parent, every text. */
  fsck(): Promise<readonly Problem[]>;
  /** Hangs what was appended to nodes while another process moved them to where those nodes are now. */
  settle(): Promise<MoveResult>;
  /** Offline: forgets for good what was removed, what `forget` names, and nothing else. */
  gc(options?: { readonly forget?: (record: StoreRecord) => boolean }): Promise<Compaction>;
  /** Offline: the same in less space. */
  pack(): Promise<Compaction>;
  close(): Promise<void>;
}

/** A forest on a store. */
export function createForest(store: Store, { project = 'default', now = Date.now } = {}): Forest {
  const clock = createClock(store.writer, now);
  const context = createContext(store, clock);
  const threads = createThreads(context);
  return {
    project,
    // Whoever writes past the forest sees the same stamps.
    store: context.store,
    clock,
    async append(parent, messages, take) {
      const place = await readAppendPoint(context.store, await resolveId(context.store, parent));
      return (await appendMessages(context, place, messages, take)).at(-1) ?? place.id;
    },
    observe: (messages, take) => observeHistory(context, messages, take),
    match: (messages) => matchHistory(context.store, messages),
    ...readingOf(context),
    ...lookingOf(context),
    contextChanges: contextChangesOf(context, threads),
    ...createEdits(context),
    ...createMarks(context),
    ...upkeepOf(context),
    threads,
    bookmarks: createBookmarks(context),
    search: searchOf(context),
    usage: usageOf(context, threads),
    changes: (after) => store.changes(after),
    watch: (listener) => store.watch(listener),
    close: () => store.close(),
  };
}

/** What keeps a store in order. */
function upkeepOf(context: ForestContext): Pick<Forest, 'fsck' | 'settle' | 'gc' | 'pack'> {
  return {
    fsck: () => checkForest(context.store),
    settle: async () => ({ moved: await moveAllStragglers(context) }),
    gc: (options) => collectGarbage(context, options),
    pack: () => context.store.compact(() => true),
  };
}

/** How often to look when nobody calls, in milliseconds. */
const POLL_MS = 1000;

/** What changes, by whomever, from behind a cursor on and as it comes, until the signal is given. */
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
