import { randomBytes } from 'node:crypto';
import { closeSync, fstatSync, mkdirSync, openSync, readSync, unlinkSync, writeSync } from 'node:fs';
import {
  chmod,
  type FileHandle,
  link,
  lstat,
  mkdir,
  open,
  readdir,
  rename,
  rm,
  stat,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type Store, StoreError, type StoreErrorCode } from '../store.ts';

/** The file operations of the store, so that tests can replace the disk. */
export interface Files {
  /** The names in a folder; empty if it does not exist. */
  list(folder: string): Promise<readonly string[]>;
  /** Undefined when there is no such file. */
  stat(path: string): Promise<FileStat | undefined>;
  /** The bytes at an offset; fewer at the end of the file. */
  read(path: string, start: number, length: number): Promise<Buffer>;
  /** Makes a folder and its parents, accessible to the owner only. */
  makeFolder(path: string): Promise<void>;
  /** Creates a file to append to, accessible to the owner only; fails if it exists. */
  create(path: string): Promise<Appender>;
  /** Writes a small file, accessible to the owner only. */
  write(path: string, bytes: Uint8Array): Promise<void>;
  rename(from: string, to: string): Promise<void>;
  /** Makes a hard link; fails with `EEXIST` if the name is taken. */
  link(path: string, name: string): Promise<void>;
  /** Removes the access of others from a folder or file and everything in it, as far as this user may. */
  tighten(path: string): Promise<void>;
  /** Removes a file; it may be gone already. */
  remove(path: string): Promise<void>;
  /** Sets the modification time to now. */
  touch(path: string): Promise<void>;
  /** Flushes the bytes of a file, or the names in a folder, to the disk, whoever wrote them. */
  sync(path: string): Promise<void>;
  /** Opens a file to read pages of it. */
  openPages(path: string): PageFile;
  /** Makes a file in a folder that no other process sees, and that is gone when it is closed or its process ends. */
  scratch(folder: string): PageFile;
  /** Closes the files that are kept open for reading. */
  close(): Promise<void>;
}

/** A file that is read and written at once, because the index is looked up in the middle of synchronous work. */
export interface PageFile {
  size(): number;
  /** Fills the bytes from an offset; returns how many there were. */
  read(into: Uint8Array, start: number): number;
  write(bytes: Uint8Array, start: number): void;
  close(): void;
}

export interface FileStat {
  /** Whether it is a regular file, not a folder or a pipe. */
  readonly isFile: boolean;
  readonly size: number;
  /** The inode; it differs if the file was replaced. */
  readonly file: number;
  readonly changedMs: number;
}

export interface Appender {
  /** Appends all bytes, or fails after any part of them. */
  append(bytes: Uint8Array): Promise<void>;
  sync(): Promise<void>;
  truncate(size: number): Promise<void>;
  close(): Promise<void>;
}

const MOST_OPEN = 32;
/** Only the owner may read conversations. */
const OWN_FOLDER = 0o700;
const OWN_FILE = 0o600;

/** A file that is open for reading. It is closed when it is no longer kept and nobody reads it. */
interface OpenFile {
  readonly handle: Promise<FileHandle>;
  reads: number;
  isKept: boolean;
}

/** The file operations on the real disk. A few files stay open for reading. */
export function diskFiles(): Files {
  const kept = new Map<string, OpenFile>();

  const openFile = (path: string): OpenFile => {
    const handle = open(path, 'r');
    handle.catch(() => kept.delete(path));
    return { handle, reads: 0, isKept: true };
  };
  const keep = (path: string): OpenFile => {
    const file = kept.get(path) ?? openFile(path);
    // The most recently used one is last.
    kept.delete(path);
    kept.set(path, file);
    for (const old of kept.keys()) {
      if (kept.size <= MOST_OPEN) break;
      forget(old);
    }
    return file;
  };
  const forget = async (path: string) => {
    const file = kept.get(path);
    kept.delete(path);
    if (!file) return;
    file.isKept = false;
    await closeUnused(file);
  };

  return {
    list: (folder) => readdir(folder).catch(missing([])),
    async stat(path) {
      const found = await stat(path).catch(missing(undefined));
      return found && { isFile: found.isFile(), size: found.size, file: found.ino, changedMs: found.mtimeMs };
    },
    async read(path, start, length) {
      const bytes = Buffer.allocUnsafe(length);
      const file = keep(path);
      file.reads += 1;
      try {
        return bytes.subarray(0, await readInto(bytes, await file.handle, start));
      } finally {
        file.reads -= 1;
        closeUnused(file);
      }
    },
    makeFolder: async (path) => {
      const first = await mkdir(path, { recursive: true, mode: OWN_FOLDER });
      // A new name is stored in its parent folder, so that one has to be flushed.
      for (let made = path; first !== undefined; made = dirname(made)) {
        await syncPath(dirname(made));
        if (made === first || made === dirname(made)) break;
      }
    },
    async create(path) {
      return appender(await open(path, 'ax', OWN_FILE));
    },
    write: (path, bytes) => writeFile(path, bytes, { mode: OWN_FILE }),
    async rename(from, to) {
      await Promise.all([forget(from), forget(to)]);
      await rename(from, to);
    },
    link: (path, name) => link(path, name),
    tighten,
    async remove(path) {
      await forget(path);
      await rm(path, { force: true });
    },
    async touch(path) {
      const now = new Date();
      await utimes(path, now, now);
    },
    sync: syncPath,
    openPages: (path) => pageFile(openSync(path, 'r')),
    scratch(folder) {
      mkdirSync(folder, { recursive: true, mode: OWN_FOLDER });
      const path = join(folder, `${randomBytes(6).toString('hex')}.scratch`);
      const handle = openSync(path, 'wx+', OWN_FILE);
      unlinkSync(path);
      return pageFile(handle);
    },
    async close() {
      await Promise.all([...kept.keys()].map(forget));
    },
  };
}

function appender(handle: FileHandle): Appender {
  return {
    async append(bytes) {
      for (let done = 0; done < bytes.length; ) done += (await handle.write(bytes, done)).bytesWritten;
    },
    sync: () => handle.datasync(),
    truncate: (size) => handle.truncate(size),
    close: () => handle.close(),
  };
}

function pageFile(opened: number): PageFile {
  // Another file may get the number of a closed one.
  let handle: number | undefined = opened;
  const current = () => {
    if (handle === undefined) throw Object.assign(new Error('The file was closed.'), { code: 'EBADF' });
    return handle;
  };
  return {
    size: () => fstatSync(current()).size,
    read(into, start) {
      let filled = 0;
      for (let bytes = -1; filled < into.length && bytes !== 0; filled += bytes)
        bytes = readSync(current(), into, filled, into.length - filled, start + filled);
      return filled;
    },
    write(bytes, start) {
      for (let done = 0; done < bytes.length; )
        done += writeSync(current(), bytes, done, bytes.length - done, start + done);
    },
    close() {
      if (handle !== undefined) closeSync(handle);
      handle = undefined;
    },
  };
}

async function readInto(bytes: Buffer, handle: FileHandle, start: number): Promise<number> {
  let filled = 0;
  while (filled < bytes.length) {
    const { bytesRead } = await handle.read(bytes, filled, bytes.length - filled, start + filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return filled;
}

/** Links are not followed: their targets may belong to something else. */
async function tighten(path: string): Promise<void> {
  if (process.platform === 'win32') return;
  const found = await lstat(path).catch(() => undefined);
  if (!found?.isDirectory() && !found?.isFile()) return;
  const mode = found.mode & 0o777;
  // Files of other users cannot be changed and stay as they are.
  if ((mode & 0o077) !== 0) await chmod(path, mode & OWN_FOLDER).catch(() => undefined);
  // A file has no names.
  for (const name of await readdir(path).catch(() => [])) await tighten(join(path, name));
}

async function syncPath(path: string): Promise<void> {
  const handle = await open(path, 'r').catch((error: NodeJS.ErrnoException) => {
    // Windows cannot open folders, and stores their names anyway.
    if (process.platform === 'win32') return undefined;
    throw error;
  });
  try {
    await handle?.sync();
  } finally {
    await handle?.close();
  }
}

async function closeUnused({ handle, reads, isKept }: OpenFile): Promise<void> {
  if (isKept || reads > 0) return;
  await handle.then((one) => one.close()).catch(() => undefined);
}

function missing<T>(otherwise: T): (error: NodeJS.ErrnoException) => T {
  return (error) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return otherwise;
    throw error;
  };
}

type Meaning = readonly [code: StoreErrorCode, what: string, advice: string];

const FULL: Meaning = ['store_full', 'has no space left on its disk', 'Free some space, then repeat.'];
const MEANINGS: Readonly<Record<string, Meaning>> = {
  ENOSPC: FULL,
  EDQUOT: FULL,
  EROFS: ['store_read_only', 'is on a disk that is read-only', 'Use another folder.'],
  EACCES: ['store_read_only', 'may not be used by this user', 'Change its owner or its permissions.'],
  EPERM: ['store_read_only', 'may not be used by this user', 'Change its owner or its permissions.'],
  ENOENT: ['store_failed', 'does not exist, or is a broken link', 'Remove the link, or bring the file back.'],
  ELOOP: ['store_failed', 'is a link that leads to itself', 'Remove the link.'],
  EISDIR: ['store_failed', 'is a folder, but a file is needed', 'Move the folder away.'],
  ENOTDIR: ['store_failed', 'cannot be created: a parent is a file, not a folder', 'Use another folder.'],
  EEXIST: ['store_failed', 'cannot be created: a file has that name', 'Move the file away, or use another folder.'],
  ENAMETOOLONG: ['store_failed', 'has a name that is too long', 'Use a shorter path.'],
  EMFILE: ['store_failed', 'cannot be opened: too many files are open', 'Raise the limit (ulimit -n).'],
  ENFILE: ['store_failed', 'cannot be opened: too many files are open', 'Close other programs.'],
  EIO: ['store_failed', 'cannot be read or written: the disk reports an error', 'Check the disk.'],
};

/** The code of a failed system call; empty for any other error. */
export function systemCode(error: unknown): string {
  const { code, syscall } = (error ?? {}) as { code?: unknown; syscall?: unknown };
  return typeof code === 'string' && (typeof syscall === 'string' || Object.hasOwn(MEANINGS, code)) ? code : '';
}

/** Describes a failed system call, without advice. */
export function describeFailure(error: unknown): string {
  const code = systemCode(error);
  const meaning = Object.hasOwn(MEANINGS, code) ? MEANINGS[code] : undefined;
  return meaning ? `${meaning[1]} (${code})` : `failed (${(error as Error | null)?.message ?? String(error)})`;
}

/** A failed system call as a `StoreError` that says what is wrong with which file, what that means, and what to do. */
export function toStoreError(error: unknown, path: string, effect = ''): StoreError {
  if (error instanceof StoreError) return error;
  const code = systemCode(error);
  const [kind, , advice] = (Object.hasOwn(MEANINGS, code) && MEANINGS[code]) || (['store_failed', '', ''] as const);
  const words = [`${path} ${describeFailure(error)}.`, effect, advice].filter((part) => part !== '');
  return new StoreError(kind, words.join(' '), error);
}

/** Wraps a store so that failed system calls become `StoreError`s. */
export function withReadableErrors(store: Store, folder: string): Store {
  const told = Object.entries(store).map(([name, member]: [string, unknown]) => {
    if (typeof member !== 'function') return [name, member];
    return [
      name,
      (...given: unknown[]) => {
        const answer: unknown = member.apply(store, given);
        return answer instanceof Promise ? answer.catch((error: unknown) => throwReadable(error, folder)) : answer;
      },
    ];
  });
  return Object.fromEntries(told) as Store;
}

/** Throws an error again, as a `StoreError` if a system call failed. */
export function throwReadable(error: unknown, folder: string): never {
  if (systemCode(error) === '') throw error;
  throw toStoreError(error, (error as { path?: string }).path ?? folder);
}
