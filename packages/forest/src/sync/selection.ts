import { addEntryTexts, addTakeTexts, allItems, allPages, memberName, readThreads } from '../forest/index.ts';
import type { EntryKind, EntryRecord, StoreRecord } from '../model/records.ts';
import type { Store } from '../store/index.ts';

/** Which conversations two forests bring together. A conversation has to meet all conditions. */
export interface SyncSelection {
  /** A tag of the thread. */
  readonly tag?: string;
  /** Changed from then on, in milliseconds. */
  readonly since?: number;
  /** Last changed before then, in milliseconds. */
  readonly until?: number;
}

/** Finds the threads of a selection. Deleted ones are among them, so that their deletion travels. */
export async function findThreads(store: Store, { tag, since, until }: SyncSelection): Promise<string[]> {
  const found: string[] = [];
  for await (const refs of allPages((page) => store.refs({ on: 'thread', names: ['touched'], ...page }))) {
    const keys = refs.map(({ key }) => key);
    for (const thread of await readThreads(store, keys)) {
      if (!thread || (tag !== undefined && !thread.tags.includes(tag))) continue;
      if (thread.updatedAt >= (since ?? -Infinity) && thread.updatedAt < (until ?? Infinity)) found.push(thread.id);
    }
  }
  return found.sort();
}

/**
 * Reads the records of some threads: their values, the messages on their paths with marks and bookmarks, how each message
 * was made, and what was recorded of it. `needed` receives the digests of the texts.
 */
export async function* readSelected(
  store: Store,
  threads: readonly string[],
  needed: Set<string>,
): AsyncGenerator<readonly StoreRecord[]> {
  const nodes = new Set<string>();
  const takeEntries = new Set<string>();
  for (const id of threads) {
    const values = await refsOf(store, 'thread', id);
    yield values;
    const [thread] = await readThreads(store, [id]);
    if (!thread) continue;
    if (thread.group !== undefined)
      yield (await store.refs({ on: 'group', keys: [thread.group], names: [memberName(id), 'latest'] })).items;
    const path = (await store.path(thread.head)).filter((node) => !nodes.has(node.id));
    const takes = await store.takes(path.map((node) => node.id));
    for (const node of path) {
      nodes.add(node.id);
      needed.add(node.body);
    }
    for (const take of takes) {
      await addTakeTexts(store, take, needed);
      for (const [kind, entry] of [
        ['exchange', take.exchange],
        ['generation', take.generation],
      ] as const)
        if (entry !== undefined) takeEntries.add(`${kind}/${entry}`);
    }
    yield path;
    yield takes;
    for (const { id: node } of path) yield refsOf(store, 'node', node);
  }
  yield* readBookmarks(store, nodes);
  for (const name of takeEntries) {
    const slash = name.indexOf('/');
    const entries = await readEntries(store, name.slice(0, slash) as EntryKind, name.slice(slash + 1));
    for (const entry of entries) await addEntryTexts(store, entry, needed);
    yield entries;
  }
}

async function refsOf(store: Store, on: 'thread' | 'node' | 'bookmark', key: string) {
  return (await store.refs({ on, keys: [key], limit: Number.MAX_SAFE_INTEGER })).items;
}

async function* readBookmarks(store: Store, nodes: ReadonlySet<string>): AsyncGenerator<readonly StoreRecord[]> {
  for await (const { key, value } of allItems((page) => store.refs({ on: 'bookmark', names: ['node'], ...page })))
    if (nodes.has(String(value))) yield refsOf(store, 'bookmark', key);
}

/** An entry, and the entries that belong to it. */
async function readEntries(store: Store, kind: EntryKind, id: string): Promise<EntryRecord[]> {
  const first = await store.entry(kind, id);
  const entries = first ? [first] : [];
  for (const below of kind === 'exchange' ? (['exchange'] as const) : (['event', 'tool-journal'] as const))
    for await (const page of allPages((request) => store.entries(below, { of: id, ...request }))) entries.push(...page);
  return entries;
}
