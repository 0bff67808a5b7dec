import { seeingContext } from '../../forest/context.ts';
import { memoryStore, type Problem } from '../../store/index.ts';
import { addBookmarks } from './add-bookmarks.ts';
import { createConverter } from './converter.ts';
import { needOlderLayout } from './need-layout.ts';

export interface OlderReport {
  /** Node files that were looked at. */
  readonly read: number;
  readonly converted: number;
  readonly unreadable: number;
  /** What is wrong, by the name of the file. */
  readonly problems: readonly Problem[];
}

/** Reads a folder of the older layout as opening it would, and writes nothing. */
export async function verifyOlder(
  folder: string,
  { onProgress }: { readonly onProgress?: (read: number) => void } = {},
): Promise<OlderReport> {
  await needOlderLayout(folder);
  const { problems, look } = createConverter(folder, seeingContext(memoryStore()));
  const now = await look();
  let read = 0;
  let converted = 0;
  for await (const seen of now.all()) {
    read += 1;
    if (seen) {
      converted += 1;
      // What the file lists may not be there.
      await now.children(seen.node.id);
    }
    if (read % 100 === 0) onProgress?.(read);
  }
  for (const { id } of await now.roots()) await now.children(id);
  await addBookmarks(folder, now, problems);
  onProgress?.(read);
  return { read, converted, unreadable: read - converted, problems: problems.list() };
}
