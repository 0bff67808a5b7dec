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
import type { Appender, Files } from './files.ts';

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
