import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'vitest';
import { storeConformance } from '../../testing.ts';
import { fileStore } from './file-store.ts';

describe('the file store', () => {
  const open = async () => {
    const folder = await mkdtemp(join(tmpdir(), 'skein-file-'));
    return {
      store: await fileStore(folder),
      again: () => fileStore(folder),
      end: () => rm(folder, { recursive: true }),
    };
  };
  test.each(storeConformance('file', open))('$name', ({ run }) => run());
});
