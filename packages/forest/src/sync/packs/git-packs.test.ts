import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { storePeer } from '../store-peer.ts';
import { syncForests } from '../sync-forests.ts';
import { gitPacks } from './git-packs.ts';
import { packPeer } from './pack-peer.ts';
import { meet, newFolder, newForest, newRepository, titles } from './test-packs.ts';

test('two machines that push at once both arrive', async () => {
  const { folder, git } = newRepository();
  const forests = await Promise.all(['A', 'B', 'C', 'D'].map((name) => newForest(name)));
  await Promise.all(forests.map(async (forest) => meet(forest, await gitPacks(folder, 'skein'), 'push')));
  const all = await newForest();
  await meet(all, await gitPacks(folder, 'skein'), 'pull');
  expect(await titles(all)).toEqual(['A', 'B', 'C', 'D']);
  expect(git('rev-list', '--count', 'skein').trim()).toBe('4');
});

test('branches of two clones merge without a conflict, with git alone', async () => {
  const { folder, git } = newRepository();
  await meet(await newForest('First'), await gitPacks(folder, 'skein'), 'push');
  const clone = join(newFolder(), 'clone');
  git('clone', '--quiet', '--branch', 'skein', folder, clone);
  execFileSync('git', ['-C', clone, 'checkout', '--quiet', '--detach']);
  await meet(await newForest('Second'), await gitPacks(clone, 'skein'), 'push');
  await meet(await newForest('Third'), await gitPacks(folder, 'skein'), 'push');
  git('fetch', '--quiet', clone, 'skein:theirs');
  git('checkout', '--quiet', '-f', 'skein');
  git('merge', '--quiet', '-m', 'merge', 'theirs');
  git('checkout', '--quiet', 'main');
  const all = await newForest();
  await meet(all, await gitPacks(folder, 'skein'), 'pull');
  expect(await titles(all)).toEqual(['First', 'Second', 'Third']);
});

test('a branch that is checked out, one with other files and a folder that is no repository are refused', async () => {
  const { folder, git } = newRepository();
  git('branch', 'other');
  const forest = await newForest('Mine');
  await expect(meet(forest, await gitPacks(folder, 'main'), 'push')).rejects.toThrow('is checked out');
  await expect(meet(forest, await gitPacks(folder, 'other'), 'push')).rejects.toThrow('has other files');
  expect(git('rev-parse', 'other')).toBe(git('rev-parse', 'main'));
  await expect(gitPacks(folder, '--all').then((place) => place.list())).resolves.toEqual([]);
  await expect(gitPacks(folder, 'a..b')).rejects.toMatchObject({ code: 'sync_refused' });
  await expect(gitPacks(newFolder(), 'skein').then((place) => place.list())).rejects.toThrow('not a git repository');
});

test('what a selection sends through a branch is kept, too', async () => {
  const { folder } = newRepository();
  const here = await newForest('Mine', 'Other');
  const { items } = await here.threads.list();
  await here.threads.tag(items.find(({ title }) => title === 'Mine')!.id, { work: true });
  const peer = packPeer(await gitPacks(folder, 'skein'), { project: 'default' });
  await syncForests(storePeer(here.store), peer, { direction: 'push', selection: { tag: 'work' } });
  const there = await newForest();
  await meet(there, await gitPacks(folder, 'skein'), 'pull');
  expect(await titles(there)).toEqual(['Mine']);
});
