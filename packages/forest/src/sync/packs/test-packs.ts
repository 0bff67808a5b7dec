import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { assistant, user } from '@skein/core';
import { onTestFinished } from 'vitest';
import { createForest, type Forest } from '../../forest/index.ts';
import { memoryStore } from '../../store/index.ts';
import { storePeer } from '../store-peer.ts';
import { type SyncDirection, syncForests } from '../sync-forests.ts';
import { packPeer } from './pack-peer.ts';
import type { PackCipher, PackStorage } from './pack-place.ts';

export function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'skein-packs-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

export function newRepository(): { folder: string; git: (...args: string[]) => string } {
  const folder = newFolder();
  const git = (...args: string[]) =>
    execFileSync('git', ['-C', folder, '-c', 'user.name=Ada', '-c', 'user.email=ada@localhost', ...args], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    });
  git('init', '--quiet', '--initial-branch=main');
  writeFileSync(join(folder, 'notes.txt'), 'Mine\n');
  git('add', '.');
  git('commit', '--quiet', '-m', 'notes');
  return { folder, git };
}

export async function newForest(...texts: string[]): Promise<Forest> {
  const forest = createForest(memoryStore());
  for (const text of texts) await forest.threads.begin([user(text), assistant(`Answer to ${text}`)]);
  return forest;
}

export const titles = async ({ threads }: Forest) => (await threads.list()).items.map(({ title }) => title).sort();

export const meet = ({ store }: Forest, place: PackStorage, direction: SyncDirection, cipher?: PackCipher) =>
  syncForests(storePeer(store), packPeer(place, { project: 'default', ...(cipher && { cipher }) }), { direction });
