import { createHash, randomBytes } from 'node:crypto';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { user } from '@skein/core';
import { expect, test } from 'vitest';
import { memoryStore } from '../../store/index.ts';
import { storePeer } from '../store-peer.ts';
import { syncForests } from '../sync-forests.ts';
import { folderPacks } from './folder-packs.ts';
import { gitPacks } from './git-packs.ts';
import { type PackCache, packPeer } from './pack-peer.ts';
import type { PackCipher, PackStorage } from './pack-place.ts';
import { meet, newFolder, newForest, newRepository, titles } from './test-packs.ts';

/** A stand-in for encryption that notices another key: the first bytes are the key. */
const cipherOf = (key: string): PackCipher => ({
  encrypt: async (bytes) => Buffer.concat([Buffer.from(key), randomBytes(8), bytes.map((byte) => byte ^ 0xff)]),
  async decrypt(bytes) {
    if (Buffer.from(bytes.subarray(0, key.length)).toString() !== key) throw new Error('Another key.');
    return bytes.subarray(key.length + 8).map((byte) => byte ^ 0xff);
  },
});

test('two machines meet through a branch, and the working tree, its index and other branches stay as they are', async () => {
  const { folder, git } = newRepository();
  writeFileSync(join(folder, 'notes.txt'), 'Changed\n');
  writeFileSync(join(folder, 'staged.txt'), 'Staged\n');
  git('add', 'staged.txt');
  const before = [git('status', '--porcelain'), git('rev-parse', 'main')];
  const [here, there] = [await newForest('Mine'), await newForest('Theirs')];
  const sent = await meet(here, await gitPacks(folder, 'skein'), 'push');
  expect(sent.messages).toEqual({ sent: 2, received: 0 });
  expect((await meet(there, await gitPacks(folder, 'skein'), 'both')).messages).toEqual({ sent: 2, received: 2 });
  await meet(here, await gitPacks(folder, 'skein'), 'pull');
  for (const forest of [here, there]) expect(await titles(forest)).toEqual(['Mine', 'Theirs']);
  expect([git('status', '--porcelain'), git('rev-parse', 'main')]).toEqual(before);
  // Nothing new is no commit; something new is one more file.
  expect(git('rev-list', '--count', 'skein').trim()).toBe('2');
  expect(await meet(here, await gitPacks(folder, 'skein'), 'both')).toMatchObject({ sent: 0, received: 0 });
  expect(git('rev-list', '--count', 'skein').trim()).toBe('2');
  expect(git('fsck', '--strict')).toBe('');
});

test('an encrypted folder has no readable text; another key, none, and a newer format are refused and nothing is written', async () => {
  const folder = newFolder();
  const place = folderPacks(join(folder, 'packs'));
  const forest = await newForest('Secret words');
  await meet(forest, place, 'push', cipherOf('right'));
  const files = () =>
    readdirSync(folder, { recursive: true, withFileTypes: true }).flatMap((entry) =>
      entry.isFile() ? [readFileSync(join(entry.parentPath, entry.name), 'latin1')] : [],
    );
  const before = files();
  expect(before.some((text) => text.includes('Secret'))).toBe(false);
  const other = await newForest('Mine');
  await expect(meet(other, place, 'both', cipherOf('wrong'))).rejects.toThrow('this is not its key');
  await expect(meet(other, place, 'both')).rejects.toThrow('is encrypted');
  writeFileSync(join(folder, 'packs/skein.json'), '{"skein":"packs","format":2,"encrypted":true}\n');
  await expect(meet(other, place, 'both', cipherOf('right'))).rejects.toMatchObject({ code: 'sync_version' });
  writeFileSync(join(folder, 'packs/skein.json'), '{"skein":"packs","format":1,"encrypted":true}\n');
  expect(files()).toEqual(before);
  expect(await titles(other)).toEqual(['Mine']);
  await meet(other, place, 'both', cipherOf('right'));
  expect(await titles(other)).toEqual(['Mine', 'Secret words']);
});

test('a file whose bytes were changed, and a record that does not match its id, are refused and nothing is received', async () => {
  const folder = newFolder();
  const place = folderPacks(folder);
  await meet(await newForest('Hello'), place, 'push');
  const path = (await place.list()).find((name) => name.endsWith('.jsonl'))!;
  const text = readFileSync(join(folder, path), 'utf8');
  const other = await newForest();
  writeFileSync(join(folder, path), text.replace('Hello', 'Hallo'));
  await expect(meet(other, place, 'both')).rejects.toThrow('does not match its hash');
  // As somebody does who knows how files are named.
  rmSync(join(folder, path));
  await place.add(
    new Map([[pathOf(text.replace('Hello', 'Hallo'), path), Buffer.from(text.replace('Hello', 'Hallo'))]]),
  );
  await expect(meet(other, place, 'both')).rejects.toMatchObject({ code: 'sync_refused' });
  expect(await titles(other)).toEqual([]);
});

function pathOf(text: string, like: string): string {
  const hash = createHash('sha256').update(text).digest('hex');
  return `${like.split('/').slice(0, 2).join('/')}/${hash.slice(0, 2)}/${hash}.jsonl`;
}

/** A place that counts the files with records that are read, and a cache that outlives peers. */
function countReads(place: PackStorage): { place: PackStorage; read: () => number } {
  let count = 0;
  const counted: PackStorage = {
    ...place,
    read(paths) {
      count += paths.filter((path) => path.startsWith('packs/')).length;
      return place.read(paths);
    },
  };
  return { place: counted, read: () => count };
}

function newCache(): PackCache & { resets: number } {
  let store = memoryStore();
  const cache = {
    resets: 0,
    open: async () => store,
    async reset() {
      cache.resets += 1;
      store = memoryStore();
      return store;
    },
  };
  return cache;
}

test('a process with a cache reads only files that none before it has read', async () => {
  const folder = newFolder();
  const { place, read } = countReads(folderPacks(folder));
  const [here, there] = [await newForest('One'), await newForest('Two')];
  const cache = newCache();
  const meetAgain = (direction: 'both' | 'push' = 'both') =>
    syncForests(storePeer(here.store), packPeer(place, { project: 'default', cache }), { direction });
  await meetAgain();
  expect(await meetAgain()).toMatchObject({ sent: 0, received: 0 });
  expect(read()).toBe(0);
  await meet(there, folderPacks(folder), 'both');
  expect((await meetAgain()).messages).toEqual({ sent: 0, received: 2 });
  expect(read()).toBe(1);
  await here.threads.begin([user('Three')]);
  expect((await meetAgain()).messages).toEqual({ sent: 1, received: 0 });
  expect(await meetAgain()).toMatchObject({ sent: 0, received: 0 });
  expect([read(), cache.resets]).toEqual([1, 0]);
  await meet(there, folderPacks(folder), 'pull');
  expect(await titles(there)).toEqual(['One', 'Three', 'Two']);
});

test('files that are gone, and a process that died while it wrote, empty the cache, and everything is sent again', async () => {
  const folder = newFolder();
  const here = await newForest('One');
  const cache = newCache();
  const place = folderPacks(folder);
  const meetWith = (storage: PackStorage) =>
    syncForests(storePeer(here.store), packPeer(storage, { project: 'default', cache }), { direction: 'both' });
  const dying: PackStorage = { ...place, add: () => Promise.reject(new Error('The power failed.')) };
  await expect(meetWith(dying)).rejects.toThrow('The power failed.');
  expect((await meetWith(place)).messages.sent).toBe(2);
  expect(cache.resets).toBe(1);
  rmSync(join(folder, 'packs'), { recursive: true });
  expect((await meetWith(place)).messages.sent).toBe(2);
  expect(cache.resets).toBe(2);
  const other = await newForest();
  await meet(other, place, 'pull');
  expect(await titles(other)).toEqual(['One']);
});
