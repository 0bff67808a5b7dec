import { type FileHandle, mkdir, open, readdir, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Appender, Files } from './files.ts';

const MOST_OPEN = 32;

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
      return found && { size: found.size, file: found.ino, changedMs: found.mtimeMs };
    },
    async read(path, start, length) {
      const handle = await readable(path);
      const bytes = Buffer.allocUnsafe(length);
      let filled = 0;
      while (filled < length) {
        const { bytesRead } = await handle.read(bytes, filled, length - filled, start + filled);
        if (bytesRead === 0) break;
        filled += bytesRead;
      }
      return bytes.subarray(0, filled);
    },
    makeFolder: async (path) => {
      const first = await mkdir(path, { recursive: true });
      // Each name that was made lies in the folder above it.
      for (let made = path; first !== undefined; made = dirname(made)) {
        await syncPath(dirname(made));
        if (made === first || made === dirname(made)) break;
      }
    },
    async create(path) {
      return appender(await open(path, 'ax'));
    },
    write: (path, bytes) => writeFile(path, bytes),
    async rename(from, to) {
      forget(from);
      forget(to);
      await rename(from, to);
    },
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
      for (const handle of handles) await (await handle).close();
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
