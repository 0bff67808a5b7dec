import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'vitest';
import { storeConformance } from '../../testing.ts';
import { fileStore } from './file-store.ts';

describe.each([
  ['the file store', {}],
  ['the file store with its index on the disk', { indexMemory: 0 }],
])('%s', (_, options) => {
  const open = async () => {
    const folder = await mkdtemp(join(tmpdir(), 'skein-file-'));
    return {
      store: await fileStore(folder, options),
      again: () => fileStore(folder, options),
      end: () => rm(folder, { recursive: true }),
    };
  };
  test.each(storeConformance('file', open))('$name', ({ run }) => run());
});
