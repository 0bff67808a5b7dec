import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, link, mkdir, rename, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileTools } from '@skein/agents';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { call, folderWith, later, serverScript, write } from './kit.ts';

const SECRET = 'the secret outside';

/** A folder with things in it, beside one that nobody may see. */
async function place() {
  const above = await folderWith({
    'notes/today.md': 'Buy milk\nand bread\n',
    'notes/deep/er/old.txt': 'Milk was bought',
    'notes/.env': SECRET,
    'notes/.git/config': SECRET,
    'notes/binary.bin': 'milk\0milk',
    'notes-secret/key.txt': SECRET,
    'secret.txt': SECRET,
  });
  const tools = fileTools(join(above, 'notes'));
  const [read, list, search] = tools;
  return {
    above,
    folder: join(above, 'notes'),
    read: (path: unknown) => call(read, { path }),
    list: (path?: unknown) => call(list, path === undefined ? {} : { path }),
    search: (text: string, path?: string) => call(search, { text, ...(path !== undefined && { path }) }),
  };
}

test('reading, listing and searching', async () => {
  const { read, list, search } = await place();
  expect(await read('today.md')).toBe('Buy milk\nand bread\n');
  expect(await read('./deep//er/old.txt')).toBe('Milk was bought');
  expect(await list()).toEqual({
    entries: [
      { path: 'binary.bin', type: 'file' },
      { path: 'deep', type: 'folder' },
      { path: 'today.md', type: 'file' },
    ],
  });
  expect(await list('deep/er')).toEqual({ entries: [{ path: 'deep/er/old.txt', type: 'file' }] });
  expect(await search('MILK')).toEqual({
    hits: [
      { path: 'today.md', line: 1, text: 'Buy milk' },
      { path: 'deep/er/old.txt', line: 1, text: 'Milk was bought' },
    ],
    cut: false,
  });
  expect(await search('milk', 'deep')).toMatchObject({ hits: [{ path: 'deep/er/old.txt' }] });
  await expect(read('deep')).rejects.toThrow('a folder, not a file');
  await expect(list('today.md')).rejects.toThrow('a file, not a folder');
  await expect(read('binary.bin')).rejects.toThrow('not a text file');
  await expect(read('nowhere.md')).rejects.toThrow('"nowhere.md": there is no such file or folder.');
});

test('long files are cut, also in the middle of a letter', async () => {
  const { folder, read } = await place();
  await writeFile(join(folder, 'long.txt'), `${'x'.repeat(199_999)}äöü`);
  const text = String(await read('long.txt'));
  expect(text).toBe(`${'x'.repeat(199_999)}\n[The file goes on.]`);
});

describe('there is no way out', () => {
  const OUT = [
    '../secret.txt',
    '..',
    'deep/../../secret.txt',
    'deep/../../notes-secret/key.txt',
    '../notes-secret/key.txt',
    '..\\secret.txt',
    'deep\\..\\..\\secret.txt',
    '/etc/passwd',
    '\\etc\\passwd',
    '//etc/passwd',
    'C:\\Windows\\win.ini',
    'c:secret.txt',
    '~/secret.txt',
    'today.md\0/../../secret.txt',
    '.env',
    '.git/config',
    './.env',
    'deep/./../.env',
  ];
  test.each(OUT)('by the path %j', async (path) => {
    const { above, read, list, search } = await place();
    for (const told of await Promise.allSettled([read(path), list(path), search('secret', path)])) {
      expect(told.status).toBe('rejected');
      // A refusal tells nothing of what is outside, not even where that is.
      const { message } = (told as PromiseRejectedResult).reason as Error;
      expect(message).not.toContain(above);
      expect(message).not.toContain(SECRET);
    }
  });

  test('by an absolute path to a file inside', async () => {
    const { folder, read } = await place();
    await expect(read(join(folder, 'today.md'))).rejects.toThrow('it is absolute');
  });

  test('by links: to a file, to a folder, to a folder above, from link to link, absolute and relative', async () => {
    const { above, folder, read, list, search } = await place();
    await symlink(join(above, 'secret.txt'), join(folder, 'file'));
    await symlink('../secret.txt', join(folder, 'relative'));
    await symlink(above, join(folder, 'up'));
    await symlink('../notes-secret', join(folder, 'beside'));
    await symlink('file', join(folder, 'chain'));
    await symlink('/proc/self/root', join(folder, 'root'));
    await symlink('loop', join(folder, 'loop'));
    await symlink('.env', join(folder, 'shown'));
    const paths = ['file', 'relative', 'chain', 'up/secret.txt', 'beside/key.txt', 'up/notes/.env', 'shown', 'loop'];
    for (const path of [...paths, `root${above}/secret.txt`, `root${folder}/.env`])
      await expect(read(path)).rejects.toThrow(Error);
    for (const path of ['up', 'beside', 'up/notes-secret', 'root/etc']) await expect(list(path)).rejects.toThrow(Error);
    expect(await search('secret')).toEqual({ hits: [], cut: false });
    expect(JSON.stringify(await list())).not.toMatch(/"(file|relative|up|beside|chain|root|loop|shown)"[^}]*type/);
  });

  test('a link that stays inside is followed', async () => {
    const { folder, read } = await place();
    await symlink('deep/er/old.txt', join(folder, 'alias.txt'));
    await symlink('deep', join(folder, 'sub'));
    expect(await read('alias.txt')).toBe('Milk was bought');
    expect(await read('sub/er/old.txt')).toBe('Milk was bought');
  });

  test('by the case of letters', async () => {
    const { above, folder, read } = await place();
    // Where case counts, another case is another folder; where it does not, it is the same one and nothing else.
    const insensitive = existsSync(join(above, 'NOTES'));
    if (!insensitive) await write(above, { 'NOTES/key.txt': SECRET, 'Notes/key.txt': SECRET });
    for (const path of ['../NOTES/key.txt', '../Notes/key.txt', 'DEEP/../../secret.txt', '.ENV', '.Git/config'])
      await expect(read(path)).rejects.toThrow(Error);
    await symlink('../NOTES', join(folder, 'case'));
    if (!insensitive) await expect(read('case/key.txt')).rejects.toThrow('leads out of the folder');
  });

  test.skipIf(process.platform === 'win32')('by pipes and devices, which would wait for ever', async () => {
    const { folder, read, search } = await place();
    execFileSync('mkfifo', [join(folder, 'pipe')]);
    await symlink('/dev/zero', join(folder, 'zero'));
    await expect(read('pipe')).rejects.toThrow('neither a file nor a folder');
    await expect(read('zero')).rejects.toThrow(Error);
    expect(await search('milk')).toMatchObject({ cut: false });
  });

  test('a file that may not be read is said to be so', async () => {
    const { folder, read } = await place();
    await chmod(join(folder, 'today.md'), 0);
    // The administrator may read everything.
    if (process.getuid?.() !== 0) await expect(read('today.md')).rejects.toThrow('may not be read');
  });

  test('by any path at all', async () => {
    const { above, folder, read, list } = await place();
    await symlink(above, join(folder, 'up'));
    await link(join(folder, 'today.md'), join(folder, 'twin.md'));
    const step = fc.constantFrom(
      '..',
      '.',
      '',
      'deep',
      'er',
      'up',
      'notes',
      'notes-secret',
      'secret.txt',
      'key.txt',
      '.env',
      '~',
      above,
    );
    const path = fc
      .array(step, { maxLength: 6 })
      .chain((steps) => fc.constantFrom('/', '\\', '//').map((by) => steps.join(by)));
    await fc.assert(
      fc.asyncProperty(path, async (any) => {
        const told = await Promise.allSettled([read(any), list(any)]);
        const given = JSON.stringify(told.map((one) => (one.status === 'fulfilled' ? one.value : '')));
        expect(given).not.toContain(SECRET);
        expect(given).not.toContain('secret.txt');
        expect(given).not.toContain('key.txt');
      }),
      { numRuns: 300 },
    );
  });
});

/** `npm run torture` asks for more. */
const TURNS = Number(process.env.SKEIN_KILLS ?? 20) * 10;

test('a folder that is swapped for a link while it is read gives nothing of the outside', async () => {
  const { above, folder, read, list, search } = await place();
  await write(above, {
    'notes/swap/key.txt': 'harmless',
    'notes/swap/a/key.txt': 'harmless',
    'notes-secret/a/key.txt': SECRET,
    'notes-secret/outside-only.txt': SECRET,
  });
  const swap = join(folder, 'swap');
  const swapping = spawn(process.execPath, [
    serverScript('swap'),
    swap,
    join(above, 'kept'),
    join(above, 'notes-secret'),
  ]);
  await once(swapping.stdout, 'data');
  const outcomes = { harmless: 0, refused: 0 };
  const look = async (doing: Promise<unknown>) => {
    const told = await doing.then(JSON.stringify, () => undefined);
    if (told === undefined) outcomes.refused++;
    else {
      outcomes.harmless++;
      expect(told).not.toContain(SECRET);
      expect(told).not.toContain('outside-only');
    }
  };
  // Both are met: the folder, and the link or nothing in its place.
  const areBothMet = () => outcomes.harmless > 0 && outcomes.refused > 0;
  for (let turn = 0; turn < TURNS || !areBothMet(); turn++)
    await Promise.all([read('swap/key.txt'), read('swap/a/key.txt'), search('the'), list('swap')].map(look));
  swapping.kill('SIGTERM');
  await once(swapping, 'exit');
});

test('where the system does not tell what is open, paths are compared', async () => {
  const { above, folder, read, list } = await place();
  await symlink(join(above, 'secret.txt'), join(folder, 'file'));
  const { platform } = process;
  Object.defineProperty(process, 'platform', { value: 'darwin' });
  later(async () => Object.defineProperty(process, 'platform', { value: platform }));
  expect(await read('today.md')).toBe('Buy milk\nand bread\n');
  expect(await list('deep')).toEqual({ entries: [{ path: 'deep/er', type: 'folder' }] });
  await expect(read('file')).rejects.toThrow('leads out');
});

test('a folder that becomes another while the tools exist is followed by its name, and stays one folder', async () => {
  const { above, folder, read } = await place();
  await rename(folder, join(above, 'old'));
  await mkdir(folder);
  await writeFile(join(folder, 'new.md'), 'new');
  expect(await read('new.md')).toBe('new');
  await expect(read('today.md')).rejects.toThrow('no such file');
});
