import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { diskFiles, type Files } from './disk.ts';
import { claimLife, describeWriter, readLife, showLife } from './liveness.ts';
import { type TestFolder, testFolder } from './test-folder.ts';

let here: TestFolder;
let writers: string;
const files = diskFiles();

beforeEach(async () => {
  here = await testFolder();
  writers = join(here.own, 'writers');
});
afterEach(async () => {
  vi.restoreAllMocks();
  await files.close();
  await here.remove();
});

const pathOf = (writer: string) => join(writers, `${writer}.json`);

async function readSign(writer: string): Promise<Record<string, unknown>> {
  const { size } = (await files.stat(pathOf(writer)))!;
  return JSON.parse((await files.read(pathOf(writer), 0, size)).toString());
}

/** Puts a sign there, as another process would have. */
async function putSign(writer: string, sign: unknown): Promise<void> {
  await files.makeFolder(writers);
  await files.write(pathOf(writer), Buffer.from(typeof sign === 'string' ? sign : JSON.stringify(sign)));
}

test('a process that is killed while it begins to pack does not lock the folder for ever', async () => {
  const dying = {
    ...files,
    write: async (path: string) => {
      await files.write(path, Buffer.alloc(0));
      throw new Error('killed');
    },
  };
  await expect(showLife(dying, writers, 'compacting')).rejects.toThrow('killed');
  expect(await readLife(files, writers, 'compacting')).toBe('none');
  const store = await here.open();
  await store.compact(() => true);
  await store.close();
});

describe('a sign of life', () => {
  test('says which process of which machine writes, until it is hidden', async () => {
    const hide = await showLife(files, writers, 'w1');
    expect(await readSign('w1')).toEqual({
      pid: process.pid,
      host: hostname(),
      started: expect.stringMatching(/^\d+$/),
      boot: expect.stringMatching(/^[0-9a-f-]{36}$/),
      space: expect.stringMatching(/^pid:\[\d+\]$/),
    });
    expect(await files.list(writers)).toEqual(['w1.json']);
    expect(await readLife(files, writers, 'w1')).toBe('alive');
    expect(await describeWriter(files, writers, 'w1')).toBe(`Process ${process.pid} on ${hostname()}`);
    await hide();
    expect(await readLife(files, writers, 'w1')).toBe('none');
    expect(await describeWriter(files, writers, 'w1')).toBe('Writer w1');
  });

  test('beats every ten seconds until it is hidden, and does not keep the process', async () => {
    const timers: { beat: () => void; ms: number; isHeld: boolean }[] = [];
    const cleared: unknown[] = [];
    vi.spyOn(globalThis, 'setInterval').mockImplementation(((beat: () => void, ms: number) => {
      const timer = { beat, ms, isHeld: true, unref: () => void Object.assign(timer, { isHeld: false }) };
      timers.push(timer);
      return timer;
    }) as never);
    vi.spyOn(globalThis, 'clearInterval').mockImplementation((timer) => void cleared.push(timer));
    const touched: string[] = [];
    const touch = async (path: string) => {
      touched.push(path);
      throw new Error('gone');
    };
    const hide = await showLife({ ...files, touch }, writers, 'w1');
    expect(timers).toMatchObject([{ ms: 10_000, isHeld: false }]);
    await timers[0]!.beat();
    expect(touched).toEqual([pathOf('w1')]);
    await hide();
    expect(cleared).toEqual([timers[0]]);
  });

  test('of this machine is alive only while this very process runs', async () => {
    const hide = await showLife(files, writers, 'w1');
    const sign = await readSign('w1');
    await hide();
    await putSign('same', sign);
    expect(await readLife(files, writers, 'same')).toBe('alive');
    await putSign('reused', { ...sign, started: '1' });
    expect(await readLife(files, writers, 'reused')).toBe('dead');
    await putSign('ended', { ...sign, pid: 4_194_303 });
    expect(await readLife(files, writers, 'ended')).toBe('dead');
    // The name of a machine may change while it runs.
    await putSign('renamed', { ...sign, started: '1', host: 'renamed' });
    expect(await readLife(files, writers, 'renamed')).toBe('dead');
    // Where the pid is another's, or the machine has been started anew, only the beat tells.
    for (const other of [{ boot: 'another' }, { space: 'pid:[1]' }]) {
      await putSign('elsewhere', { ...sign, started: '1', ...other });
      expect(await readLife(files, writers, 'elsewhere')).toBe('alive');
    }
  });

  test('of another machine, or one that cannot be read, counts while it beats', async () => {
    const other = { pid: 1, started: '5', boot: 'another', space: 'pid:[1]', host: 'elsewhere' };
    const broken = ['{"pid":', 'null', '{}', '[]', JSON.stringify({ ...other, pid: 1.5 })].concat(
      ['started', 'boot', 'space', 'host'].map((name) => JSON.stringify({ ...other, [name]: 7 })),
    );
    for (const sign of [other, ...broken]) {
      await putSign('w1', sign);
      const at = (ms: number): Files => ({
        ...files,
        stat: async (path) => {
          const stat = await files.stat(path);
          return stat && { ...stat, changedMs: Date.now() + ms };
        },
      });
      vi.spyOn(Date, 'now').mockReturnValue(1e12);
      expect(await readLife(at(-60_000), writers, 'w1')).toBe('alive');
      expect(await readLife(at(-60_001), writers, 'w1')).toBe('silent');
      // Its clock may be ahead.
      expect(await readLife(at(60_000), writers, 'w1')).toBe('alive');
      expect(await readLife(at(60_001), writers, 'w1')).toBe('silent');
      vi.restoreAllMocks();
      expect(await describeWriter(files, writers, 'w1')).toBe(sign === other ? 'Process 1 on elsewhere' : 'Writer w1');
    }
    const unreadable: Files = { ...files, read: () => Promise.reject(new Error('raw')) };
    expect(await readLife(unreadable, writers, 'w1')).toBe('alive');
  });

  test('is not looked for under a name that leads elsewhere', async () => {
    await putSign('w1', {});
    for (const name of ['../writers/w1', 'w1/../w1', '', 'w 1', ' w1', 'w1 '])
      expect(await readLife(files, writers, name)).toBe('none');
    expect(await readLife(files, writers, 'w1')).toBe('alive');
    await putSign('a-b_1', {});
    expect(await readLife(files, writers, 'a-b_1')).toBe('alive');
  });
});

describe('what the system says of its processes', () => {
  /** Runs with other answers of the kernel; undefined if it has none. */
  async function withKernel<T>(answer: (path: string) => string | undefined, work: () => Promise<T>): Promise<T> {
    const own = { readFileSync: fs.readFileSync, readlinkSync: fs.readlinkSync };
    const instead = (read: (...given: never[]) => unknown) =>
      ((path: unknown, ...rest: never[]) => {
        if (!String(path).startsWith('/proc/')) return read(...([path, ...rest] as never[]));
        const text = answer(String(path));
        if (text === undefined) throw new Error('not there');
        return text;
      }) as never;
    Object.assign(fs, { readFileSync: instead(own.readFileSync), readlinkSync: instead(own.readlinkSync) });
    syncBuiltinESMExports();
    try {
      return await work();
    } finally {
      Object.assign(fs, own);
      syncBuiltinESMExports();
    }
  }

  test('is understood whatever the name of a program is', async () => {
    const fields = Array.from({ length: 40 }, (_, at) => `f${at}`).join(' ');
    const kernel = (path: string) => (path.endsWith('/stat') ? `7 (a) b (c)) ${fields}\n` : `answer to ${path}\n`);
    await withKernel(kernel, async () => {
      const hide = await showLife(files, writers, 'w1');
      expect(await readSign('w1')).toMatchObject({
        started: 'f19',
        boot: 'answer to /proc/sys/kernel/random/boot_id',
        space: 'answer to /proc/self/ns/pid\n',
      });
      await hide();
    });
  });

  test('may be nothing: then a process lives while one with its number does', async () => {
    await withKernel(
      () => undefined,
      async () => {
        const hide = await showLife(files, writers, 'w1');
        const sign = await readSign('w1');
        expect(sign).toEqual({ pid: process.pid, host: hostname(), started: '', boot: '', space: '' });
        expect(await readLife(files, writers, 'w1')).toBe('alive');
        await putSign('w2', { ...sign, pid: 4_194_303 });
        expect(await readLife(files, writers, 'w2')).toBe('dead');
        await putSign('w3', { ...sign, pid: 4_194_303, host: 'elsewhere' });
        expect(await readLife(files, writers, 'w3')).toBe('alive');
        vi.spyOn(process, 'kill').mockImplementation(() => {
          throw Object.assign(new Error('raw'), { code: 'EPERM' });
        });
        expect(await readLife(files, writers, 'w2')).toBe('alive');
        await hide();
      },
    );
  });
});

describe('a name that one process may hold', () => {
  test('is given to one at a time, and again when it was given back', async () => {
    const first = await claimLife(files, writers, 'compacting');
    expect(first).toBeDefined();
    expect(await claimLife(files, writers, 'compacting')).toBeUndefined();
    expect(await files.list(writers)).toEqual(['compacting.json']);
    await first!();
    const second = await claimLife(files, writers, 'compacting');
    expect(second).toBeDefined();
    await second!();
    expect(await files.list(writers)).toEqual([]);
  });

  test('is taken from a process that has died', async () => {
    const hide = await showLife(files, writers, 'w1');
    await putSign('compacting', { ...(await readSign('w1')), started: '1' });
    await hide();
    const hideClaim = await claimLife(files, writers, 'compacting');
    expect(await readLife(files, writers, 'compacting')).toBe('alive');
    expect(await files.list(writers)).toEqual(['compacting.json']);
    await hideClaim!();
  });

  test('is not taken from one that claimed it meanwhile', async () => {
    const hide = await showLife(files, writers, 'w1');
    const dead = { ...(await readSign('w1')), started: '1' };
    const alive = await readSign('w1');
    await hide();
    // Another takes the name of the dead one in front of us.
    await putSign('compacting', dead);
    const rename: Files['rename'] = async (from, to) => {
      if (from === pathOf('compacting')) {
        await files.remove(from);
        await putSign('other', alive);
        await files.rename(pathOf('other'), from);
      }
      await files.rename(from, to);
    };
    expect(await claimLife({ ...files, rename }, writers, 'compacting')).toBeUndefined();
    expect(await readSign('compacting')).toEqual(alive);
    expect(await files.list(writers)).toEqual(['compacting.json']);
    // It is gone when we look at it again.
    await putSign('compacting', dead);
    const gone: Files['rename'] = async (from, to) => {
      if (from === pathOf('compacting')) await files.remove(from);
      await files.rename(from, to);
    };
    expect(await claimLife({ ...files, rename: gone }, writers, 'compacting')).toBeUndefined();
    // Another links its own sign in front of us.
    const link: Files['link'] = async (path, name) => {
      await putSign('compacting', alive);
      await files.link(path, name);
    };
    expect(await claimLife({ ...files, link }, writers, 'compacting')).toBeUndefined();
    expect(await files.list(writers)).toEqual(['compacting.json']);
  });

  test.each(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK'])(
    'is held without a link where the file system has none: %s',
    async (code) => {
      const link = () => Promise.reject(Object.assign(new Error('raw'), { code, syscall: 'link' }));
      const hide = await claimLife({ ...files, link }, writers, 'compacting');
      expect(await readLife(files, writers, 'compacting')).toBe('alive');
      expect(await files.list(writers)).toEqual(['compacting.json']);
      await hide!();
    },
  );

  test('is not held after any other failure, and nothing is left behind', async () => {
    const link = () => Promise.reject(Object.assign(new Error('raw'), { code: 'EIO', syscall: 'link' }));
    await expect(claimLife({ ...files, link }, writers, 'compacting')).rejects.toMatchObject({ code: 'EIO' });
    expect(await files.list(writers)).toEqual([]);
  });
});
