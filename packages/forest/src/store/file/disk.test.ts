import {
  chmod,
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  symlink,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { memoryStore } from '../memory-store.ts';
import { type Store, StoreError } from '../store.ts';
import { describeFailure, diskFiles, type Files, systemCode, toStoreError, withReadableErrors } from './disk.ts';

let folder: string;
let files: Files;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'skein-disk-'));
  files = diskFiles();
});
afterEach(async () => {
  await files.close();
  await rm(folder, { recursive: true, force: true });
});

const at = (...names: string[]) => join(folder, ...names);
const modeOf = async (path: string) => ((await lstat(path)).mode & 0o777).toString(8);
const textAt = async (path: string, start = 0, length = 100) => (await files.read(path, start, length)).toString();
const openFiles = async () => (await readdir('/proc/self/fd')).length;

describe('names and facts of files', () => {
  test('what is not there has no names and no facts, and other failures are told', async () => {
    await writeFile(at('file'), 'four');
    expect(await files.list(folder)).toEqual(['file']);
    expect(await files.list(at('none'))).toEqual([]);
    expect(await files.list(at('file', 'below'))).toEqual([]);
    const { ino, mtimeMs } = await stat(at('file'));
    expect(await files.stat(at('file'))).toEqual({ isFile: true, size: 4, file: ino, changedMs: mtimeMs });
    expect(await files.stat(folder)).toMatchObject({ isFile: false });
    expect(await files.stat(at('none'))).toBeUndefined();
    expect(await files.stat(at('file', 'below'))).toBeUndefined();
    const tooLong = at('x'.repeat(300));
    await expect(files.list(tooLong)).rejects.toMatchObject({ code: 'ENAMETOOLONG' });
    await expect(files.stat(tooLong)).rejects.toMatchObject({ code: 'ENAMETOOLONG' });
  });

  test('folders, files, copies of names and times are made for the owner alone', async () => {
    const before = await openFiles();
    await files.makeFolder(at('a', 'b'));
    await files.makeFolder(at('a', 'b'));
    await files.write(at('a', 'small'), Buffer.from('small'));
    const appender = await files.create(at('a', 'long'));
    await appender.append(Buffer.from('one'));
    await appender.append(Buffer.alloc(0));
    await appender.append(Buffer.from(' two'));
    await appender.truncate(5);
    await appender.append(Buffer.from('!'));
    await appender.sync();
    await appender.close();
    expect(await readFile(at('a', 'long'), 'utf8')).toBe('one t!');
    expect(await readFile(at('a', 'small'), 'utf8')).toBe('small');
    for (const path of [at('a'), at('a', 'b')]) expect(await modeOf(path)).toBe('700');
    for (const path of [at('a', 'small'), at('a', 'long')]) expect(await modeOf(path)).toBe('600');
    await expect(files.create(at('a', 'long'))).rejects.toMatchObject({ code: 'EEXIST' });
    await files.link(at('a', 'small'), at('a', 'same'));
    expect(await readFile(at('a', 'same'), 'utf8')).toBe('small');
    await expect(files.link(at('a', 'small'), at('a', 'long'))).rejects.toMatchObject({ code: 'EEXIST' });
    await files.sync(at('a'));
    await files.sync(at('a', 'long'));
    await expect(files.sync(at('none'))).rejects.toMatchObject({ code: 'ENOENT' });
    await utimes(at('a', 'long'), 1, 1);
    await files.touch(at('a', 'long'));
    expect((await files.stat(at('a', 'long')))!.changedMs).toBeGreaterThan(Date.UTC(2026));
    expect(await openFiles()).toBe(before);
  });

  test('access of others is removed from all that is below, and links are not followed', async () => {
    await mkdir(at('a', 'b'), { recursive: true });
    await writeFile(at('a', 'b', 'file'), '');
    await writeFile(at('a', 'program'), '');
    await writeFile(at('elsewhere'), '');
    await symlink(at('elsewhere'), at('a', 'link'));
    for (const path of [at('a'), at('a', 'b'), at('a', 'program')]) await chmod(path, 0o755);
    await chmod(at('a', 'b', 'file'), 0o604);
    await chmod(at('elsewhere'), 0o644);
    await files.tighten(at('a'));
    const modes = [at('a'), at('a', 'b'), at('a', 'program'), at('a', 'b', 'file'), at('elsewhere')].map(modeOf);
    expect(await Promise.all(modes)).toEqual(['700', '700', '700', '600', '644']);
    await files.tighten(at('a', 'link'));
    await files.tighten(at('none'));
    expect(await modeOf(at('elsewhere'))).toBe('644');
    await chmod(at('elsewhere'), 0o640);
    await files.tighten(at('elsewhere'));
    expect(await modeOf(at('elsewhere'))).toBe('600');
  });
});

describe('files that stay open for reading', () => {
  test('give the bytes at an offset, and fewer at the end', async () => {
    await writeFile(at('file'), '0123456789');
    expect(await textAt(at('file'), 2, 3)).toBe('234');
    expect(await textAt(at('file'), 8, 3)).toBe('89');
    expect(await textAt(at('file'), 20, 3)).toBe('');
    await expect(textAt(folder)).rejects.toMatchObject({ code: 'EISDIR' });
  });

  test('are 32 at most, and the one that was not read for the longest time is closed first', async () => {
    const names = Array.from({ length: 33 }, (_, index) => at(`${index}`));
    for (const name of names) await writeFile(name, 'old');
    const before = await openFiles();
    for (const name of [...names.slice(0, 32), names[0]!, names[32]!]) await files.read(name, 0, 3);
    await expect.poll(openFiles, { timeout: 5000 }).toBe(before + 32);
    for (const name of names.slice(0, 3)) {
      await writeFile(at('new'), 'new');
      await rename(at('new'), name);
    }
    // The second was closed; the first and the third are still open, so their old bytes are read.
    expect(await Promise.all(names.slice(0, 1).map((name) => textAt(name)))).toEqual(['old']);
    expect(await textAt(names[2]!)).toBe('old');
    expect(await textAt(names[1]!)).toBe('new');
    await files.close();
    expect(await openFiles()).toBe(before);
  });

  test('are opened again for whoever still reads one that was closed', async () => {
    const names = Array.from({ length: 100 }, (_, index) => at(`${index}`));
    for (const name of names) await writeFile(name, name);
    expect(await Promise.all(names.map((name) => textAt(name, 0, 1000)))).toEqual(names);
  });

  test('are opened anew when a file was replaced, removed or not there the last time', async () => {
    await expect(textAt(at('a'))).rejects.toMatchObject({ code: 'ENOENT' });
    await writeFile(at('a'), 'a');
    await writeFile(at('b'), 'b');
    expect([await textAt(at('a')), await textAt(at('b'))]).toEqual(['a', 'b']);
    await files.rename(at('a'), at('b'));
    expect(await textAt(at('b'))).toBe('a');
    await expect(textAt(at('a'))).rejects.toMatchObject({ code: 'ENOENT' });
    await files.remove(at('b'));
    await files.remove(at('b'));
    await expect(textAt(at('b'))).rejects.toMatchObject({ code: 'ENOENT' });
    await writeFile(at('b'), 'later');
    expect(await textAt(at('b'))).toBe('later');
  });
});

describe('a file of pages', () => {
  test('is read from an offset, as far as it goes', async () => {
    await writeFile(at('pages'), '0123456789');
    const pages = files.openPages(at('pages'));
    expect(pages.size()).toBe(10);
    const bytes = Buffer.alloc(4);
    expect([pages.read(bytes, 3), bytes.toString()]).toEqual([4, '3456']);
    expect([pages.read(bytes, 8), bytes.toString()]).toEqual([2, '8956']);
    pages.close();
    pages.close();
    expect(() => pages.read(bytes, 0)).toThrow(
      expect.objectContaining({ code: 'EBADF', message: 'The file was closed.' }),
    );
  });

  test('without a name is seen by nobody else, and gone when it is closed', async () => {
    const before = await openFiles();
    const pages = files.scratch(at('a', 'b'));
    expect(await files.list(at('a', 'b'))).toEqual([]);
    for (const path of [at('a'), at('a', 'b')]) expect(await modeOf(path)).toBe('700');
    pages.write(Buffer.from('later'), 5);
    pages.write(Buffer.from('first'), 0);
    const bytes = Buffer.alloc(10);
    expect([pages.read(bytes, 0), bytes.toString()]).toEqual([10, 'firstlater']);
    expect(await openFiles()).toBe(before + 1);
    pages.close();
    expect(await openFiles()).toBe(before);
  });
});

describe('a failed system call', () => {
  const failure = (code: string, more = {}) => Object.assign(new Error('raw words'), { code, ...more });

  test.each([
    ['ENOSPC', 'store_full', 'has no space left on its disk (ENOSPC). Free some space, then repeat.'],
    ['EDQUOT', 'store_full', 'has no space left on its disk (EDQUOT). Free some space, then repeat.'],
    ['EROFS', 'store_read_only', 'is on a disk that is read-only (EROFS). Use another folder.'],
    ['EACCES', 'store_read_only', 'may not be used by this user (EACCES). Change its owner or its permissions.'],
    ['EPERM', 'store_read_only', 'may not be used by this user (EPERM). Change its owner or its permissions.'],
    [
      'ENOENT',
      'store_failed',
      'does not exist, or is a broken link (ENOENT). Remove the link, or bring the file back.',
    ],
    ['ELOOP', 'store_failed', 'is a link that leads to itself (ELOOP). Remove the link.'],
    ['EISDIR', 'store_failed', 'is a folder, but a file is needed (EISDIR). Move the folder away.'],
    ['ENOTDIR', 'store_failed', 'cannot be created: a parent is a file, not a folder (ENOTDIR). Use another folder.'],
    [
      'EEXIST',
      'store_failed',
      'cannot be created: a file has that name (EEXIST). Move the file away, or use another folder.',
    ],
    ['ENAMETOOLONG', 'store_failed', 'has a name that is too long (ENAMETOOLONG). Use a shorter path.'],
    ['EMFILE', 'store_failed', 'cannot be opened: too many files are open (EMFILE). Raise the limit (ulimit -n).'],
    ['ENFILE', 'store_failed', 'cannot be opened: too many files are open (ENFILE). Close other programs.'],
    ['EIO', 'store_failed', 'cannot be read or written: the disk reports an error (EIO). Check the disk.'],
  ])('%s says what is wrong, and what to do', (code, expected, words) => {
    const told = toStoreError(failure(code), '/f');
    expect([told.code, told.message]).toEqual([expected, `/f ${words}`]);
    expect(systemCode(failure(code))).toBe(code);
  });

  test('of another kind is told in its own words, with what it means for the caller', () => {
    const odd = failure('EODD', { syscall: 'open' });
    expect(toStoreError(odd, '/f', 'Nothing was written.')).toMatchObject({
      code: 'store_failed',
      message: '/f failed (raw words). Nothing was written.',
      cause: odd,
    });
    expect(toStoreError(failure('EIO'), '/f', 'Nothing was written.').message).toBe(
      '/f cannot be read or written: the disk reports an error (EIO). Nothing was written. Check the disk.',
    );
    expect([describeFailure(undefined), describeFailure(null)]).toEqual(['failed (undefined)', 'failed (null)']);
    expect(describeFailure('a text')).toBe('failed (a text)');
    const own = new StoreError('store_closed', 'It was closed.');
    expect(toStoreError(own, '/f')).toBe(own);
  });

  test('is known by its code and its call, and no other error is', () => {
    expect(systemCode(failure('EODD', { syscall: 'open' }))).toBe('EODD');
    for (const error of [failure('EODD'), failure('toString'), { code: 5, syscall: 'open' }, new Error('x'), null])
      expect(systemCode(error)).toBe('');
  });

  test('of any method of a store becomes an error of the store; other errors stay, and so do other members', async () => {
    const errors = {
      own: new TypeError('not a system call'),
      system: failure('EIO'),
      named: failure('EIO', { path: '/x' }),
    };
    const inner = {
      ...memoryStore(),
      writer: 'w1',
      problems: () => [],
      check: () => Promise.reject(errors.own),
      nodes: () => Promise.reject(errors.system),
      path: () => Promise.reject(errors.named),
      watch(this: Store, listener: () => void) {
        expect(this).toBe(inner);
        return listener;
      },
    } satisfies Store;
    const store = withReadableErrors(inner, '/folder');
    expect([store.writer, store.problems()]).toEqual(['w1', []]);
    const listener = () => undefined;
    expect(store.watch(listener)).toBe(listener);
    await expect(store.check()).rejects.toBe(errors.own);
    await expect(store.nodes([])).rejects.toMatchObject({
      code: 'store_failed',
      message: expect.stringMatching(/^\/folder cannot be read/),
    });
    await expect(store.path('x')).rejects.toMatchObject({
      code: 'store_failed',
      message: expect.stringMatching(/^\/x cannot be read/),
    });
    expect((await store.scan()).items).toEqual([]);
  });
});
