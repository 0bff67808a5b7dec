import { execFileSync, spawn } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadConfig } from '@skein/agents';
import { user } from '@skein/core';
import { openForest } from '@skein/forest';
import { createServer } from '@skein/server';
import { expect, onTestFinished, test } from 'vitest';
import { command } from '../../../scripts/installed-packages.ts';
import { skein } from './skein.ts';

const guide = readFileSync(new URL('../../../docs/guides/sync-two-machines.md', import.meta.url), 'utf8');

async function newForest(folder: string, ...texts: string[]): Promise<string> {
  const forest = await openForest(folder);
  for (const text of texts) await forest.threads.begin([user(text)]);
  await forest.close();
  return folder;
}

async function titlesIn(folder: string): Promise<string[]> {
  const forest = await openForest(folder);
  const { items } = await forest.threads.list();
  await forest.close();
  return items.map(({ title }) => title).sort();
}

function newHome(): string {
  const home = mkdtempSync(join(tmpdir(), 'skein-guide-'));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  return home;
}

function newRepository(folder: string): void {
  const git = (...args: string[]) => execFileSync('git', ['-C', folder, ...args], { stdio: 'ignore' });
  mkdirSync(`${folder}.origin`, { recursive: true });
  mkdirSync(folder, { recursive: true });
  execFileSync('git', ['init', '--bare', '--quiet', `${folder}.origin`]);
  git('init', '--quiet', '--initial-branch=main');
  git('remote', 'add', 'origin', `${folder}.origin`);
}

test('the guide "sync two machines" works as it is written', async () => {
  const home = newHome();
  const bin = join(home, 'bin');
  mkdirSync(bin);
  const write = (name: string, lines: string) => {
    writeFileSync(join(bin, name), `#!/bin/sh\n${lines}\n`);
    chmodSync(join(bin, name), 0o755);
  };
  write('skein', `exec ${process.execPath} ${command} "$@"`);
  // The laptop is this machine.
  write('ssh', '[ "$1" = laptop ] && exec sh -c "$2"');
  newRepository(join(home, 'ada/notes'));
  const here = await newForest(join(home, 'data/skein'), 'Mine');
  await newForest(join(home, 'ada/.skein'), 'Laptop');
  await newForest(join(home, 'stick/forest'), 'Stick');
  const forest = await openForest(await newForest(join(home, 'server'), 'Server'));
  const { config } = await loadConfig({ cwd: '/', env: {}, home: '/nonexistent' });
  const server = await createServer({ forest, config, env: {}, token: 'correct-horse' }).listen({ port: 0 });
  onTestFinished(async () => {
    await server.close();
    await forest.close();
  });
  const commands = [...guide.matchAll(/```sh\n(.*?)```/gs)]
    .map(([, lines]) => lines)
    .join('')
    .replaceAll('/media/stick', join(home, 'stick'))
    .replaceAll('/home/ada', join(home, 'ada'))
    .replaceAll('https://skein.example', server.url);
  const env = {
    PATH: `${bin}:${process.env.PATH}`,
    HOME: home,
    SKEIN_TOKEN: 'correct-horse',
    XDG_DATA_HOME: join(home, 'data'),
  };
  const child = spawn('sh', ['-e', '-c', commands], { cwd: home, env, stdio: ['ignore', 'ignore', 'pipe'] });
  let told = '';
  child.stderr.on('data', (data) => {
    told += data;
  });
  expect(await new Promise((done) => child.once('close', done)), told).toBe(0);
  const everything = ['Laptop', 'Mine', 'Server', 'Stick'];
  expect(await titlesIn(here)).toEqual(everything);
  // The other machine has a clone of the repository.
  const [, fetch = '', pullThere = ''] = /On the other machine, `(git [^`]+)` and `(skein [^`]+)`/.exec(guide) ?? [];
  const [clone, there] = [join(home, 'clone'), await newForest(join(home, 'there'), 'Theirs')];
  execFileSync('git', ['clone', '--quiet', join(home, 'ada/notes.origin'), clone], { stdio: 'ignore' });
  const onTheOther = `${fetch}\n${pullThere.replace('…', clone)} --store ${there}`;
  execFileSync('sh', ['-e', '-c', onTheOther], { cwd: clone, env, stdio: 'ignore' });
  expect(await titlesIn(there)).toEqual([...everything, 'Theirs'].sort());
  // Whoever has the key, and only they, gets all of it from the branch.
  const other = await newForest(join(home, 'other'));
  const pull = ['pull', `git:${join(home, 'ada/notes')}#secret`, '--store', other];
  expect((await skein(home, pull)).err).toContain('is encrypted');
  expect((await skein(home, [...pull, '--key', 'skein.key'])).code).toBe(0);
  expect(await titlesIn(other)).toEqual(everything);
});

test('a key is written once and for its owner alone, and a wrong one changes nothing', async () => {
  const home = newHome();
  const here = await newForest(join(home, 'here'), 'Secret words');
  const run = (...args: string[]) => skein(home, args);
  const made = await run('keygen', 'a.key');
  expect(made.out).toMatch(/^age1[0-9a-z]+\n$/);
  expect(statSync(join(home, 'a.key')).mode & 0o777).toBe(0o600);
  const key = readFileSync(join(home, 'a.key'), 'utf8');
  expect((await run('keygen', 'a.key')).err).toContain('never overwritten');
  expect(readFileSync(join(home, 'a.key'), 'utf8')).toBe(key);
  await run('keygen', 'b.key');
  expect((await run('push', 'packs', '--store', here, '--key', 'a.key')).code).toBe(0);
  const files = () =>
    readdirSync(join(home, 'packs'), { recursive: true, withFileTypes: true }).flatMap((entry) =>
      entry.isFile() ? [readFileSync(join(entry.parentPath, entry.name), 'latin1')] : [],
    );
  const before = files();
  expect(before.join('')).not.toContain('Secret');
  const other = await newForest(join(home, 'other'), 'Mine');
  const wrong = await run('sync', 'packs', '--store', other, '--key', 'b.key');
  expect(wrong).toMatchObject({ code: 1, out: '' });
  expect(wrong.err).toContain('this is not its key');
  expect((await run('sync', 'packs', '--store', other)).err).toContain('is encrypted');
  expect((await run('sync', 'http://localhost:1', '--store', other, '--key', 'a.key')).code).toBe(2);
  expect((await run('sync', 'packs', '--store', other, '--key', 'other.txt')).code).toBe(2);
  expect(files()).toEqual(before);
  expect(await titlesIn(other)).toEqual(['Mine']);
  expect((await run('sync', 'packs', '--store', other, '--key', 'a.key')).code).toBe(0);
  expect(await titlesIn(other)).toEqual(['Mine', 'Secret words']);
});
