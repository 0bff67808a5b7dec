import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { user } from '@skein/core';
import { createForest, ROOT } from '@skein/forest';
import { storeConformance } from '@skein/forest/testing';
import { describe, expect, test } from 'vitest';
import { sqliteStore } from './sqlite-store.mjs';

async function open() {
  const folder = mkdtempSync(join(tmpdir(), 'skein-sqlite-'));
  const file = join(folder, 'forest.db');
  return {
    store: sqliteStore(file),
    again: async () => sqliteStore(file),
    end: async () => rmSync(folder, { recursive: true }),
  };
}

describe('a store on SQLite, from outside of the packages', () => {
  test.each(storeConformance('sqlite', open))('$name', ({ run }) => run());

  test('keeps a forest', async () => {
    const { store, again, end } = await open();
    const head = await createForest(store).append(ROOT, [user('Hello')]);
    await store.close();
    const forest = createForest(await again());
    expect((await forest.path(head)).map(({ message }) => message.text)).toEqual(['Hello']);
    expect(await forest.fsck()).toEqual([]);
    await forest.close();
    await end();
  });
});
