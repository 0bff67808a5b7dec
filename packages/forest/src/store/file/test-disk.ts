import { dirname } from 'node:path';
import type { Appender, Files, PageFile } from './disk.ts';

interface Inode {
  readonly file: number;
  data: Buffer;
  /** What a loss of power leaves for certain. */
  synced: Buffer;
  changedMs: number;
}

/** A disk in memory that can lose power: what was not flushed is then there, gone, or in part. */
export interface TestDisk {
  /** As one process sees it. */
  files(): Files;
  /** How many calls have been made. */
  calls(): number;
  /** Loses power at this call, in the middle of it; every later one fails. */
  failAt(call: number): void;
  /** Comes back with what survived; `random` gives numbers from 0 up to 1. */
  restart(random: () => number): void;
  /** Ends the processes that use it: each of their later calls fails, and nothing that they wrote is lost. */
  kill(): void;
  /** Replaces the bytes of a file, as a damaged disk does. */
  damage(path: string, change: (bytes: Buffer) => Buffer): void;
  /** Replaces a file by a copy of it, so that a store reads everything again. */
  replace(path: string): void;
  /** How many more bytes can be written. */
  setSpace(bytes: number): void;
  /** Makes `sync` of files or folders do nothing: to show that a test would notice. */
  breakSync(kind: 'files' | 'folders' | 'none'): void;
  contents(): Map<string, Buffer>;
}

export function createTestDisk(): TestDisk {
  let names = new Map<string, Inode>();
  let durable = new Map<string, Inode>();
  let calls = 0;
  let failing = Infinity;
  let space = Infinity;
  let broken: 'files' | 'folders' | 'none' = 'none';
  let last = 0;

  let starts = 0;

  /** One call of a process that began after the `start`th start; later ones find it dead. False in the last one. */
  const call = async (start: number) => {
    await new Promise((resolve) => setImmediate(resolve));
    if (calls >= failing || start !== starts) throw errorOf('EIO');
    calls += 1;
    return calls < failing;
  };
  const inodeAt = (path: string) => {
    const inode = names.get(path);
    if (!inode) throw errorOf('ENOENT');
    return inode;
  };
  const make = (): Inode => {
    last += 1;
    return { file: last, data: Buffer.alloc(0), synced: Buffer.alloc(0), changedMs: Date.now() };
  };
  const put = async (start: number, inode: Inode, bytes: Uint8Array) => {
    const isOn = await call(start);
    const fitting = isOn ? Math.min(space, bytes.length) : Math.floor(bytes.length / 2);
    space -= fitting;
    inode.data = Buffer.concat([inode.data, bytes.subarray(0, fitting)]);
    if (!isOn) throw errorOf('EIO');
    if (fitting < bytes.length) throw errorOf('ENOSPC');
  };
  const syncInode = (inode: Inode) => {
    if (broken !== 'files') inode.synced = inode.data;
  };

  const filesSince = (start: number, step: () => Promise<void>): Files => ({
    async list(folder) {
      await step();
      return [...names.keys()].filter((path) => dirname(path) === folder).map((path) => path.slice(folder.length + 1));
    },
    async stat(path) {
      await step();
      const inode = names.get(path);
      return inode && { isFile: true, size: inode.data.length, file: inode.file, changedMs: inode.changedMs };
    },
    async read(path, from, length) {
      await step();
      return Buffer.from(inodeAt(path).data.subarray(from, from + length));
    },
    makeFolder: step,
    async create(path) {
      await step();
      if (names.has(path)) throw errorOf('EEXIST');
      const inode = make();
      names.set(path, inode);
      return {
        append: (bytes) => put(start, inode, bytes),
        async sync() {
          await step();
          syncInode(inode);
        },
        async truncate(size) {
          await step();
          space += inode.data.length - size;
          inode.data = inode.data.subarray(0, size);
        },
        close: async () => undefined,
      } satisfies Appender;
    },
    async write(path, bytes) {
      await step();
      const inode = make();
      names.set(path, inode);
      await put(start, inode, bytes);
    },
    async rename(from, to) {
      await step();
      names.set(to, inodeAt(from));
      names.delete(from);
    },
    async link(path, name) {
      await step();
      if (names.has(name)) throw errorOf('EEXIST');
      names.set(name, inodeAt(path));
    },
    tighten: async () => undefined,
    async remove(path) {
      await step();
      names.delete(path);
    },
    async touch(path) {
      if (start !== starts) throw errorOf('EIO');
      inodeAt(path).changedMs = Date.now();
    },
    async sync(path) {
      await step();
      const inode = names.get(path);
      if (inode) syncInode(inode);
      else if (broken !== 'folders') syncFolder(path);
    },
    openPages: (path) => pageFile(start, inodeAt(path)),
    // No name leads to it, so nothing of it survives.
    scratch: () => pageFile(start, make()),
    close: async () => undefined,
  });
  /** Its calls are not counted: they are not awaited, so no other call can come between. */
  const pageFile = (start: number, inode: Inode): PageFile => {
    const check = () => {
      if (calls >= failing || start !== starts) throw errorOf('EIO');
    };
    return {
      size: () => inode.data.length,
      read(into, from) {
        check();
        return inode.data.copy(into, 0, from, from + into.length);
      },
      write(bytes, from) {
        check();
        if (bytes.length > space) throw errorOf('ENOSPC');
        const grown = Buffer.alloc(Math.max(inode.data.length, from + bytes.length));
        inode.data.copy(grown);
        grown.set(bytes, from);
        inode.data = grown;
      },
      close: () => undefined,
    };
  };
  const syncFolder = (folder: string) => {
    for (const path of new Set([...names.keys(), ...durable.keys()])) {
      if (dirname(path) !== folder) continue;
      const inode = names.get(path);
      if (inode) durable.set(path, inode);
      else durable.delete(path);
    }
  };

  return {
    files() {
      const start = starts;
      return filesSince(start, async () => {
        if (!(await call(start))) throw errorOf('EIO');
      });
    },
    calls: () => calls,
    failAt(at) {
      failing = at;
    },
    restart(random) {
      const left = new Map<string, Inode>();
      for (const path of new Set([...names.keys(), ...durable.keys()])) {
        const inode = random() < 0.5 ? names.get(path) : durable.get(path);
        if (inode) left.set(path, inode);
      }
      for (const inode of new Set(left.values())) {
        inode.data = survivor(inode, random);
        inode.synced = inode.data;
      }
      names = left;
      durable = new Map(left);
      failing = Infinity;
      starts += 1;
      space = Infinity;
    },
    kill() {
      failing = Infinity;
      starts += 1;
    },
    damage(path, change) {
      const inode = inodeAt(path);
      inode.data = change(Buffer.from(inode.data));
      inode.synced = inode.data;
    },
    replace(path) {
      names.set(path, { ...inodeAt(path), file: make().file });
    },
    setSpace(bytes) {
      space = bytes;
    },
    breakSync(kind) {
      broken = kind;
    },
    contents: () => new Map([...names].map(([path, { data }]) => [path, data])),
  };
}

/** The flushed bytes, and of the others a part, in which a stretch may never have been written. */
function survivor({ data, synced }: Inode, random: () => number): Buffer {
  if (data.length <= synced.length) return random() < 0.5 ? data : synced;
  const end = synced.length + Math.floor(random() * (data.length - synced.length + 1));
  const left = Buffer.from(data.subarray(0, end));
  if (random() < 0.3) {
    const start = synced.length + Math.floor(random() * (end - synced.length));
    left.fill(0, start, Math.min(end, start + Math.floor(random() * 200)));
  }
  return left;
}

function errorOf(code: string): Error {
  return Object.assign(new Error(`${code}: test`), { code, syscall: 'test' });
}
