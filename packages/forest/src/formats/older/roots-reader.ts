import { ROOTS_FILE } from './layout.ts';
import type { FileProblems } from './problems.ts';
import { type FileState, fileState, type OlderRoot, readRoots } from './read-files.ts';

/** The roots, read again only when their file was changed: the same list means the same file. */
export function createRootsReader(folder: string, problems: FileProblems): () => Promise<readonly OlderRoot[]> {
  let last: { readonly state: FileState | undefined; readonly roots: readonly OlderRoot[] } | undefined;

  const read = async (): Promise<readonly OlderRoot[]> => {
    problems.settle(ROOTS_FILE);
    try {
      return await readRoots(folder, (error) => problems.report(ROOTS_FILE, error));
    } catch (error) {
      problems.report(ROOTS_FILE, error);
      return [];
    }
  };

  return async () => {
    const state = await fileState(folder, ROOTS_FILE);
    if (!last || last.state?.mtime !== state?.mtime || last.state?.size !== state?.size)
      last = { state, roots: await read() };
    return last.roots;
  };
}
