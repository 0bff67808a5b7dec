import { describe, expect, test } from 'vitest';
import { makeNode, makePath, toRecords } from '../../testing/store-samples.ts';
import { fileStore } from './file-store.ts';
import { createTestDisk } from './test-disk.ts';

const path = makePath(['a', 'b', 'c']);
const ids = path.map(({ node }) => node.id);

describe('a disk that is full', () => {
  test.each([0, 10, 100, 500, 900])(
    'with %i bytes left refuses, counts nothing of the batch, and goes on later',
    async (space) => {
      const disk = createTestDisk();
      const store = await fileStore('/f', { files: disk.files() });
      await store.append(toRecords(path.slice(0, 1)));
      disk.setSpace(space);
      await expect(store.append(toRecords(path.slice(1)))).rejects.toMatchObject({ code: 'store_full' });
      const other = await fileStore('/f', { files: disk.files() });
      for (const one of [store, other]) {
        expect(await one.deepest(ids)).toBe(0);
        expect(await one.bodies(path.map(({ body }) => body.digest))).toEqual([
          path[0]!.body.text,
          undefined,
          undefined,
        ]);
      }
      disk.setSpace(Infinity);
      await store.append(toRecords(path.slice(1)));
      expect([await store.deepest(ids), (await other.path(ids[2]!)).length]).toEqual([2, 3]);
      expect(await other.check()).toEqual([]);
    },
  );

  test('at the first write leaves a forest that can be opened', async () => {
    const disk = createTestDisk();
    const store = await fileStore('/f', { files: disk.files() });
    disk.setSpace(200);
    await expect(store.append(toRecords(path))).rejects.toMatchObject({ code: 'store_full' });
    disk.setSpace(Infinity);
    await store.append(toRecords(path));
    const other = await fileStore('/f', { files: disk.files() });
    expect(await other.deepest(ids)).toBe(2);
    expect(await other.check()).toEqual([]);
  });

  test('refuses what does not fit and takes what fits, also when both were under way together', async () => {
    const disk = createTestDisk();
    const store = await fileStore('/f', { files: disk.files() });
    await store.append(toRecords(path.slice(0, 1)));
    disk.setSpace(3000);
    const [first, large, small] = await Promise.allSettled([
      store.append(toRecords([makeNode('first')])),
      store.append(toRecords([makeNode('x'.repeat(10_000))])),
      store.append(toRecords([makeNode('small')])),
    ]);
    expect([first, large, small].map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  });
});

describe('what others wrote and have not flushed', () => {
  test('is flushed before a write that hangs on it is acknowledged', async () => {
    for (const again of [false, true]) {
      const disk = createTestDisk();
      const files = disk.files();
      const never = new Promise<void>(() => undefined);
      const create = async (name: string) => ({ ...(await files.create(name)), sync: () => never });
      const slow = await fileStore('/f', { files: { ...files, create } });
      void slow.append(toRecords(path.slice(0, 1)));
      const quick = await fileStore('/f', { files: disk.files() });
      await expect.poll(async () => (await quick.nodes([ids[0]!]))[0]?.id).toBe(ids[0]);
      await quick.append(toRecords(again ? path.slice(0, 1) : path.slice(1)));
      let names = disk.contents().size;
      // Of every name and every byte the least that can be left.
      disk.restart(() => (names-- > 0 ? 0.9 : 0));
      const left = await fileStore('/f', { files: disk.files() });
      expect(await left.deepest(ids)).toBe(again ? 0 : 2);
      expect((await left.path(ids[again ? 0 : 2]!)).length).toBe(again ? 1 : 3);
    }
  });
});
