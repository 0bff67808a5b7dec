import { readdir } from 'node:fs/promises';
import { OutsideError, openBelow } from './safe-open.ts';

export interface Entry {
  /** From the folder of the tools. */
  readonly path: string;
  readonly type: 'file' | 'folder';
}

/** What is in a folder, by name; hidden things, links and devices are left out. */
export async function listFolder(folder: string, path: string): Promise<Entry[]> {
  const opened = await openBelow(folder, path);
  try {
    if (!(await opened.handle.stat()).isDirectory()) throw new OutsideError(path, 'it is a file, not a folder');
    // By the descriptor, where that can be said: the path may be another folder by now.
    const place = process.platform === 'linux' ? `/proc/self/fd/${opened.handle.fd}` : opened.path;
    const entries = await readdir(place, { withFileTypes: true });
    // Elsewhere the same question is asked again afterwards.
    if (process.platform !== 'linux') await (await openBelow(folder, path)).handle.close();
    return entries
      .filter((entry) => !entry.name.startsWith('.') && (entry.isFile() || entry.isDirectory()))
      .map((entry): Entry => {
        const inner = opened.name ? `${opened.name}/${entry.name}` : entry.name;
        return { path: inner, type: entry.isDirectory() ? 'folder' : 'file' };
      })
      .sort((a, b) => (a.path < b.path ? -1 : 1));
  } finally {
    await opened.handle.close();
  }
}
