import { readdir } from 'node:fs/promises';
import { fileIn, isOlderNodeId, isOlderRootId } from './layout.ts';

/** The ids of all nodes that have files, whether or not anything lists them. */
export async function* everyOlderId(folder: string): AsyncGenerator<string> {
  for (const root of await rootFolders(folder)) yield* await nodesIn(folder, root);
}

async function rootFolders(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  const names = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
  return names.filter(isOlderRootId).sort(byNumber);
}

async function nodesIn(folder: string, root: string): Promise<string[]> {
  const names = await readdir(fileIn(folder, `${root}/nodes`)).catch((error: { code?: unknown }) => {
    // A root may have no folder of nodes.
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  const ids = names.filter((name) => name.endsWith('.json')).map((name) => `${root}/${name.slice(0, -'.json'.length)}`);
  return ids.filter(isOlderNodeId).sort(byNumber);
}

function byNumber(a: string, b: string): number {
  return a.localeCompare(b, 'en', { numeric: true });
}
