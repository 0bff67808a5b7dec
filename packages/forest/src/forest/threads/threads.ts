import { randomUUID } from 'node:crypto';
import type { Message } from '@skein/core';
import { type RefRecord, ROOT } from '../../model/index.ts';
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
import { readLineage, readThreads, type Thread } from './thread.ts';
import { readOpening } from './title.ts';

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

/** Conversations as people see them: each a few named values, so that two writers can change different ones. */
export function createThreads(context: ForestContext): Threads {
  const { store } = context;

  const get = async (id: string): Promise<Thread> => {
    const [thread] = await readThreads(store, [id]);
    if (!thread) throw new ForestError('unknown_thread', id, `There is no thread ${id} in this forest.`);
    return thread;
  };

  const set = async (id: string, group: string | undefined, values: Readonly<Record<string, unknown>>) => {
    // `touched` is what the list is sorted by: it changes with every change of any value.
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

  return {
    get,
    async lineage(id) {
      await get(id);
      return [...(await readLineage(store, id))];
    },
    async create({ head, start, title, id = newId(), part }) {
      checkId(id);
      const [from, to] = await Promise.all([resolveId(store, start ?? 'root'), resolveId(store, head)]);
      // Read first, so that what is written now is later than what is there.
      const [there] = await readThreads(store, [id]);
      const created = there?.createdAt ?? context.clock.now();
      const words = await readOpening(store, to);
      const group = there?.group ?? (part === 'side' ? SIDE_GROUP : openingGroupId(words.opening));
      const said = { title: title ?? words.title, ...(part !== undefined && { part }) };
      return set(id, group, { start: from, head: to, created, ...said });
    },
    async begin(messages, { below = 'root', ...said } = {}) {
      const thread = newId();
      const place = await readAppendPoint(store, await resolveId(store, below));
      const head = (await appendMessages(context, place, messages, { thread })).at(-1) ?? place.id;
      return this.create({ id: thread, head, ...said });
    },
    async append(id, messages, { at } = {}) {
      const { id: thread, head } = await writable(id, at === undefined ? {} : { at });
      const place = await readAppendPoint(store, at === undefined ? head : await resolveId(store, at));
      const end = (await appendMessages(context, place, messages, { thread })).at(-1) ?? place.id;
      return change(thread, { head: end });
    },
    writable,
    async list({ deleted = false, tag, ...page } = {}) {
      const found = await filteredPage(
        touched,
        async (refs) => {
          const threads = await readThreads(store, keysOf(refs));
          return threads.map(
            (thread) => thread?.deleted === deleted && (tag === undefined || thread.tags.includes(tag)),
          );
        },
        page,
      );
      return { ...found, items: (await readThreads(store, keysOf(found.items))) as Thread[] };
    },
    groups: (page = {}) => listGroups(store, touched, page),
    inGroup: (group, page = {}) => threadsInGroup(store, group, page),
    async of(node) {
      const isThrough = await createPathTest(store, await resolveId(store, node));
      const found: Thread[] = [];
      for await (const refs of allPages(touched)) {
        const threads = (await readThreads(store, keysOf(refs))).filter(
          (thread) => thread && !thread.deleted,
        ) as Thread[];
        const wanted = await isThrough(threads.map(({ head }) => head));
        found.push(...threads.filter((_, index) => wanted[index]));
      }
      return found;
    },
    rename: (id, title) => change(id, { title }),
    moveHead: async (id, head) => change(id, { head: await resolveId(store, head) }),
    fork,
    tag: async (id, tags) => change(id, tagValues(tags)),
    note: async (id, text) => change(id, { note: noteValue(text) }),
    rate: async (id, rating) => change(id, { rating: ratingValue(rating) }),
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

/**
 * Tells of heads whether they stand on one path with a node. The path above the node and, when it is small, the tree
 * below it are read once; only below a node with a large tree each head that is deeper is looked at by itself.
 */
async function createPathTest(
  store: Store,
  node: string,
): Promise<(heads: readonly string[]) => Promise<readonly boolean[]>> {
  if (node === ROOT) return async (heads) => heads.map(() => true);
  const above = new Set((await store.path(node)).map(({ id }) => id)).add(ROOT);
  const tree = await walkBelow(store, { id: node, removed: false }, { limit: SMALL, withRemoved: true });
  const below = new Set(tree.items.map(({ record }) => record.id));
  const [top] = await store.nodes([node]);
  return async (heads) => {
    if (tree.next === undefined) return heads.map((head) => above.has(head) || below.has(head));
    const records = await store.nodes(heads);
    const answers: boolean[] = [];
    for (const [index, head] of heads.entries()) {
      const record = records[index];
      const isKnown = above.has(head) || below.has(head);
      answers.push(isKnown || (record !== undefined && (await isAtOrBelow(store, record, top!))));
    }
    return answers;
  };
}
