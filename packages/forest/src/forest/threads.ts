import { randomUUID } from 'node:crypto';
import type { RefRecord } from '../model/index.ts';
import type { Page } from '../store/index.ts';
import type { Context } from './context.ts';
import { ForestError } from './errors.ts';
import { marksOf } from './read-nodes.ts';
import { setRef } from './refs.ts';
import { followRedirects, resolveId } from './resolve.ts';
import type { Thread, Threads } from './types.ts';

/** Conversations as people see them: each a few named values, so that two writers can change different ones. */
export function threadsOf(context: Context): Threads {
  const { store } = context;

  const set = async (id: string, values: Readonly<Record<string, unknown>>): Promise<Thread> => {
    await store.append(Object.entries(values).map(([name, value]) => setRef(context, 'thread', id, name, value)));
    return get(id);
  };

  const get = async (id: string): Promise<Thread> => {
    const { items } = await store.refs({ on: 'thread', keys: [id], limit: Number.MAX_SAFE_INTEGER });
    const thread = await readThread(context, id, items);
    if (!thread) throw new ForestError('unknown_thread', id, `There is no thread ${id} in this forest.`);
    return thread;
  };

  return {
    async create({ head, start, title, id = newId() }) {
      return set(id, {
        start: await resolveId(store, start ?? 'root'),
        head: await resolveId(store, head),
        title: title ?? '',
        created: context.clock.now(),
      });
    },
    get,
    async list({ deleted = false, tag, ...page } = {}) {
      const heads = await store.refs({ on: 'thread', names: ['head'], order: 'newest', ...page });
      const threads = await Promise.all(heads.items.map(({ key }) => get(key)));
      const items = threads.filter(
        (thread) => thread.deleted === deleted && (tag === undefined || thread.tags.includes(tag)),
      );
      return withNext(items, heads.next);
    },
    async of(node) {
      const id = await resolveId(store, node);
      const found: Thread[] = [];
      for (let after: string | undefined, more = true; more; ) {
        const page: Page<RefRecord> = await store.refs({
          on: 'thread',
          names: ['head'],
          ...(after && { after }),
          limit: 1000,
        });
        for (const { key } of page.items) {
          const thread = await get(key);
          if (await isOnOnePath(context, thread.head, id)) found.push(thread);
        }
        after = page.next;
        more = after !== undefined;
      }
      return found;
    },
    async rename(id, title) {
      await get(id);
      return set(id, { title });
    },
    async moveHead(id, head) {
      await get(id);
      return set(id, { head: await resolveId(store, head) });
    },
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
    async tag(id, tags) {
      await get(id);
      return set(id, Object.fromEntries(Object.entries(tags).map(([tag, on]) => [`tag:${tag}`, on ? true : null])));
    },
    async note(id, text) {
      await get(id);
      return set(id, { note: text });
    },
    async rate(id, rating) {
      await get(id);
      return set(id, { rating });
    },
    async delete(id) {
      await get(id);
      await set(id, { deleted: true });
    },
    async restore(id) {
      await get(id);
      return set(id, { deleted: null });
    },
  };
}

function newId(): string {
  return randomUUID().replaceAll('-', '').slice(0, 16);
}

async function readThread({ store }: Context, id: string, refs: readonly RefRecord[]): Promise<Thread | undefined> {
  const values = new Map(refs.map(({ name, value }) => [name, value]));
  const head = values.get('head');
  const start = values.get('start');
  if (typeof head !== 'string' || typeof start !== 'string') return undefined;
  const created = Number(values.get('created') ?? 0);
  const forkedFrom = values.get('forkedFrom');
  return {
    id,
    start: await followRedirects(store, start),
    head: await followRedirects(store, head),
    title: String(values.get('title') ?? ''),
    ...marksOf(refs),
    createdAt: created,
    updatedAt: Math.max(created, ...refs.map(({ clock }) => Number.parseInt(clock, 36) || 0)),
    deleted: values.get('deleted') === true,
    ...(typeof forkedFrom === 'string' && { forkedFrom }),
  };
}

async function isOnOnePath({ store }: Context, head: string, node: string): Promise<boolean> {
  const path = await store.path(head);
  return path.some(({ id }) => id === node);
}

function withNext<T>(items: readonly T[], next: string | undefined): Page<T> {
  return next === undefined ? { items } : { items, next };
}
