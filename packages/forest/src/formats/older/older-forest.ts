import { canonical } from '@skein/core';
import {
  createContext,
  createForest,
  type Forest,
  type ForestContext,
  makeRef,
  makeTitle,
  readRefs,
  shortenTitle,
} from '../../forest/index.ts';
import { ROOT } from '../../model/ids.ts';
import type { RefRecord } from '../../model/records.ts';
import { memoryStore, overlayStore, type RefQuery, type Store, type StoreProblem } from '../../store/index.ts';
import { FormatError } from '../format-error.ts';
import type { ImportOptions, ImportResult } from '../import-file.ts';
import { createImportTracker } from '../import-tracker.ts';
import { sourceStamp } from '../imported-thread.ts';
import { readTime } from '../source/exact-json.ts';
import { addBookmarks } from './bookmarks.ts';
import { readOlderTime, rootFacts } from './convert.ts';
import { type ConvertedNode, createConverter, type FolderScan, loadKnownNodes } from './converter.ts';
import { isOlderNodeId, nodeFile, type OlderRoot, requireOlderLayout } from './older-files.ts';

const BATCH = 200;

export async function openOlder(
  folder: string,
  { store, project }: { readonly store: Store; readonly project?: string },
): Promise<Forest> {
  return createForest(await olderStore(folder, store), project === undefined ? {} : { project });
}

/**
 * A store that shows a folder of the older layout, together with what was written since. Nodes are converted on demand
 * and kept in the store `beside` it. The files of the folder are never changed, and are checked again on every read.
 * Queries over everything, such as a search, convert everything.
 */
async function olderStore(folder: string, beside: Store): Promise<Store> {
  await requireOlderLayout(folder);
  const context = createContext(beside);
  const known = await loadKnownNodes(context.store);
  const { problems, scan } = createConverter(folder, context, known);
  let queue: Promise<unknown> = Promise.resolve();
  let hidden: readonly OlderRoot[] | undefined;

  /** Runs once for each state of `roots.json`. */
  const hideDeleted = async (now: FolderScan) => {
    const roots = await now.roots();
    if (roots !== hidden) await hideDeletedRoots(now, context);
    hidden = roots;
  };

  /** Scans run one at a time; two at once would convert the same files. */
  const looking = (work: (now: FolderScan) => Promise<void>): Promise<void> => {
    const done = queue.then(async () => {
      const now = await scan();
      await work(now);
      await now.flush();
    });
    queue = done.catch(() => undefined);
    return done;
  };

  const everything = () =>
    looking(async (now) => {
      await hideDeleted(now);
      let count = 0;
      for await (const seen of now.all()) if (seen && ++count % BATCH === 0) await now.flush();
    });

  const below = (ids: readonly string[]) =>
    looking(async (now) => {
      for (const id of ids) {
        const roots = await now.rootsAt(id);
        for (const root of roots) await now.children(root.id);
        if (roots.length > 0 || id === ROOT) await hideDeleted(now);
        for (const older of known.becoming(id)) await now.children(older);
        for (const older of known.below(id)) await now.refresh(older);
      }
    });

  const named = async (now: FolderScan, older: string) => {
    if (await now.node(older)) return;
    const problem = problems.list().find(({ where }) => where === nodeFile(older));
    throw new FormatError('wrong_shape', `${nodeFile(older)} cannot be read. ${problem?.message ?? ''}`);
  };

  const prepareRefs = async ({ on, keys, names }: RefQuery) => {
    if (on === 'bookmark') return looking((now) => addBookmarks(folder, now, problems));
    if (on === 'thread')
      return looking(async (now) => {
        await addThreads(now);
        await hideDeleted(now);
      });
    if (on === 'older')
      return looking(async (now) => {
        for (const key of keys?.filter(isOlderNodeId) ?? []) await named(now, key);
      });
    // Redirects are read whenever an id is looked up, which is the moment to notice a changed file.
    const older =
      on === 'node' && names?.length === 1 && names[0] === 'moved' ? (keys ?? []).flatMap(known.becoming) : [];
    if (older.length === 0) return;
    return looking(async (now) => {
      for (const id of older) await now.refresh(id);
    });
  };

  const overlay: Partial<Store> = {
    async children(id, page) {
      await below([id]);
      return beside.children(id, page);
    },
    async childCounts(ids) {
      await below(ids);
      return beside.childCounts(ids);
    },
    async nodes(ids) {
      const found = await beside.nodes(ids);
      if (found.every((node, index) => node || ids[index] === ROOT)) return found;
      await everything();
      return beside.nodes(ids);
    },
    async refs(query) {
      await prepareRefs(query);
      return beside.refs(query);
    },
    problems: () => [...beside.problems(), ...problems.list()],
  };
  const whole = ['idsLike', 'scan', 'deepest', 'byEcho', 'search', 'check', 'compact'] as const;
  for (const name of whole) {
    const read = beside[name] as (...args: unknown[]) => Promise<never>;
    overlay[name] = async (...args: unknown[]) => {
      await everything();
      return read.apply(beside, args);
    };
  }
  return overlayStore(beside, overlay);
}

/** Imports a folder of the older layout into a forest. */
export async function importOlder({ store }: Forest, folder: string, options: ImportOptions): Promise<ImportResult> {
  await requireOlderLayout(folder);
  let read = 0;
  const progress = createImportTracker(options, () => read);
  const { problems, scan } = createConverter(folder, createContext(store));
  const now = await scan();
  let batch: ConvertedNode[] = [];
  const write = async () => {
    const ids = [...new Set(batch.map(({ id }) => id))];
    const added = (await store.nodes(ids)).filter((node) => !node).length;
    await now.flush();
    progress.done({ elements: 0, messages: batch.length, added });
    batch = [];
  };
  for await (const seen of now.all()) {
    read += 1;
    if (seen) batch.push(seen);
    if (batch.length >= BATCH) await write();
  }
  await write();
  const threads = await addThreads(now);
  for (const thread of threads) progress.thread(thread);
  for (const root of await now.roots()) if (root.deleted) now.add(await hidingRecords(now, root, true));
  await addBookmarks(folder, now, problems);
  await now.flush();
  progress.done({ elements: threads.length, messages: 0, added: 0 });
  for (const { where, code, message } of problems.list()) progress.problem(where, { code, message });
  return progress.result('older');
}

/** The result of `verifyOlder`. */
export interface OlderReport {
  /** The number of node files. */
  readonly read: number;
  readonly converted: number;
  readonly unreadable: number;
  /** The problems, each with the name of its file. */
  readonly problems: readonly StoreProblem[];
}

export async function verifyOlder(
  folder: string,
  { onProgress }: { readonly onProgress?: (read: number) => void } = {},
): Promise<OlderReport> {
  await requireOlderLayout(folder);
  const { problems, scan } = createConverter(folder, createContext(memoryStore()));
  const now = await scan();
  let read = 0;
  let converted = 0;
  for await (const seen of now.all()) {
    read += 1;
    if (seen) {
      converted += 1;
      // Listed children may be missing.
      await now.children(seen.node.id);
    }
    if (read % 100 === 0) onProgress?.(read);
  }
  for (const { id } of await now.roots()) await now.children(id);
  await addBookmarks(folder, now, problems);
  onProgress?.(read);
  return { read, converted, unreadable: read - converted, problems: problems.list() };
}

/** Adds a thread for each first message of a root. Its head is found by following the last child each time. */
async function addThreads(scan: FolderScan): Promise<string[]> {
  const threads: string[] = [];
  for (const root of await scan.roots()) {
    for (const first of await scan.children(root.id)) {
      const records = threadRecords(first, await lastBelow(scan, first));
      scan.add(records);
      threads.push(records[0]!.key);
    }
  }
  return threads;
}

async function lastBelow(scan: FolderScan, first: ConvertedNode): Promise<ConvertedNode> {
  let at = first;
  for (let next: ConvertedNode | undefined = first; next; next = (await scan.children(at.node.id)).at(-1)) at = next;
  return at;
}

function threadRecords(first: ConvertedNode, head: ConvertedNode): RefRecord[] {
  const created = readOlderTime(first.node, first.root);
  const touched = readOlderTime(head.node, head.root);
  const { message } = first.node;
  const title = makeTitle([message]) || shortenTitle(message.text);
  const values = { start: first.id, head: head.place.id, title, created, touched };
  const clock = sourceStamp(Math.max(created, touched));
  return refsOn('thread', threadKey(first), values, clock);
}

function threadKey({ node }: ConvertedNode): string {
  return `older:${node.id.replace('/', ':')}`;
}

/**
 * The refs that hide the conversations of a root, or show them again. Nodes shared with a root that is not deleted stay
 * visible.
 */
async function hidingRecords(scan: FolderScan, root: OlderRoot, deleted: boolean): Promise<RefRecord[]> {
  const shared = new Set<string>();
  for (const other of await scan.roots())
    if (!other.deleted) for (const { id } of await scan.children(other.id)) shared.add(id);
  const stamp = sourceStamp((readTime(root.createdAt) ?? 0) + 1);
  return (await scan.children(root.id)).flatMap((first) => [
    ...refsOn('thread', threadKey(first), { deleted }, stamp),
    ...(deleted && shared.has(first.id) ? [] : refsOn('node', first.id, { removed: deleted }, stamp)),
  ]);
}

function refsOn(
  on: RefRecord['on'],
  key: string,
  values: Readonly<Record<string, unknown>>,
  clock: string,
): RefRecord[] {
  return Object.entries(values).map(([name, value]) => ({ k: 'ref', on, key, name, value, clock }));
}

/** Hides the roots that were deleted in the folder. Each deletion counts once, so what is restored here stays. */
async function hideDeletedRoots(scan: FolderScan, context: ForestContext): Promise<void> {
  const roots = await scan.roots();
  const keys = roots.map(({ id }) => id);
  const stored = await readRefs(context, 'older', keys, ['root']);
  const before = new Map(stored.map(({ key, value }) => [key, value as { deleted?: unknown }]));
  for (const root of roots) {
    const facts = rootFacts(root);
    const there = before.get(root.id);
    if (there && canonical(JSON.stringify(there)) === canonical(JSON.stringify(facts))) continue;
    scan.add([makeRef(context, 'older', root.id, 'root', facts)]);
    if ((there?.deleted === true) === root.deleted) continue;
    for (const { on, key, name, value } of await hidingRecords(scan, root, root.deleted)) {
      await readRefs(context, on, [key], [name]);
      scan.add([makeRef(context, on, key, name, value)]);
    }
  }
}
