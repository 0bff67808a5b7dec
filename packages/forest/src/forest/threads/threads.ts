import { randomUUID } from 'node:crypto';
import type { Message } from '@skein/core';
import { ROOT } from '../../model/ids.ts';
import type { RefRecord } from '../../model/records.ts';
import type { Page, PageRequest, Store } from '../../store/index.ts';
import { type ForestContext, makeRef } from '../context.ts';
import { ForestError } from '../errors.ts';
import { allPages, filteredPage } from '../pages.ts';
import { isAtOrBelow, resolveId } from '../read/resolve.ts';
import { walkBelow } from '../read/walk.ts';
import { appendMessages } from '../write/append.ts';
import { readAppendPoint } from '../write/append-point.ts';
import { noteValue, ratingValue, tagValues } from '../write/marks.ts';
import { listGroups, makeGroupRefs, openingGroupId, SIDE_GROUP, type ThreadGroup, threadsInGroup } from './groups.ts';
import { fitsSession, readLineage, readThreads, type SessionFilters, type Thread } from './thread.ts';
import { readOpening } from './title.ts';

/** Which threads a list has. */
interface ThreadFilters extends SessionFilters {
  readonly deleted?: boolean;
  readonly tag?: string;
  /** Any other condition. */
  readonly where?: (thread: Thread) => boolean | Promise<boolean>;
}

/**
 * The threads of a forest. A thread is one conversation. Threads may share nodes: whoever begins a conversation gets a new
 * thread, even when all of its nodes exist already.
 */
export interface Threads {
  /** Begins a conversation with these messages, at the root or below a node. */
  begin(
    messages: readonly Message[],
    options?: { readonly below?: string; readonly title?: string; readonly part?: Thread['part'] },
  ): Promise<Thread>;
  /** Appends messages to a conversation, at its head or at `at`. A recorded thread is forked first, and the fork returned. */
  append(id: string, messages: readonly Message[], options?: { readonly at?: string }): Promise<Thread>;
  /** Returns the thread that a person may change: itself, or for a recorded thread a fork at `at` (default: its head). */
  writable(id: string, options?: { readonly at?: string }): Promise<Thread>;
  /** Creates a thread that ends at an existing node. Without a title, the first question becomes the title. */
  create(thread: {
    readonly head: string;
    readonly start?: string;
    readonly title?: string;
    readonly id?: string;
    readonly part?: Thread['part'];
  }): Promise<Thread>;
  get(id: string): Promise<Thread>;
  /** Returns the thread and the threads it was forked from, nearest first. Takes of all of them belong to this conversation. */
  lineage(id: string): Promise<readonly string[]>;
  /** Last changed first. `agent`, `cwd` and `branch` select threads of a coding agent, by where it worked. */
  list(page?: PageRequest & ThreadFilters): Promise<Page<Thread>>;
  /** Lists groups, last changed first: threads of one session, or with the same opening, are one group. */
  groups(page?: PageRequest): Promise<Page<ThreadGroup>>;
  /** Lists the threads of a group, last changed first. */
  inGroup(group: string, page?: PageRequest): Promise<Page<Thread>>;
  /** Returns the threads whose head is at, above or below the node, without deleted ones. */
  of(node: string): Promise<Thread[]>;
  /** Returns the last changed thread that contains each of these nodes, by node, without deleted threads. */
  through(nodes: readonly string[]): Promise<ReadonlyMap<string, Thread>>;
  rename(id: string, title: string): Promise<Thread>;
  moveHead(id: string, head: string): Promise<Thread>;
  /** Creates a thread that shares the history up to `at` (default: the head). */
  fork(id: string, options?: { readonly at?: string; readonly title?: string }): Promise<Thread>;
  tag(id: string, tags: { readonly [tag: string]: boolean }): Promise<Thread>;
  note(id: string, text: string | null): Promise<Thread>;
  rate(id: string, rating: number | null): Promise<Thread>;
  /** Says which coding agent has the conversation, in which version, folder and branch. */
  describe(id: string, facts: Pick<Thread, 'agent' | 'cwd' | 'branch' | 'agentVersion'>): Promise<Thread>;
  /** Removes it from the lists. Its nodes stay. */
  delete(id: string): Promise<void>;
  restore(id: string): Promise<Thread>;
}

/** Creates the threads of a forest. Each is a set of named values, so that two writers can change different ones. */
export function createThreads(context: ForestContext): Threads {
  const { store } = context;

  const get = async (id: string): Promise<Thread> => {
    const [thread] = await readThreads(store, [id]);
    if (!thread) throw new ForestError('unknown_thread', id, `There is no thread ${id} in this forest.`);
    return thread;
  };

  const set = async (id: string, group: string | undefined, values: Readonly<Record<string, unknown>>) => {
    // The list is sorted by `touched`, so every change sets it.
    const touched = context.clock.now();
    const entries = Object.entries({ ...values, ...(group !== undefined && { group }), touched });
    await store.append([
      ...entries.map(([name, value]) => makeRef(context, 'thread', id, name, value)),
      ...(group === undefined ? [] : await makeGroupRefs(context, [{ group, thread: id, touched }])),
    ]);
    return get(id);
  };

  const change = async (id: string, values: Readonly<Record<string, unknown>>): Promise<Thread> => {
    const { group } = await get(id);
    return set(id, group, values);
  };

  const groupAt = async (head: string) => openingGroupId((await readOpening(store, head)).opening);
  const touched = (request: object) => store.refs({ on: 'thread', names: ['touched'], order: 'newest', ...request });
  const keysOf = (refs: readonly RefRecord[]) => refs.map(({ key }) => key);

  const fork: Threads['fork'] = async (id, { at, title } = {}) => {
    const thread = await get(id);
    const head = at === undefined ? thread.head : await resolveId(store, at);
    return set(newId(), await groupAt(head), {
      start: thread.start,
      head,
      title: title ?? thread.title,
      created: context.clock.now(),
      forkedFrom: id,
    });
  };

  const writable: Threads['writable'] = async (id, { at } = {}) => {
    const thread = await get(id);
    return thread.recorded ? fork(id, at === undefined ? {} : { at }) : thread;
  };

  /** Page by page, last changed first. */
  async function* livingThreads(): AsyncGenerator<Thread[]> {
    for await (const refs of allPages(touched))
      yield (await readThreads(store, keysOf(refs))).filter((thread) => thread && !thread.deleted) as Thread[];
  }

  return {
    get,
    async lineage(id) {
      await get(id);
      return [...(await readLineage(store, id))];
    },
    async create({ head, start, title, id = newId(), part }) {
      checkId(id);
      const [from, to] = await Promise.all([resolveId(store, start ?? 'root'), resolveId(store, head)]);
      // Read first, so that the new values get later stamps.
      const [there] = await readThreads(store, [id]);
      const created = there?.createdAt ?? context.clock.now();
      const words = await readOpening(store, to);
      const group = there?.group ?? (part === 'side' ? SIDE_GROUP : openingGroupId(words.opening));
      const said = { title: title ?? words.title, ...(part !== undefined && { part }) };
      return set(id, group, { start: from, head: to, created, ...said });
    },
    async begin(messages, { below = 'root', ...said } = {}) {
      const thread = newId();
      const point = await readAppendPoint(store, await resolveId(store, below));
      const head = (await appendMessages(context, point, messages, { thread })).at(-1) ?? point.id;
      return this.create({ id: thread, head, ...said });
    },
    async append(id, messages, { at } = {}) {
      const { id: thread, head } = await writable(id, at === undefined ? {} : { at });
      const point = await readAppendPoint(store, at === undefined ? head : await resolveId(store, at));
      const end = (await appendMessages(context, point, messages, { thread })).at(-1) ?? point.id;
      return change(thread, { head: end });
    },
    writable,
    async list({ deleted = false, tag, agent, cwd, branch, where = () => true, ...page } = {}) {
      const session = {
        ...(agent !== undefined && { agent }),
        ...(cwd !== undefined && { cwd }),
        ...(branch !== undefined && { branch }),
      };
      const found = await filteredPage(
        touched,
        async (refs) => {
          const threads = await readThreads(store, keysOf(refs));
          return Promise.all(
            threads.map(
              (thread) =>
                thread?.deleted === deleted &&
                (tag === undefined || thread.tags.includes(tag)) &&
                fitsSession(thread, session) &&
                where(thread),
            ),
          );
        },
        page,
      );
      return { ...found, items: (await readThreads(store, keysOf(found.items))) as Thread[] };
    },
    groups: (page = {}) => listGroups(store, touched, page),
    inGroup: (group, page = {}) => threadsInGroup(store, group, page),
    async of(node) {
      const isOnPath = await createPathTest(store, await resolveId(store, node));
      const found: Thread[] = [];
      for await (const threads of livingThreads()) {
        const wanted = await isOnPath(threads.map(({ head }) => head));
        found.push(...threads.filter((_, index) => wanted[index]));
      }
      return found;
    },
    async through(nodes) {
      const tests = new Map<string, HeadTest>();
      for (const node of nodes) tests.set(node, await createBelowTest(store, node));
      const found = new Map<string, Thread>();
      if (tests.size === 0) return found;
      for await (const threads of livingThreads()) {
        const heads = threads.map(({ head }) => head);
        for (const [node, contains] of tests) {
          const thread = threads[(await contains(heads)).indexOf(true)];
          if (!thread) continue;
          found.set(node, thread);
          tests.delete(node);
        }
        if (tests.size === 0) break;
      }
      return found;
    },
    rename: (id, title) => change(id, { title }),
    moveHead: async (id, head) => change(id, { head: await resolveId(store, head) }),
    fork,
    tag: async (id, tags) => change(id, tagValues(tags)),
    note: async (id, text) => change(id, { note: noteValue(text) }),
    rate: async (id, rating) => change(id, { rating: ratingValue(rating) }),
    describe: (id, facts) => change(id, { ...facts }),
    async delete(id) {
      await change(id, { deleted: true });
    },
    restore: (id) => change(id, { deleted: false }),
  };
}

function checkId(id: string): void {
  if (/^[\w.:-]{1,200}$/.test(id)) return;
  throw new ForestError('bad_name', id, `"${id.slice(0, 60)}" is not a thread id: use letters, digits and . _ : -`);
}

function newId(): string {
  return randomUUID().replaceAll('-', '').slice(0, 16);
}

const SMALL = 1000;

/** Tests heads of threads. */
type HeadTest = (heads: readonly string[]) => Promise<readonly boolean[]>;

/** Creates a test whether heads are on one path with a node: at, above or below it. */
async function createPathTest(store: Store, node: string): Promise<HeadTest> {
  if (node === ROOT) return async (heads) => heads.map(() => true);
  const above = new Set((await store.path(node)).map(({ id }) => id)).add(ROOT);
  const isBelow = await createBelowTest(store, node);
  return async (heads) => (await isBelow(heads)).map((is, index) => is || above.has(heads[index]!));
}

/**
 * Creates a test whether heads are at or below a node. It reads the tree below the node once, if that is small; below a large
 * one, it checks each head by itself.
 */
async function createBelowTest(store: Store, node: string): Promise<HeadTest> {
  const tree = await walkBelow(store, { id: node, removed: false }, { limit: SMALL, withRemoved: true });
  const below = new Set(tree.items.map(({ record }) => record.id)).add(node);
  if (tree.next === undefined) return async (heads) => heads.map((head) => below.has(head));
  const [top] = await store.nodes([node]);
  return async (heads) => {
    const records = await store.nodes(heads);
    const answers: boolean[] = [];
    for (const [index, head] of heads.entries()) {
      const record = records[index];
      answers.push(below.has(head) || (record !== undefined && (await isAtOrBelow(store, record, top!))));
    }
    return answers;
  };
}
