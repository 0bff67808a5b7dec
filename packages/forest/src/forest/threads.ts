import { randomUUID } from 'node:crypto';
import type { RefRecord } from '../model/index.ts';
import type { Context } from './context.ts';
import { ForestError } from './errors.ts';
import { noteValue, ratingValue, tagValues } from './marks.ts';
import { everyPage, filteredPage } from './pages.ts';
import { readThreads } from './read-threads.ts';
import { setRef } from './refs.ts';
import { resolveId } from './resolve.ts';
import { titleAt } from './thread-title.ts';
import { throughNode } from './through-node.ts';
import type { Thread, Threads } from './types.ts';

/** Conversations as people see them: each a few named values, so that two writers can change different ones. */
export function threadsOf(context: Context): Threads {
  const { store } = context;

  const get = async (id: string): Promise<Thread> => {
    const [thread] = await readThreads(store, [id]);
    if (!thread) throw new ForestError('unknown_thread', id, `There is no thread ${id} in this forest.`);
    return thread;
  };

  const set = async (id: string, values: Readonly<Record<string, unknown>>): Promise<Thread> => {
    // `touched` is what the list is sorted by: it changes with every change of any value.
    const entries = Object.entries({ ...values, touched: context.clock.now() });
    await store.append(entries.map(([name, value]) => setRef(context, 'thread', id, name, value)));
    return get(id);
  };

  const change = async (id: string, values: Readonly<Record<string, unknown>>): Promise<Thread> => {
    await get(id);
    return set(id, values);
  };

  const touched = (request: object) => store.refs({ on: 'thread', names: ['touched'], order: 'newest', ...request });
  const keysOf = (refs: readonly RefRecord[]) => refs.map(({ key }) => key);

  return {
    get,
    async create({ head, start, title, id = newId() }) {
      if (!/^[\w.:-]{1,200}$/.test(id))
        throw new ForestError(
          'bad_name',
          id,
          `"${id.slice(0, 60)}" is not a thread id: use letters, digits and . _ : -`,
        );
      const [from, to] = await Promise.all([resolveId(store, start ?? 'root'), resolveId(store, head)]);
      // Read first, so that what is written now is later than what is there.
      const [there] = await readThreads(store, [id]);
      const created = there?.createdAt ?? context.clock.now();
      return set(id, { start: from, head: to, title: title ?? (await titleAt(store, to)), created });
    },
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
    async of(node) {
      const isThrough = await throughNode(store, await resolveId(store, node));
      const found: Thread[] = [];
      for await (const refs of everyPage(touched)) {
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
    async fork(id, { at, title } = {}) {
      const thread = await get(id);
      return set(newId(), {
        start: thread.start,
        head: at === undefined ? thread.head : await resolveId(store, at),
        title: title ?? thread.title,
        created: context.clock.now(),
        forkedFrom: id,
      });
    },
    tag: async (id, tags) => change(id, tagValues(tags)),
    note: async (id, text) => change(id, { note: noteValue(text) }),
    rate: async (id, rating) => change(id, { rating: ratingValue(rating) }),
    async delete(id) {
      await change(id, { deleted: true });
    },
    restore: (id) => change(id, { deleted: false }),
  };
}

function newId(): string {
  return randomUUID().replaceAll('-', '').slice(0, 16);
}
