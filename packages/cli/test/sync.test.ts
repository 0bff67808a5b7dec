import { spawn } from 'node:child_process';
import { chmodSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadConfig } from '@skein/agents';
import { user } from '@skein/core';
import { openForest, ROOT, storePeer, type Thread } from '@skein/forest';
import { createServer } from '@skein/server';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { command } from '../../../scripts/installed-packages.ts';
import { skein } from './skein.ts';

let home: string;
let count = 0;

beforeAll(() => {
  home = mkdtempSync(join(tmpdir(), 'skein-sync-'));
  // What the other machine has in its path.
  writeProgram('skein', `exec ${process.execPath} ${command} "$@"`);
});

afterAll(() => rmSync(home, { recursive: true, force: true }));

function writeProgram(name: string, lines: string): string {
  const path = join(home, name);
  writeFileSync(path, `#!/bin/sh\n${lines}\n`);
  chmodSync(path, 0o755);
  return path;
}

/** A program in place of ssh. `$1` is the host, `$2` the command to run there. */
const inPlaceOfSsh = (lines: string) => ({
  SKEIN_SSH: writeProgram(`ssh${++count}`, lines),
  PATH: `${home}:${process.env.PATH}`,
});

async function newFolder(...texts: string[]): Promise<{ folder: string; threads: readonly Thread[] }> {
  const folder = join(home, `forest${++count}`);
  const forest = await openForest(folder);
  const threads: Thread[] = [];
  for (const text of texts) threads.push(await forest.threads.begin([user(text)]));
  await forest.close();
  return { folder, threads };
}

async function titlesIn(folder: string, project = 'default'): Promise<string[]> {
  const forest = await openForest(folder, { project });
  const { items } = await forest.threads.list({ limit: 1000 });
  await forest.close();
  return items.map(({ title }) => title).sort();
}

async function countRecords(folder: string): Promise<number> {
  const forest = await openForest(folder);
  const { length } = await storePeer(forest.store).items(['']);
  await forest.close();
  return length;
}

const run = (args: readonly string[], env: object = {}) => skein(home, args, '', env);

test('two folders meet: a dry run, push, pull, a project, a selection, and two renames', async () => {
  const here = await newFolder('Mine');
  const there = await newFolder('Theirs', 'Other');
  const dry = await run(['sync', there.folder, '--store', here.folder, '--dry-run']);
  expect(dry.out).toMatch(/^\d+ records would be sent \(1 message\), \d+ would be received \(2 messages\)\.\n$/);
  expect(await titlesIn(here.folder)).toEqual(['Mine']);
  const other = await openForest(there.folder);
  await other.threads.tag(there.threads[0]!.id, { work: true });
  await other.close();
  expect((await run(['pull', there.folder, '--store', here.folder, '--tag', 'work'])).code).toBe(0);
  expect(await titlesIn(here.folder)).toEqual(['Mine', 'Theirs']);
  const none = await run(['sync', there.folder, '--store', here.folder, '--until', '2020-01-01', '--json']);
  expect(none.json()).toMatchObject({ sent: 0, received: 0 });
  expect((await run(['push', there.folder, '--store', here.folder, '--since', 'monday'])).err).toContain('Give a day');
  await run(['sync', there.folder, '--store', here.folder]);
  for (const { folder } of [here, there]) expect(await titlesIn(folder)).toEqual(['Mine', 'Other', 'Theirs']);
  for (const [index, { folder }] of [here, there].entries()) {
    const forest = await openForest(folder);
    await forest.threads.rename(here.threads[0]!.id, `Title ${index}`);
    await forest.close();
  }
  const renamed = await run(['sync', there.folder, '--store', here.folder]);
  expect(renamed.err).toMatch(/Both sides changed the title .*"Title 1" counts; "Title 0" is kept as conflict:title:/);
  expect(await titlesIn(here.folder)).toEqual(['Other', 'Theirs', 'Title 1']);
  await run(['push', there.folder, '--store', here.folder, '--project', 'empty']);
  expect(await titlesIn(there.folder, 'empty')).toEqual([]);
});

test('a mistyped place is refused, and nothing is made there', async () => {
  const { folder } = await newFolder('Mine');
  const address = await run(['sync', 'laptop:/home/ada/.skein', '--store', folder]);
  expect(address).toMatchObject({ code: 2, err: expect.stringContaining('write https://server, ssh:host:folder') });
  const typo = await run(['pull', join(home, 'stik'), '--store', folder]);
  expect(typo).toMatchObject({ code: 1, err: expect.stringContaining('There is no folder') });
  expect(readdirSync(home).filter((name) => /laptop|stik/.test(name))).toEqual([]);
});

test('over ssh: a transfer that dies at both ends is resumed, and what arrives changed is refused', async () => {
  const here = await newFolder(...Array.from({ length: 120 }, (_, index) => `Mine ${index}`));
  const there = await newFolder('Theirs');
  const args = ['sync', `ssh:laptop:${there.folder}`, '--store', here.folder];
  const changed = await run(args, inPlaceOfSsh(`sh -c "$2" | sed -u s/Theirs/Thairs/`));
  expect(changed).toMatchObject({ code: 1, out: '' });
  expect(changed.err).toContain('does not match');
  expect(await titlesIn(here.folder)).toHaveLength(120);
  // Eight calls arrive; then the other side ends, and so does this one, without a chance to do anything.
  const crash = await run(args, inPlaceOfSsh(`sed -u 8q | sh -c "$2"; kill -9 $PPID`));
  expect(crash.code).toBeNull();
  const whole = inPlaceOfSsh(`[ "$1" = laptop ] && exec sh -c "$2"`);
  const left = await run([...args, '--dry-run', '--json'], whole);
  // What the other side had was received, and a part of this side was sent.
  expect(left.json().received).toBe(0);
  expect(left.json().sent).toBeGreaterThan(0);
  expect(left.json().sent).toBeLessThan(await countRecords(here.folder));
  expect((await run(args, whole)).code).toBe(0);
  expect(await titlesIn(here.folder)).toEqual(await titlesIn(there.folder));
  expect((await run([...args, '--json'], whole)).json()).toMatchObject({ sent: 0, received: 0, conflicts: [] });
});

test('over ssh: an older peer, a shell that prints, a host that is an option and no skein at all are refused', async () => {
  const { folder } = await newFolder('Mine');
  const sync = async (lines: string, where = 'ssh:laptop:/forest') =>
    run(['sync', where, '--store', folder], inPlaceOfSsh(lines));
  const older = await sync(`sed -u s/.version.:3/\\"version\\":0/ | skein sync --stdio --store ${folder}`);
  expect(older.err).toMatch(/speaks version 3 .* asked in version 0: update the older one\. Nothing was written/);
  expect((await sync('echo Welcome; cat')).err).toContain('laptop answers "Welcome": its skein is older');
  expect((await sync('exit 127')).err).toContain('does not answer: it ended with code 127');
  expect((await sync('exit 0', 'ssh:-oProxyCommand=x:/forest')).code).toBe(2);
  expect((await run(['sync', 'ssh:a:/b', '--store', folder], { SKEIN_SSH: '/missing' })).err).toContain('ENOENT');
});

test('with a server: the token is needed, and whoever watches keeps both in step', async () => {
  const here = await newFolder('Mine');
  const there = await newFolder('Theirs');
  const forest = await openForest(there.folder);
  const { config } = await loadConfig({ cwd: '/', env: {}, home: '/nonexistent' });
  const server = await createServer({ forest, config, env: {}, token: 'correct-horse' }).listen({ port: 0 });
  onTestFinished(async () => {
    await server.close();
    await forest.close();
  });
  const args = ['sync', server.url, '--store', here.folder];
  expect((await run(args)).err).toContain('needs a token: set SKEIN_TOKEN');
  expect((await run(args, { SKEIN_TOKEN: 'wrong-horse' })).err).toContain('refuses the token. Nothing was written');
  expect((await run(['sync', server.url.replace('//', '//me:secret@'), '--store', here.folder])).code).toBe(2);
  expect(await titlesIn(here.folder)).toEqual(['Mine']);

  const env = { PATH: process.env.PATH, HOME: home, MY_TOKEN: 'correct-horse' };
  const watching = spawn(process.execPath, [command, ...args, '--token', 'MY_TOKEN', '--watch'], { cwd: home, env });
  const ended = new Promise((done) => watching.once('close', done));
  let told = '';
  watching.stderr.on('data', (data) => {
    told += data;
  });
  await expect.poll(() => told).toContain('in step');
  expect(await titlesIn(here.folder)).toEqual(['Mine', 'Theirs']);
  const mine = await openForest(here.folder);
  const node = await mine.append(ROOT, [user('Written meanwhile')]);
  await expect.poll(async () => (await forest.store.nodes([node]))[0]?.id).toBe(node);
  await mine.close();
  watching.kill('SIGINT');
  expect(await ended).toBe(0);
});
