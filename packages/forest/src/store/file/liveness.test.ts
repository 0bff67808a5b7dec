import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { diskFiles } from './disk.ts';
import { fileStore } from './file-store.ts';
import { readLife, showLife } from './liveness.ts';

const folders: string[] = [];
afterAll(async () => {
  for (const folder of folders) await rm(folder, { recursive: true });
});

test('a process that is killed while it begins to pack does not lock the folder for ever', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'skein-life-'));
  folders.push(folder);
  const files = diskFiles();
  const dying = {
    ...files,
    write: async (path: string) => {
      await files.write(path, Buffer.alloc(0));
      throw new Error('killed');
    },
  };
  const writers = join(folder, 'projects', 'default', 'writers');
  await expect(showLife(dying, writers, 'compacting')).rejects.toThrow('killed');
  expect(await readLife(files, writers, 'compacting')).toBe('none');
  const store = await fileStore(folder);
  await store.compact(() => true);
  await store.close();
});
