import { chmod, mkdir, readdir, rename, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createForest } from '../../forest/index.ts';
import { openForest } from '../../open-forest.ts';
import { makeBody, makeNode, makePath, toRecords } from '../../testing/store-samples.ts';
import { diskFiles } from './disk.ts';
import { fileStore } from './file-store.ts';
import { type TestFolder, testFolder } from './test-folder.ts';

const path = makePath(['a', 'b', 'c']);
const ids = path.map(({ node }) => node.id);
let here: TestFolder;
let segments: string;

beforeEach(async () => {
  here = await testFolder();
  segments = join(here.own, 'segments');
});
afterEach(() => here.remove());

async function written(): Promise<void> {
  const store = await here.open();
  await store.append(toRecords(path));
  await store.close();
}

describe('something among the segments that cannot be read', () => {
  test.each([
    ['a link to nothing', (name: string) => symlink('/nowhere/at/all', name)],
    ['a link that leads to itself', (name: string) => symlink(name, name)],
    ['a folder', (name: string) => mkdir(name)],
  ])('%s is reported, and the rest is read', async (_what, make) => {
    await written();
    await make(join(segments, 'a-odd.jsonl'));
    await make(join(segments, 'z-odd.jsonl'));
    const store = await here.open();
    expect((await store.path(ids[2]!)).map(({ id }) => id)).toEqual(ids);
    const problems = store.problems();
    expect(problems.map(({ code, where }) => [code, where])).toEqual([
      ['unreadable-file', 'a-odd.jsonl'],
      ['unreadable-file', 'z-odd.jsonl'],
    ]);
    expect((await store.check()).length).toBe(2);
    await store.append(toRecords([makeNode('more', { parent: path[2]!.node })]));
    await expect(createForest(store).gc()).rejects.toMatchObject({ code: 'damaged', subject: 'a-odd.jsonl' });
    expect((await store.compact(() => true)).kept).toBe(8);
    expect((await store.path(ids[2]!)).length).toBe(3);
    await store.close();
    expect((await here.names()).filter((name) => name.includes('odd'))).toEqual(['a-odd.jsonl', 'z-odd.jsonl']);
  });

  test('is read, and no longer reported, once it can be', async () => {
    await written();
    const [name] = await here.names();
    const away = join(here.folder, 'away');
    await rename(join(segments, name!), away);
    await symlink(join(here.folder, 'not-yet'), join(segments, 'linked.jsonl'));
    const store = await here.open();
    expect(await store.deepest(ids)).toBe(-1);
    await rename(away, join(here.folder, 'not-yet'));
    await expect.poll(() => store.deepest(ids), { timeout: 5000 }).toBe(2);
    expect(store.problems()).toEqual([]);
    await store.close();
  });

  test('a segment that another file took the place of is read anew', async () => {
    await written();
    const [name] = await here.names();
    const store = await here.open();
    expect(await store.bodies([path[0]!.body.digest])).toEqual([path[0]!.body.text]);
    const late = makeBody('in the new file');
    const other = join(here.folder, 'other');
    await writeFile(other, `{"skein":"segment","version":1,"writer":"w"}\n${JSON.stringify(late)}\n`);
    await rename(other, join(segments, name!));
    await expect.poll(() => store.bodies([late.digest]), { timeout: 5000 }).toEqual([late.text]);
    await store.close();
  });
});

describe('a failure of the system is told in words', () => {
  test.each([
    ['ENOSPC', 'store_full'],
    ['EACCES', 'store_read_only'],
    ['EIO', 'store_failed'],
    ['EMFILE', 'store_failed'],
  ])('%s', async (code, expected) => {
    await written();
    const files = { ...diskFiles() };
    const fail = async () => {
      throw Object.assign(new Error(`${code}: raw words, open '/x'`), { code, syscall: 'open', path: '/x' });
    };
    const told = (work: Promise<unknown>) =>
      expect(work).rejects.toMatchObject({
        name: 'StoreError',
        code: expected,
        message: expect.not.stringContaining('raw words'),
      });
    await told(fileStore(here.folder, { files: { ...files, list: fail } }));
    const store = await fileStore(here.folder, { files });
    await store.nodes(ids);
    Object.assign(files, { create: fail, read: fail });
    await told(store.bodies([path[0]!.body.digest]));
    await told(store.append(toRecords([makeNode('more')])));
    await told(store.compact(() => true));
    await store.close();
  });

  test('a segment that cannot be read while others are compacted is not taken away', async () => {
    await written();
    const [name] = await here.names();
    const other = await here.open();
    await other.append(toRecords([makeNode('beside')]));
    await other.close();
    const files = diskFiles();
    const fail = async (file: string, start: number, length: number) => {
      if (!file.endsWith(name!)) return files.read(file, start, length);
      throw Object.assign(new Error('raw'), { code: 'EIO', syscall: 'read' });
    };
    const store = await fileStore(here.folder, { files: { ...files, read: fail } });
    expect(store.problems()).toMatchObject([{ code: 'unreadable-file', where: name }]);
    expect((await store.check()).map(({ code }) => code)).toEqual(['unreadable-file']);
    expect((await store.compact(() => true)).kept).toBe(2);
    await store.close();
    expect(await here.names()).toContain(name);
    const again = await here.open();
    expect(await again.deepest(ids)).toBe(2);
    await again.close();
  });

  test('a folder that is a file', async () => {
    await writeFile(join(here.folder, 'file'), '');
    const store = await fileStore(join(here.folder, 'file'));
    await expect(store.append(toRecords(path))).rejects.toMatchObject({ name: 'StoreError', code: 'store_failed' });
    await store.close();
    await (await openForest(join(here.folder, 'file'))).close();
  });
});

describe('a forest is its owner’s', () => {
  const modeOf = async (name: string) => (await stat(name)).mode & 0o777;
  const everyMode = async () => {
    const names = await readdir(join(here.folder, 'projects'), { recursive: true, withFileTypes: true });
    const modes = names.map(async (one) => [one.isDirectory(), await modeOf(join(one.parentPath, one.name))]);
    return [...new Set((await Promise.all(modes)).map(String))].sort();
  };

  test('others read neither its folders nor its files', async () => {
    const store = await here.open();
    await store.append([makeBody('x'.repeat(300_000)), ...toRecords(path)]);
    expect(await everyMode()).toEqual([`false,${0o600}`, `true,${0o700}`]);
    await store.close();
    const again = await here.open();
    await again.compact(() => true);
    await again.close();
    expect(await everyMode()).toEqual([`false,${0o600}`, `true,${0o700}`]);
    expect(await modeOf(join(here.folder, 'projects'))).toBe(0o700);
  });

  test('one from before is closed to others when it is opened; the folder above it is not ours to change', async () => {
    await written();
    for (const name of await readdir(join(here.folder, 'projects'), { recursive: true, withFileTypes: true }))
      await chmod(join(name.parentPath, name.name), name.isDirectory() ? 0o755 : 0o644);
    await chmod(join(here.folder, 'projects'), 0o755);
    await chmod(here.folder, 0o755);
    await (await here.open()).close();
    expect(await everyMode()).toEqual([`false,${0o600}`, `true,${0o700}`]);
    expect(await modeOf(join(here.folder, 'projects'))).toBe(0o700);
    expect(await modeOf(here.folder)).toBe(0o755);
  });
});

describe('opening that fails', () => {
  test('leaves no file open', async () => {
    await written();
    const opened = async () => (await readdir('/proc/self/fd')).length;
    const files = diskFiles();
    const before = await opened();
    const failing = { ...files, stat: async (name: string) => failAfterReading(name) };
    const failAfterReading = async (name: string) => {
      if (name.endsWith('.jsonl')) {
        await files.read(name, 0, 10);
        throw new Error('broken');
      }
      return files.stat(name);
    };
    for (let times = 0; times < 5; times++)
      await expect(fileStore(here.folder, { files: failing })).rejects.toThrow('broken');
    expect(await opened()).toBe(before);
  });

  test('closes the store of a forest in the older layout that cannot be read', async () => {
    await written();
    await symlink('roots.json', join(here.folder, 'roots.json'));
    const opened = async () => (await readdir('/proc/self/fd')).length;
    const before = await opened();
    await expect(openForest(here.folder)).rejects.toMatchObject({ name: 'StoreError', code: 'store_failed' });
    expect(await opened()).toBe(before);
  });
});

describe('while others compact', () => {
  test('three that compact at once take turns, and whoever opens meanwhile finds everything', async () => {
    await written();
    const packers = [1, 2, 3].map(async () => {
      for (let times = 0; times < 8; times++) {
        const store = await here.open();
        expect((await store.compact(() => true)).kept).toBe(6);
        await store.close();
      }
    });
    let isDone = false;
    const opener = async () => {
      while (!isDone) {
        const store = await here.open();
        expect((await store.path(ids[2]!)).map(({ id }) => id)).toEqual(ids);
        expect(await store.bodies([path[1]!.body.digest])).toEqual([path[1]!.body.text]);
        expect(store.problems()).toEqual([]);
        await store.close();
      }
    };
    const openers = [opener(), opener()];
    await Promise.all(packers);
    isDone = true;
    await Promise.all(openers);
    expect((await here.names()).length).toBe(1);
  });
});
