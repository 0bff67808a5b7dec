import type { StoreRecord } from '../model/index.ts';
import type { Compaction, Store } from '../store/index.ts';
import { bookmarkPage, readBookmarks } from './bookmarks.ts';
import type { Context } from './context.ts';
import { ForestError } from './errors.ts';
import { neededBodies } from './needed-bodies.ts';
import { everyItem, everyPage } from './pages.ts';
import { readThreads } from './read-threads.ts';
import { settleAll } from './settle.ts';
import { everyStep } from './walk.ts';

/**
 * Forgets removed nodes that no thread, no bookmark and no living node leads through, with their takes, marks and
 * texts, deleted threads, and the stream of every reply that is a message now. Redirects and tombstones stay: old ids lead on, and a copy of the folder from before
 * brings nothing back.
 */
export async function collectGarbage(
  context: Context,
  { forget = () => false }: { readonly forget?: (record: StoreRecord) => boolean } = {},
): Promise<Compaction> {
  const { store } = context;
  await settleAll(context);
  const { named, deleted } = await namedNodes(context);
  const dead = await deadNodes(context, named);
  const needed = await neededBodies(store, (id) => dead.has(id));
  const done = await repliesThatAreMessages(context);
  refuseUnread(store);
  return store.compact((record) => isKept(record, dead, deleted, needed) && !isDone(record, done) && !forget(record));
}

/** What is needed cannot be told while a file is not read: what it has may need any text. */
function refuseUnread(store: Store): void {
  const unread = store.problems().find(({ code }) => code === 'unreadable-file');
  if (unread)
    throw new ForestError(
      'damaged',
      unread.where,
      `Nothing was collected: ${unread.where} cannot be read, and what it has may need any text. ${unread.message} Mend it, or move it away.`,
    );
}

/** What came in while a model spoke is kept for the case of a crash. A mark says that it became a message. */
async function repliesThatAreMessages({ store }: Context): Promise<Set<string>> {
  const done = new Set<string>();
  for await (const { of, data } of everyItem((page) => store.entries('event', page)))
    if (data.kept === true) done.add(`${of} ${data.reply}`);
  return done;
}

/** The mark itself stays: a copy of the folder from before may bring the rest back. */
function isDone(record: StoreRecord, done: ReadonlySet<string>): boolean {
  return record.k === 'event' && record.data.kept !== true && done.has(`${record.of} ${record.data.reply}`);
}

function isKept(
  record: StoreRecord,
  dead: ReadonlySet<string>,
  deletedThreads: ReadonlySet<string>,
  needed: ReadonlySet<string>,
): boolean {
  switch (record.k) {
    case 'node':
      return !dead.has(record.id);
    case 'take':
      return !dead.has(record.node);
    case 'body':
      return needed.has(record.digest);
    case 'ref':
      if (record.on === 'thread') return !deletedThreads.has(record.key);
      return record.on !== 'node' || !dead.has(record.key) || record.name === 'moved' || record.name === 'removed';
    default:
      return true;
  }
}

/** Nodes that threads and bookmarks name, and the threads that were deleted. */
async function namedNodes(context: Context): Promise<{ named: Set<string>; deleted: Set<string> }> {
  const { store } = context;
  const named = new Set<string>();
  const deleted = new Set<string>();
  for await (const refs of everyPage((page) => store.refs({ on: 'thread', names: ['head'], ...page }))) {
    const ids = refs.map(({ key }) => key);
    for (const thread of await readThreads(store, ids))
      if (thread?.deleted) deleted.add(thread.id);
      else if (thread) named.add(thread.head).add(thread.start);
  }
  for await (const ids of everyPage((page) => bookmarkPage(context, page)))
    for (const { node } of await readBookmarks(context, ids)) named.add(node);
  return { named, deleted };
}

/** What hangs at or below removed nodes, but for the paths to what is named. */
async function deadNodes({ store }: Context, named: ReadonlySet<string>): Promise<Set<string>> {
  const dead = new Set<string>();
  const hiding = everyItem((page) => store.refs({ on: 'node', names: ['removed', 'moved'], ...page }));
  for await (const { key, name, value } of hiding) {
    const isHidden = name === 'moved' ? typeof value === 'string' : value === true;
    if (!isHidden || dead.has(key)) continue;
    const [node] = await store.nodes([key]);
    if (!node) continue;
    dead.add(key);
    for await (const { record } of everyStep(store, { id: key, removed: true }, true)) dead.add(record.id);
  }
  for (const id of named) if (dead.has(id)) for (const node of await store.path(id)) dead.delete(node.id);
  return dead;
}
