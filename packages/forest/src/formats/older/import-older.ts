import { seeingContext } from '../../forest/context.ts';
import type { Forest } from '../../forest/forest.ts';
import { createProgress } from '../progress.ts';
import type { Imported, ImportOptions } from '../types.ts';
import { addBookmarks } from './add-bookmarks.ts';
import { createConverter, type Seen } from './converter.ts';
import { needOlderLayout } from './need-layout.ts';
import { addThreads, hidingRecords } from './threads.ts';

const BATCH = 200;

/** All of a folder of the older layout, into any forest. */
export async function importOlder({ store }: Forest, folder: string, options: ImportOptions): Promise<Imported> {
  await needOlderLayout(folder);
  let read = 0;
  const progress = createProgress(options, () => read);
  const { problems, look } = createConverter(folder, seeingContext(store));
  const now = await look();
  let batch: Seen[] = [];
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
