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

/** The few things the store does with files, so that tests can take the disk's place. */
export interface Files {
  /** Names in a folder; none when it does not exist. */
  list(folder: string): Promise<readonly string[]>;
  /** Undefined when there is no such file. */
  stat(path: string): Promise<FileStat | undefined>;
  /** What is there between these places; shorter at the end of the file. */
  read(path: string, start: number, length: number): Promise<Buffer>;
  /** A folder and those above it, for its owner alone. */
  makeFolder(path: string): Promise<void>;
  /** A new file to append to, for its owner alone; an error when it exists. */
  create(path: string): Promise<Appender>;
  /** A whole small file, for its owner alone. */
  write(path: string, bytes: Uint8Array): Promise<void>;
  rename(from: string, to: string): Promise<void>;
  /** Gives a file a second name; an error (`EEXIST`) when that is taken. */
  link(path: string, name: string): Promise<void>;
  /** Takes from others the right to read a folder or file, and all that is in it, where that is ours to do. */
  tighten(path: string): Promise<void>;
  /** It may be gone already. */
  remove(path: string): Promise<void>;
  /** Sets the time of the last change to now. */
  touch(path: string): Promise<void>;
  /** Makes a file's bytes, or a folder's names, survive a loss of power. Whoever wrote them. */
  sync(path: string): Promise<void>;
  /** Lets go of what is kept open for reading. */
  close(): Promise<void>;
}

export interface FileStat {
  /** A file, and not a folder or something that would be waited for. */
  readonly isFile: boolean;
  readonly size: number;
  /** Another number when the file was replaced by another one. */
  readonly file: number;
  readonly changedMs: number;
}

export interface Appender {
  /** All of it, at the end, or an error after any part of it. */
  append(bytes: Uint8Array): Promise<void>;
  sync(): Promise<void>;
  truncate(size: number): Promise<void>;
  close(): Promise<void>;
}

const MOST_OPEN = 32;
const MOST_TRIES = 3;
/** Conversations are their owner's business. */
const OWN_FOLDER = 0o700;
const OWN_FILE = 0o600;

/** The real ones. Files that are read stay open, a few of them. */
export function diskFiles(): Files {
  const open_ = new Map<string, Promise<FileHandle>>();

  const readable = (path: string): Promise<FileHandle> => {
    const known = open_.get(path);
    const handle = known ?? open(path, 'r');
    // The one used last stands last.
    open_.delete(path);
    open_.set(path, handle);
    handle.catch(() => open_.delete(path));
    for (const [old, unused] of open_) {
      if (open_.size <= MOST_OPEN) break;
      open_.delete(old);
      closeLater(unused);
    }
    return handle;
  };
  const forget = (path: string) => {
    const handle = open_.get(path);
    open_.delete(path);
    if (handle) closeLater(handle);
  };

  return {
    list: (folder) => readdir(folder).catch(missing([])),
    async stat(path) {
      const found = await stat(path).catch(missing(undefined));
      return found && { isFile: found.isFile(), size: found.size, file: found.ino, changedMs: found.mtimeMs };
    },
    async read(path, start, length) {
      const bytes = Buffer.allocUnsafe(length);
      for (let tries = 1; ; tries++) {
        try {
          return bytes.subarray(0, await readInto(bytes, await readable(path), start));
        } catch (error) {
          // It was closed meanwhile, to make room for another or because the file was replaced.
          if ((error as NodeJS.ErrnoException).code !== 'EBADF' || tries === MOST_TRIES) throw error;
        }
      }
    },
    makeFolder: async (path) => {
      const first = await mkdir(path, { recursive: true, mode: OWN_FOLDER });
      // Each name that was made lies in the folder above it.
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
      forget(from);
      forget(to);
      await rename(from, to);
    },
    link: (path, name) => link(path, name),
    tighten,
    async remove(path) {
      forget(path);
      await rm(path, { force: true });
    },
    async touch(path) {
      const now = new Date();
      await utimes(path, now, now);
    },
    sync: syncPath,
    async close() {
      const handles = [...open_.values()];
      open_.clear();
      await Promise.allSettled(handles.map(async (handle) => (await handle).close()));
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

async function readInto(bytes: Buffer, handle: FileHandle, start: number): Promise<number> {
  let filled = 0;
  while (filled < bytes.length) {
    const { bytesRead } = await handle.read(bytes, filled, bytes.length - filled, start + filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return filled;
}

/** Links are not followed: what they lead to may belong to somebody else's work. */
async function tighten(path: string): Promise<void> {
  if (process.platform === 'win32') return;
  const found = await lstat(path).catch(() => undefined);
  if (!found?.isDirectory() && !found?.isFile()) return;
  const mode = found.mode & 0o777;
  // What belongs to another user cannot be changed by this one: it stays as it is.
  if ((mode & 0o077) !== 0) await chmod(path, mode & OWN_FOLDER).catch(() => undefined);
  if (!found.isDirectory()) return;
  for (const name of await readdir(path).catch(() => [])) await tighten(join(path, name));
}

async function syncPath(path: string): Promise<void> {
  const handle = await open(path, 'r').catch((error: NodeJS.ErrnoException) => {
    // Windows does not open folders, and keeps their names without being asked.
    if (process.platform === 'win32') return undefined;
    throw error;
  });
  try {
    await handle?.sync();
  } finally {
    await handle?.close();
  }
}

function closeLater(handle: Promise<FileHandle>): void {
  // A read may still be under way; a handle that is closed waits for it.
  handle.then((one) => one.close()).catch(() => undefined);
}

function missing<T>(otherwise: T): (error: NodeJS.ErrnoException) => T {
  return (error) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return otherwise;
    throw error;
  };
}

type Meaning = readonly [code: StoreErrorCode, what: string, advice: string];

const FULL: Meaning = ['store_full', 'has no space left on its disk', 'Make room, then repeat.'];
const MEANINGS: Readonly<Record<string, Meaning>> = {
  ENOSPC: FULL,
  EDQUOT: FULL,
  EROFS: ['store_read_only', 'is on a disk that is read-only', 'Use another folder.'],
  EACCES: ['store_read_only', 'may not be used by this user', 'Change its owner or its permissions.'],
  EPERM: ['store_read_only', 'may not be used by this user', 'Change its owner or its permissions.'],
  ENOENT: ['store_failed', 'is gone, or is a link to nothing', 'Remove the link, or bring the file back.'],
  ELOOP: ['store_failed', 'is a link that leads to itself', 'Remove the link.'],
  EISDIR: ['store_failed', 'is a folder, and a file is needed', 'Move the folder away.'],
  ENOTDIR: ['store_failed', 'cannot be there: something above it is a file', 'Give another folder.'],
  EEXIST: ['store_failed', 'cannot be made: a file has its name', 'Move the file away, or give another folder.'],
  ENAMETOOLONG: ['store_failed', 'has too long a name', 'Give a shorter folder.'],
  EMFILE: ['store_failed', 'cannot be opened: too many files are open', 'Raise the limit (ulimit -n).'],
  ENFILE: ['store_failed', 'cannot be opened: too many files are open', 'Close other programs.'],
  EIO: ['store_failed', 'cannot be read or written: the disk reports an error', 'Check the disk.'],
};

/** The code of a failed call of the system; empty for any other error. */
export function systemCode(error: unknown): string {
  const { code, syscall } = (error ?? {}) as { code?: unknown; syscall?: unknown };
  return typeof code === 'string' && (typeof syscall === 'string' || Object.hasOwn(MEANINGS, code)) ? code : '';
}

/** What a failed call says about a file, without advice. */
export function describeFailure(error: unknown): string {
  const code = systemCode(error);
  const meaning = Object.hasOwn(MEANINGS, code) ? MEANINGS[code] : undefined;
  return meaning ? `${meaning[1]} (${code})` : `failed (${(error as Error | null)?.message ?? String(error)})`;
}

/** A failed call in words: what is wrong with which file, what that means for the caller, and what to do. */
export function toStoreError(error: unknown, path: string, effect = ''): StoreError {
  if (error instanceof StoreError) return error;
  const code = systemCode(error);
  const [kind, , advice] = (Object.hasOwn(MEANINGS, code) && MEANINGS[code]) || (['store_failed', '', ''] as const);
  const words = [`${path} ${describeFailure(error)}.`, effect, advice].filter((part) => part !== '');
  return new StoreError(kind, words.join(' '), error);
}

/** The same store, whose failed calls of the system are told in words. */
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

/** Throws it again, in words where the system failed. */
export function throwReadable(error: unknown, folder: string): never {
  if (systemCode(error) === '') throw error;
  throw toStoreError(error, (error as { path?: string }).path ?? folder);
}
