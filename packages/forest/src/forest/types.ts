import {
  type Loss,
  type Message,
  type PrefixDifference,
  type Role,
  SkeinError,
  type SkeinErrorCode,
  type Usage,
} from '@skein/core';
import type { Clock, StoreRecord, TakeRecord } from '../model/index.ts';
import type { Changes, Compaction, Page, PageRequest, Problem, Store } from '../store/index.ts';

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
  observe(messages: readonly Message[], take?: TakeFacts): Promise<Observed>;
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
  request(id: string, options?: OfThread): Promise<SentRequest>;
  /** Where that request parts from the one before it on the path; undefined when it extends it, or is the first. */
  requestParts(id: string, options?: OfThread): Promise<PrefixDifference | undefined>;
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
  split(id: string, at: number): Promise<Split>;
  /** Hides a node and all below it, or hangs its children to its parent. Refused at or above a bookmark. */
  remove(id: string, options?: { readonly keepChildren?: boolean }): Promise<Rehung>;
  /** Brings a removed node back, and all below it, and whatever above it was removed. */
  restore(id: string): Promise<void>;
  /** Hangs a subtree below another node, and takes it away from where it was. */
  graft(id: string, onto: string): Promise<Rehung>;

  /** What people say of a node. */
  tag(id: string, tags: { readonly [tag: string]: boolean }): Promise<void>;
  note(id: string, text: string | null): Promise<void>;
  rate(id: string, rating: number | null): Promise<void>;

  search(text: string, filters?: SearchFilters): Promise<Page<Found>>;
  /** What a node, a node with everything below it, a path, a thread or a time cost. */
  usage(of: UsageOf): Promise<UsageTotal>;
  /** Where two paths part, and what each has behind that. */
  diff(a: string, b: string): Promise<Difference>;
  /** Structure without content, parents before their children. */
  topology(options?: TopologyRequest): Promise<Page<TopologyNode>>;

  changes(after?: string): Promise<Changes>;
  watch(listener: () => void): () => void;

  /** Looks at everything that is stored: every hash, every parent, every text. */
  fsck(): Promise<readonly Problem[]>;
  /** Hangs what was appended to nodes while another process moved them to where those nodes are now. */
  settle(): Promise<Rehung>;
  /** Offline: forgets for good what was removed, what `forget` names, and nothing else. */
  gc(options?: { readonly forget?: (record: StoreRecord) => boolean }): Promise<Compaction>;
  /** Offline: the same in less space. */
  pack(): Promise<Compaction>;
  close(): Promise<void>;
}

/** Whose request: of several conversations through a node only those of this thread count. Default: any. */
export interface OfThread {
  readonly thread?: string;
}

/** A request of a conversation that had another context than the one before it. */
export interface ContextChange {
  /** The reply to that request. */
  readonly node: string;
  readonly system?: { readonly before: string; readonly after: string };
  readonly tools?: { readonly before: string; readonly after: string };
  /** The request left out messages at the front, or sent others in their place. */
  readonly compacted?: { readonly messages: number; readonly replacement: string };
}

/** Removed nodes are left out unless they are asked for. */
export interface WithRemoved {
  readonly withRemoved?: boolean;
}

export interface NodePageRequest extends PageRequest, WithRemoved {}

/**
 * How messages came to be. What a model reported (usage, stop, request…) goes to the last assistant message of the
 * list alone; author and origin follow from each message.
 */
export type TakeFacts = Partial<Omit<TakeRecord, 'k' | 'id' | 'node'>>;

export interface ForestNode {
  readonly id: string;
  readonly parent: string;
  readonly depth: number;
  readonly role: Role;
  readonly at: number;
  readonly dialect: string;
  readonly message: Message;
  /** Oldest first. */
  readonly takes: readonly TakeRecord[];
  /** Removed ones included. */
  readonly childCount: number;
  /** It, or a node above it, was removed. */
  readonly removed: boolean;
  readonly marks: Marks;
}

export interface Marks {
  readonly tags: readonly string[];
  readonly note?: string;
  readonly rating?: number;
}

export interface Match {
  /** The root when nothing matches. */
  readonly node: string;
  /** How many of the messages lead there. */
  readonly matched: number;
  readonly by: 'exact' | 'echo';
}

export interface Observed extends Match {
  /** Where the history ends now. */
  readonly head: string;
  readonly added: readonly string[];
  /** The history is known under another system text. */
  readonly otherSystem: boolean;
}

export interface SentRequest {
  readonly body: string;
  readonly sha256: string;
  readonly dialect: string;
  readonly model: string;
  readonly provider?: string;
  /** Host and path, where the exchange was recorded. */
  readonly address?: string;
  /** What was not sent as it is, where it is known. */
  readonly losses?: readonly Loss[];
}

export interface Thread {
  readonly id: string;
  /** The first node that is its own; the root for a whole conversation. */
  readonly start: string;
  readonly head: string;
  readonly title: string;
  readonly tags: readonly string[];
  readonly note?: string;
  readonly rating?: number;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly deleted: boolean;
  /** The thread it was forked from. */
  readonly forkedFrom?: string;
  /** Recorded from a client: only that client's own exchanges move its head. */
  readonly recorded: boolean;
  /** What it is to its session: the conversation itself, a subagent's, or a side call such as one for a title. */
  readonly part: 'main' | 'subagent' | 'side';
  /** The row of a list that it belongs to. */
  readonly group?: string;
  /** What its client calls the session, as a hash. */
  readonly session?: string;
  /** It goes on from a response that was not recorded: the id that the server issued for it. */
  readonly unrecorded?: string;
}

/** One row of a list: a thread alone, a session, threads that begin with the same words, or side calls. */
export interface ThreadGroup {
  readonly kind: 'thread' | 'session' | 'opening' | 'side';
  /** For `inGroup`; absent for a thread alone. */
  readonly group?: string;
  /** The one that the row is named after. */
  readonly thread: Thread;
  readonly count: number;
  /** There are more than were counted. */
  readonly isMore: boolean;
  /** The first few, last changed first. */
  readonly threads: readonly Thread[];
}

/**
 * A thread is a conversation that somebody had. Content may be shared by any number of threads, a conversation never is:
 * who begins one gets a thread of its own, even where every node of it exists already.
 */
export interface Threads {
  /** Begins a conversation with these messages, below a node or at the root. */
  begin(
    messages: readonly Message[],
    options?: { readonly below?: string; readonly title?: string; readonly part?: Thread['part'] },
  ): Promise<Thread>;
  /** Writes messages into a conversation, at its head or at a node of it. A recorded one is forked first: the fork is returned. */
  append(id: string, messages: readonly Message[], options?: { readonly at?: string }): Promise<Thread>;
  /** The thread that a person's change belongs to: itself, or for a recorded one a fork at `at` (default: its head). */
  writable(id: string, options?: { readonly at?: string }): Promise<Thread>;
  /** A thread that ends at a node which is there already. Without a title it gets one from what was first asked. */
  create(thread: {
    readonly head: string;
    readonly start?: string;
    readonly title?: string;
    readonly id?: string;
    readonly part?: Thread['part'];
  }): Promise<Thread>;
  get(id: string): Promise<Thread>;
  /** The thread and those it was forked from, nearest first. A take of any of them belongs to this conversation. */
  lineage(id: string): Promise<readonly string[]>;
  /** Last changed first. */
  list(page?: PageRequest & { readonly deleted?: boolean; readonly tag?: string }): Promise<Page<Thread>>;
  /** The same as rows, last changed first: sessions and equal openings are folded into one row each. */
  groups(page?: PageRequest): Promise<Page<ThreadGroup>>;
  /** The threads of such a row, last changed first. */
  inGroup(group: string, page?: PageRequest): Promise<Page<Thread>>;
  /** Threads whose path ends at or above the node, or leads through it; deleted ones left out. */
  of(node: string): Promise<Thread[]>;
  rename(id: string, title: string): Promise<Thread>;
  moveHead(id: string, head: string): Promise<Thread>;
  /** A thread of its own that shares the history up to `at`; default: the head. */
  fork(id: string, options?: { readonly at?: string; readonly title?: string }): Promise<Thread>;
  tag(id: string, tags: { readonly [tag: string]: boolean }): Promise<Thread>;
  note(id: string, text: string | null): Promise<Thread>;
  rate(id: string, rating: number | null): Promise<Thread>;
  /** Takes it from the lists; its nodes stay. */
  delete(id: string): Promise<void>;
  restore(id: string): Promise<Thread>;
}

export interface Bookmark {
  readonly id: string;
  readonly node: string;
  readonly title: string;
  readonly createdAt: number;
}

export interface Bookmarks {
  add(node: string, title?: string): Promise<Bookmark>;
  list(page?: PageRequest): Promise<Page<Bookmark>>;
  rename(id: string, title: string): Promise<Bookmark>;
  remove(id: string): Promise<void>;
}

export interface Split {
  readonly first: string;
  readonly second: string;
  readonly rehung: Rehung;
}

/** What re-hanging did: its cost is one small record for each node below. */
export interface Rehung {
  /** New ids by old ids. Old ids lead to the new ones from now on. */
  readonly moved: ReadonlyMap<string, string>;
}

export interface SearchFilters extends PageRequest {
  readonly roles?: readonly Role[];
  readonly since?: number;
  readonly until?: number;
  /** Only below this node. */
  readonly below?: string;
  readonly model?: string;
  readonly tag?: string;
}

export interface Found {
  readonly node: string;
  readonly role: Role;
  readonly score: number;
  /** Text around the words, and where the words are in it. */
  readonly snippet: string;
  readonly marks: readonly (readonly [start: number, end: number])[];
}

export type UsageOf =
  | { readonly node: string }
  | { readonly below: string }
  /** With a thread, only what that conversation paid on the path. */
  | { readonly path: string; readonly thread?: string }
  | { readonly thread: string }
  | { readonly since: number; readonly until?: number };

export interface UsageTotal {
  readonly usage: Omit<Usage, 'native'>;
  /** US dollars of the replies whose price is known, and how many have none. */
  readonly cost: number;
  readonly withoutPrice: number;
  readonly replies: number;
}

export interface Difference {
  /** The last node that both have; the root when there is none. */
  readonly shared: string;
  readonly sharedLength: number;
  readonly a: readonly ForestNode[];
  readonly b: readonly ForestNode[];
}

export interface TopologyRequest extends NodePageRequest {
  /** Only below this node. */
  readonly below?: string;
}

export interface TopologyNode {
  readonly id: string;
  readonly parent: string;
  readonly depth: number;
  readonly role: Role;
  readonly at: number;
  readonly removed: boolean;
  readonly model?: string;
  readonly provider?: string;
}

export type ForestErrorCode = Extract<
  SkeinErrorCode,
  | 'unknown_node'
  | 'ambiguous_id'
  | 'not_an_id'
  | 'unknown_thread'
  | 'unknown_bookmark'
  | 'not_text'
  | 'empty_text'
  | 'has_system'
  | 'bad_name'
  | 'bad_page'
  | 'bad_position'
  | 'bookmarked'
  | 'below_itself'
  | 'not_above'
  | 'no_request'
  | 'unknown_body'
  | 'damaged'
  | 'clock_ahead'
>;

/** A forest refused an operation. It changed nothing. */
export class ForestError extends SkeinError {
  override readonly name = 'ForestError';
  readonly code: ForestErrorCode;
  /** The id of the node, thread or bookmark that the operation was refused for. */
  readonly subject: string;

  constructor(code: ForestErrorCode, subject: string, message: string, cause?: unknown) {
    super(message, { cause });
    this.code = code;
    this.subject = subject;
  }
}
