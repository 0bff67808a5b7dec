import { createContext, type Forest } from '../../forest/index.ts';
import { memoryStore, type StoreProblem } from '../../store/index.ts';
import type { ImportOptions, ImportResult } from '../import-file.ts';
import { createImportTracker } from '../import-tracker.ts';
import { addBookmarks } from './bookmarks.ts';
import { type ConvertedNode, createConverter } from './converter.ts';
import { requireOlderLayout } from './older-files.ts';
import { addThreads, hidingRecords } from './threads.ts';

const BATCH = 200;

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

/**
 * Reads a whole folder of the older layout without writing anything.
 *
 * @example
 * const { read, unreadable, problems } = await verifyOlder('~/old-forest');
 */
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
