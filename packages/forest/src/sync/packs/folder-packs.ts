import { randomUUID } from 'node:crypto';
import { mkdir, open, readdir, readFile, rename } from 'node:fs/promises';
import { dirname, join, sep } from 'node:path';
import { HEAD_FILE, type PackStorage } from './pack-place.ts';

/**
 * A folder as a place for packs, such as one that another program copies elsewhere.
 *
 * @example
 * const there = packPeer(folderPacks('/media/stick/skein'), { project: 'default', cipher });
 */
export function folderPacks(folder: string): PackStorage {
  return {
    name: folder,
    async list() {
      const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch((error) => {
        if (error.code === 'ENOENT') return [];
        throw error;
      });
      const files = entries.filter((entry) => entry.isFile() && !entry.name.endsWith(UNFINISHED));
      return files.map(({ parentPath, name }) =>
        join(parentPath, name).slice(join(folder, sep).length).replaceAll(sep, '/'),
      );
    },
    async *read(paths) {
      for (const path of paths) yield { path, bytes: await readFile(join(folder, path)) };
    },
    async add(files) {
      // The head first: a folder with packs always says what it is.
      const inOrder = [...files].sort(([a], [b]) => Number(b === HEAD_FILE) - Number(a === HEAD_FILE));
      for (const [path, bytes] of inOrder) await writeFile(join(folder, path), bytes);
    },
  };
}

const UNFINISHED = '.unfinished';

/** Under another name first, so that nobody sees a part of it. */
async function writeFile(path: string, bytes: Uint8Array): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const unfinished = join(dirname(path), `${randomUUID()}${UNFINISHED}`);
  const file = await open(unfinished, 'wx', 0o600);
  try {
    await file.writeFile(bytes);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(unfinished, path);
}
