import { appendFile, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileStore } from './file-store.ts';

/** A forest on the real disk, and what lies in its folder. */
export async function testFolder() {
  const folder = await mkdtemp(join(tmpdir(), 'skein-file-'));
  const own = join(folder, 'projects', 'default');
  const segments = join(own, 'segments');
  return {
    folder,
    own,
    open: () => fileStore(folder),
    names: async () => (await readdir(segments)).sort(),
    read: (name: string) => readFile(join(segments, name), 'utf8'),
    write: (name: string, text: string | Uint8Array) => writeFile(join(segments, name), text),
    append: (name: string, text: string) => appendFile(join(segments, name), text),
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}

export type TestFolder = Awaited<ReturnType<typeof testFolder>>;
