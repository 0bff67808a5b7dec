import { type RefRecord, sha256 } from '../../model/index.ts';
import type { Page, PageRequest, Store } from '../../store/index.ts';
import { type ForestContext, makeRef, readRefs } from '../context.ts';
import { filteredPage } from '../pages.ts';

import { readThreads, type Thread } from './thread.ts';

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
 * Which rows a list of conversations has. Threads of one session are one row, and so are threads that begin with the same
 * words; the threads themselves stay apart. A group is named by its kind and a hash: `session:…`, `opening:…`, `side`.
 */

/** Side calls that no session claims, such as a client's request for a title. */
export const SIDE_GROUP = 'side';

/** How many members of a group are looked at for its row; more are counted as "and more". */
const MOST_COUNTED = 200;
/** Touches whose refs are read by one query. */
const SEEN_AT_ONCE = 50;
/** Members that a row carries with it. */
const SHOWN_MEMBERS = 5;

export function sessionGroupId(session: string): string {
  return `session:${session}`;
}

/** Undefined where nobody said anything: such a thread stands alone. */
export function openingGroupId(opening: string): string | undefined {
  return opening === '' ? undefined : `opening:${sha256(`skein-opening/1\n${opening}`).slice(0, 24)}`;
}

/** What has to be written when threads were touched: the group of each, the thread and when. */
export async function makeGroupRefs(
  context: ForestContext,
  touches: readonly { readonly group: string; readonly thread: string; readonly touched: number }[],
): Promise<RefRecord[]> {
  // Every name is looked for under every key: of thousands of touches only a few at a time.
  for (let at = 0; at < touches.length; at += SEEN_AT_ONCE) {
    const some = touches.slice(at, at + SEEN_AT_ONCE);
    const groups = [...new Set(some.map(({ group }) => group))];
    await readRefs(context, 'group', groups, ['latest', ...some.map(({ thread }) => memberName(thread))]);
  }
  return touches.flatMap(({ group, thread, touched }) => [
    makeRef(context, 'group', group, memberName(thread), touched),
    makeRef(context, 'group', group, 'latest', thread),
  ]);
}

/** The threads of a group, last changed first; deleted ones left out. */
export async function threadsInGroup(store: Store, group: string, page: PageRequest = {}): Promise<Page<Thread>> {
  const found = await filteredPage(
    (request) => store.refs({ on: 'group', keys: [group], order: 'newest', ...request }),
    async (refs) => {
      const threads = await readThreads(store, refs.map(threadIn));
      return refs.map((ref, index) => isMember(ref) && threads[index]?.deleted === false);
    },
    page,
  );
  return { ...found, items: (await readThreads(store, found.items.map(threadIn))) as Thread[] };
}

/**
 * One row for each group, last changed first. The rows are a selection of the list of threads: a thread stands for its
 * group where it is the one of it that was changed last, so threads that have no group yet are listed all the same.
 */
export async function listGroups(
  store: Store,
  touched: (page: PageRequest) => Promise<Page<RefRecord>>,
  page: PageRequest = {},
): Promise<Page<ThreadGroup>> {
  const found = await filteredPage(touched, async (refs) => representGroups(store, refs), page);
  const threads = (await readThreads(
    store,
    found.items.map(({ key }) => key),
  )) as Thread[];
  const items = await Promise.all(threads.map((thread) => readRow(store, thread)));
  return { ...found, items };
}

async function representGroups(store: Store, refs: readonly RefRecord[]): Promise<boolean[]> {
  const threads = await readThreads(
    store,
    refs.map(({ key }) => key),
  );
  const groups = [...new Set(threads.flatMap((thread) => (thread?.group === undefined ? [] : [thread.group])))];
  const latest = new Map<string, string>();
  if (groups.length > 0) {
    const { items } = await store.refs({ on: 'group', keys: groups, names: ['latest'], limit: groups.length });
    for (const { key, value } of items) latest.set(key, String(value));
    const heads = await readThreads(store, [...latest.values()]);
    for (const [index, [group]] of [...latest].entries()) {
      if (heads[index]?.deleted === false) continue;
      const [next] = (await threadsInGroup(store, group, { limit: 1 })).items;
      if (next) latest.set(group, next.id);
    }
  }
  return threads.map(
    (thread) =>
      thread?.deleted === false &&
      (thread.group === undefined || (latest.get(thread.group) ?? thread.id) === thread.id),
  );
}

async function readRow(store: Store, thread: Thread): Promise<ThreadGroup> {
  const alone: ThreadGroup = { kind: 'thread', thread, count: 1, isMore: false, threads: [thread] };
  if (thread.group === undefined) return alone;
  const { items, next } = await threadsInGroup(store, thread.group, { limit: MOST_COUNTED });
  if (items.length < 2) return alone;
  const kind = thread.group === SIDE_GROUP ? 'side' : thread.group.startsWith('session:') ? 'session' : 'opening';
  return {
    kind,
    group: thread.group,
    thread: (kind === 'session' ? firstMain(items) : items.find(({ part }) => part === 'main')) ?? thread,
    count: items.length,
    isMore: next !== undefined,
    threads: items.slice(0, SHOWN_MEMBERS),
  };
}

/** A session is known by the conversation that it began with, not by the title call that came last. */
function firstMain(threads: readonly Thread[]): Thread | undefined {
  const main = threads.filter(({ part }) => part === 'main');
  return main.toSorted((a, b) => a.createdAt - b.createdAt)[0];
}

const MEMBER = 'thread:';

function memberName(thread: string): string {
  return `${MEMBER}${thread}`;
}

function isMember({ name, value }: RefRecord): boolean {
  return name.startsWith(MEMBER) && typeof value === 'number';
}

function threadIn({ name }: RefRecord): string {
  return name.slice(MEMBER.length);
}
