import { ENTRY_KINDS, type StoreRecord, type TakeRecord } from '../model/index.ts';
import type { Compaction, Store } from '../store/index.ts';
import type { Context } from './context.ts';
import { ForestError } from './errors.ts';
import { everyItem, everyPage } from './pages.ts';
import { everyStep } from './read/walk.ts';
import { readThreads } from './threads/thread.ts';
import { bookmarkPage, readBookmarks } from './write/bookmarks.ts';
import { settleAll } from './write/reparent.ts';

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

/** `digest` of every text that living nodes need: their own, envelopes, and what their requests were joined from. */
export async function neededBodies(store: Store, isDead: (node: string) => boolean): Promise<Set<string>> {
  const needed = new Set<string>();
  const manifests = new Set<string>();
  for await (const nodes of everyPage((page) => store.scan(page))) {
    const living = nodes.filter(({ id }) => !isDead(id));
    for (const { body } of living) needed.add(body);
    for (const take of await store.takes(living.map(({ id }) => id))) {
      for (const digest of textsOf(take)) needed.add(digest);
      if (take.request !== undefined) manifests.add(take.request.manifest);
    }
  }
  for (const manifest of manifests) await addManifest(store, manifest, needed);
  for (const kind of ENTRY_KINDS)
    for await (const { data } of everyItem((page) => store.entries(kind, page))) await addNamed(store, data, needed);
  return needed;
}

/** The texts that a take names itself; its manifest names more. */
export function textsOf({ envelope, context }: TakeRecord): string[] {
  const system = context?.system.map(({ body }) => body) ?? [];
  return [...system, context?.tools, envelope].filter((digest) => digest !== undefined);
}

/** A stored manifest, those it extends, and the texts that any of them names. */
export async function addManifest(store: Store, digest: string, needed: Set<string>): Promise<void> {
  for (let at: string | undefined = digest; at !== undefined && !needed.has(at); ) {
    needed.add(at);
    const [text] = await store.bodies([at]);
    const { base, head, messages } = readManifest(text);
    if (typeof head === 'string') needed.add(head);
    if (Array.isArray(messages)) for (const message of messages) needed.add(String(message));
    at = typeof base === 'string' ? base : undefined;
  }
}

/** What an entry says is its owner's business: whatever looks like the name of a text in it is taken for one. */
async function addNamed(store: Store, data: unknown, needed: Set<string>): Promise<void> {
  for (const [digest] of JSON.stringify(data).matchAll(/\b[0-9a-f]{64}\b/g))
    if (!needed.has(digest)) await addManifest(store, digest, needed);
}

function readManifest(text: string | undefined): { base?: unknown; head?: unknown; messages?: unknown } {
  try {
    const value: unknown = JSON.parse(text ?? '');
    return (value as { format?: unknown } | null)?.format === 'skein/manifest' ? (value as object) : {};
  } catch {
    return {};
  }
}
