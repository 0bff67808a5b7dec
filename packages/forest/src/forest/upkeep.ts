import { dialect, type Message } from '@skein/core';
import { ECHO_VERSION } from '../model/echo.ts';
import { nodeId, ROOT, sha256 } from '../model/ids.ts';
import { ENTRY_KINDS, type EntryRecord, type NodeRecord, type StoreRecord, type TakeRecord } from '../model/records.ts';
import { type CompactionCount, overlayStore, type Store, type StoreProblem } from '../store/index.ts';
import type { ForestContext } from './context.ts';
import { ForestError } from './errors.ts';
import { allItems, allPages } from './pages.ts';
import { readTakes } from './read/read-nodes.ts';
import { rebuildRequest } from './read/sent-request.ts';
import { walkAll } from './read/walk.ts';
import { readThreads } from './threads/thread.ts';
import { makeNodeRecords, readAppendPoint } from './write/append-point.ts';
import { listBookmarkIds, readBookmarks } from './write/bookmarks.ts';
import { moveAllStragglers } from './write/reparent.ts';

const REMEMBERED = 10_000;

/** Checks every node: its id, text, depth and echo, and whether the requests of its takes can be rebuilt. */
export async function checkForest(store: Store): Promise<readonly StoreProblem[]> {
  const problems: StoreProblem[] = [...store.problems(), ...(await store.check())];
  const remembering = rememberBodies(store);
  for await (const nodes of allPages((page) => store.scan(page))) {
    const [bodies, takes] = await Promise.all([
      store.bodies(nodes.map(({ body }) => body)),
      readTakes(
        store,
        nodes.map(({ id }) => id),
      ),
    ]);
    const moved = await movedAmong(store, nodes);
    for (const [index, node] of nodes.entries()) {
      if (moved.has(node.parent) && !moved.has(node.id))
        problems.push({ code: 'wrong-place', where: node.id, message: 'Its parent was moved without it: run settle.' });
      for await (const problem of checkNode(store, node, bodies[index])) problems.push(problem);
      for await (const problem of checkRequests(remembering, takes.get(node.id) ?? [])) problems.push(problem);
    }
  }
  return unique(problems);
}

async function* checkNode(store: Store, node: NodeRecord, raw: string | undefined): AsyncGenerator<StoreProblem> {
  const where = node.id;
  if (nodeId(node.parent, node.dialect, node.body) !== node.id)
    yield { code: 'wrong-hash', where, message: 'Its id is not that of its parent, its dialect and its text.' };
  const [parent] = node.parent === ROOT ? [undefined] : await store.nodes([node.parent]);
  if (node.parent !== ROOT && !parent) {
    yield { code: 'missing-parent', where, message: `Its parent ${node.parent} is not in the store.` };
    return;
  }
  if (raw === undefined) {
    yield { code: 'missing-body', where, message: `Its text ${node.body} is not in the store.` };
    return;
  }
  if (sha256(raw) !== node.body) {
    yield { code: 'wrong-hash', where, message: `Its text no longer has the hash ${node.body}.` };
    return;
  }
  const message = readText(node, raw);
  if (!message) {
    yield { code: 'damaged-record', where, message: `Its text is not a message of ${node.dialect}.` };
    return;
  }
  // The parent was checked itself, so one step of the chain is enough.
  const made = makeNodeRecords(await readAppendPoint(store, node.parent), message, node.at).node;
  if (made.depth !== node.depth || made.lead !== node.lead)
    yield { code: 'wrong-place', where, message: 'Its depth or the end of its leading system messages is wrong.' };
  if (node.echo.startsWith(`${ECHO_VERSION}:`) && node.echo !== made.echo)
    yield { code: 'wrong-echo', where, message: `Its echo is ${node.echo}; by the rule it is ${made.echo}.` };
}

/** Finds which of these nodes and their parents were moved. */
async function movedAmong(store: Store, nodes: readonly NodeRecord[]): Promise<Set<string>> {
  const keys = [...new Set(nodes.flatMap(({ id, parent }) => [id, parent]))];
  const { items } = await store.refs({ on: 'node', keys, names: ['moved'], limit: keys.length + 1 });
  return new Set(items.filter(({ value }) => typeof value === 'string').map(({ key }) => key));
}

function readText({ dialect: id }: NodeRecord, raw: string): Message | undefined {
  try {
    const message = dialect(id).parseMessage(raw);
    void message.facts;
    return message;
  } catch {
    return undefined;
  }
}

async function* checkRequests(store: Store, takes: readonly TakeRecord[]): AsyncGenerator<StoreProblem> {
  for (const { node, id, request } of takes) {
    if (!request) continue;
    try {
      await rebuildRequest(store, request);
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      yield { code: 'wrong-request', where: node, message: `The request of take ${id} cannot be rebuilt: ${why}.` };
    }
  }
}

/** Caches texts: the requests of a conversation share nearly all of them. */
function rememberBodies(store: Store): Store {
  const known = new Map<string, string | undefined>();
  const bodies: Store['bodies'] = async (digests) => {
    if (known.size > REMEMBERED) known.clear();
    const missing = [...new Set(digests.filter((digest) => !known.has(digest)))];
    if (missing.length > 0) {
      const found = await store.bodies(missing);
      for (const [index, digest] of missing.entries()) known.set(digest, found[index]);
    }
    return digests.map((digest) => known.get(digest));
  };
  return overlayStore(store, { bodies });
}

/** Drops duplicates: a store that checks hashes itself reports some problems, too. */
function unique(problems: readonly StoreProblem[]): StoreProblem[] {
  const byText = new Map(problems.map((problem) => [`${problem.code} ${problem.where} ${problem.message}`, problem]));
  return [...byText.values()];
}

/**
 * Deletes removed nodes that are on no path to a thread, a bookmark or a living node, with their takes, marks and texts;
 * deleted threads; and the streamed pieces of replies that became messages. Redirects and tombstones stay, so that former
 * ids still resolve and an old copy of the folder brings nothing back.
 */
export async function collectGarbage(
  context: ForestContext,
  { forget = () => false }: { readonly forget?: (record: StoreRecord) => boolean } = {},
): Promise<CompactionCount> {
  const { store } = context;
  await moveAllStragglers(context);
  const { named, deleted } = await namedNodes(context);
  const dead = await deadNodes(context, named);
  const needed = await findNeededBodies(store, (id) => dead.has(id));
  const done = await repliesThatAreMessages(context);
  refuseUnread(store);
  return store.compact((record) => isKept(record, dead, deleted, needed) && !isDone(record, done) && !forget(record));
}

/** Refuses while a file is unreadable: its records may need any text. */
function refuseUnread(store: Store): void {
  const unread = store.problems().find(({ code }) => code === 'unreadable-file');
  if (unread)
    throw new ForestError(
      'damaged',
      unread.where,
      `Nothing was deleted: ${unread.where} cannot be read, and its records may need any text. ${unread.message} Repair the file, or move it away.`,
    );
}

/** The pieces of a streamed reply are stored in case of a crash. A mark says that the reply became a message. */
async function repliesThatAreMessages({ store }: ForestContext): Promise<Set<string>> {
  const done = new Set<string>();
  for await (const { of, data } of allItems((page) => store.entries('event', page)))
    if (data.kept === true) done.add(`${of} ${data.reply}`);
  return done;
}

/** The mark itself stays, because an old copy of the folder may bring the pieces back. */
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

/** Finds the nodes that threads and bookmarks name, and the deleted threads. */
async function namedNodes(context: ForestContext): Promise<{ named: Set<string>; deleted: Set<string> }> {
  const { store } = context;
  const named = new Set<string>();
  const deleted = new Set<string>();
  for await (const refs of allPages((page) => store.refs({ on: 'thread', names: ['head'], ...page }))) {
    const ids = refs.map(({ key }) => key);
    for (const thread of await readThreads(store, ids))
      if (thread?.deleted) deleted.add(thread.id);
      else if (thread) named.add(thread.head).add(thread.start);
  }
  for await (const ids of allPages((page) => listBookmarkIds(context, page)))
    for (const { node } of await readBookmarks(context, ids)) named.add(node);
  return { named, deleted };
}

/** Finds the nodes at or below removed nodes, except those on a path to a named node. */
async function deadNodes({ store }: ForestContext, named: ReadonlySet<string>): Promise<Set<string>> {
  const dead = new Set<string>();
  const hiding = allItems((page) => store.refs({ on: 'node', names: ['removed', 'moved'], ...page }));
  for await (const { key, name, value } of hiding) {
    const isHidden = name === 'moved' ? typeof value === 'string' : value === true;
    if (!isHidden || dead.has(key)) continue;
    const [node] = await store.nodes([key]);
    if (!node) continue;
    dead.add(key);
    for await (const { record } of walkAll(store, { id: key, removed: true }, true)) dead.add(record.id);
  }
  for (const id of named) if (dead.has(id)) for (const node of await store.path(id)) dead.delete(node.id);
  return dead;
}

/**
 * The digests of all texts that living nodes need: their own, and those that their takes name. Entries belong to the engine
 * and the recorder, so any text that looks like a digest in them counts as one.
 */
export async function findNeededBodies(store: Store, isDead: (node: string) => boolean): Promise<Set<string>> {
  const needed = new Set<string>();
  for await (const nodes of allPages((page) => store.scan(page))) {
    const living = nodes.filter(({ id }) => !isDead(id));
    for (const { body } of living) needed.add(body);
    for (const take of await store.takes(living.map(({ id }) => id))) await addTakeTexts(store, take, needed);
  }
  for (const kind of ENTRY_KINDS)
    for await (const entry of allItems((page) => store.entries(kind, page))) await addEntryTexts(store, entry, needed);
  return needed;
}

/** Adds whatever looks like a digest in an entry, and the texts of the manifests among them. */
export async function addEntryTexts(store: Store, { data }: EntryRecord, needed: Set<string>): Promise<void> {
  for (const [digest] of JSON.stringify(data).matchAll(/\b[0-9a-f]{64}\b/g))
    await addManifestTexts(store, digest, needed);
}

/** Adds the digests of the texts that a take names: its envelope, its context, and the texts of its request. */
export async function addTakeTexts(store: Store, take: TakeRecord, needed: Set<string>): Promise<void> {
  const { envelope, context, request } = take;
  for (const { body } of context?.system ?? []) needed.add(body);
  if (context?.tools !== undefined) needed.add(context.tools);
  if (envelope !== undefined) needed.add(envelope);
  if (request?.sent !== undefined) needed.add(request.sent);
  if (request !== undefined) await addManifestTexts(store, request.manifest, needed);
}

/** Adds a stored manifest, the manifests it extends, and the texts that any of them names. */
async function addManifestTexts(store: Store, digest: string, needed: Set<string>): Promise<void> {
  for (let at: string | undefined = digest; at !== undefined && !needed.has(at); ) {
    needed.add(at);
    const [text] = await store.bodies([at]);
    const { base, head, messages } = parseManifest(text);
    if (typeof head === 'string') needed.add(head);
    if (Array.isArray(messages)) for (const message of messages) needed.add(String(message));
    at = typeof base === 'string' ? base : undefined;
  }
}

function parseManifest(text: string | undefined): { base?: unknown; head?: unknown; messages?: unknown } {
  try {
    const value: unknown = JSON.parse(text ?? '');
    return (value as { format?: unknown } | null)?.format === 'skein/manifest' ? (value as object) : {};
  } catch {
    return {};
  }
}
