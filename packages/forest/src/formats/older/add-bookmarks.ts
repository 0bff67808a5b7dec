import { bookmarkRecords, configFiles, readOlderBookmarks } from './bookmarks.ts';
import type { Look } from './converter.ts';
import type { FileProblems } from './problems.ts';

/** Bookmarks of the configuration; one whose node cannot be read is reported with the file it is in. */
export async function addBookmarks(folder: string, look: Look, problems: FileProblems): Promise<void> {
  for (const file of await configFiles(folder)) {
    try {
      const bookmarks = await readOlderBookmarks(folder, file);
      problems.settle(file);
      for (const bookmark of bookmarks) {
        const seen = await look.node(bookmark.nodeId);
        if (seen) look.add(bookmarkRecords(bookmark, seen.place.id));
        else
          problems.report(
            file,
            new Error(`The bookmark "${bookmark.title}" is on ${bookmark.nodeId}, which cannot be read.`),
          );
      }
    } catch (error) {
      problems.report(file, error);
    }
  }
}
