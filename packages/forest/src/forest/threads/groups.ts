import { sha256 } from '../../model/ids.ts';
import type { RefRecord } from '../../model/records.ts';
import type { Page, PageRequest, Store } from '../../store/index.ts';
import { type ForestContext, makeRef, readRefs } from '../context.ts';
import { filteredPage } from '../pages.ts';
import { readThreads, type Thread } from './thread.ts';

/**
 * An entry in the list of conversations: one thread, the threads of a session, the threads with the same opening, or side
 * calls. A group is named by its kind and a hash: `session:…`, `opening:…`, `side`.
 */
export interface ThreadGroup {
  readonly kind: 'thread' | 'session' | 'opening' | 'side';
  /** The argument of `inGroup`; absent for a single thread. */
  readonly group?: string;
  /** The thread that the group is named after. */
  readonly thread: Thread;
  readonly count: number;
  /** Whether there are more threads than were counted. */
  readonly isMore: boolean;
  /** The first few, last changed first. */
  readonly threads: readonly Thread[];
}

/** The group of side calls without a session, such as a client's request for a title. */
export const SIDE_GROUP = 'side';

/** How many threads of a group are counted; a larger group has `isMore`. */
const MOST_COUNTED = 200;
/** How many threads are read with one query. */
const SEEN_AT_ONCE = 50;
/** How many threads a listed group contains. */
const SHOWN_MEMBERS = 5;

/** The group of the threads of a session. */
export function sessionGroupId(session: string): string {
  return `session:${session}`;
}

/** The group of threads with the same opening; undefined without one: such a thread is listed alone. */
export function openingGroupId(opening: string): string | undefined {
  return opening === '' ? undefined : `opening:${sha256(`skein-opening/1\n${opening}`).slice(0, 24)}`;
}

/** Makes the refs to write when threads change: each thread in its group with the time, and the latest thread of the group. */
export async function makeGroupRefs(
  context: ForestContext,
  touches: readonly { readonly group: string; readonly thread: string; readonly touched: number }[],
): Promise<RefRecord[]> {
  // A query reads every name under every key, so it takes only a few threads at a time.
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

/** Lists the threads of a group, last changed first, without deleted ones. */
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
 * Lists groups, last changed first. It selects from the list of threads those that were changed last in their group, so
 * that threads without a group are listed, too.
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

/** A session is named after the conversation that it began with, not after the last request for a title. */
function firstMain(threads: readonly Thread[]): Thread | undefined {
  const main = threads.filter(({ part }) => part === 'main');
  return main.toSorted((a, b) => a.createdAt - b.createdAt)[0];
}

const MEMBER = 'thread:';

/** The name of the value that makes a thread a member of a group. */
export function memberName(thread: string): string {
  return `${MEMBER}${thread}`;
}

function isMember({ name, value }: RefRecord): boolean {
  return name.startsWith(MEMBER) && typeof value === 'number';
}

function threadIn({ name }: RefRecord): string {
  return name.slice(MEMBER.length);
}
