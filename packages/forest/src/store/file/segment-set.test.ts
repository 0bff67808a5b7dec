import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { makeEntry, makePath } from '../../testing/store-samples.ts';
import { encodeBatch, recordLine } from './segment-format.ts';
import { entryLine, HEAD, testSegments } from './test-segments.ts';

let here: ReturnType<typeof testSegments>;
beforeEach(() => {
  here = testSegments();
});
afterEach(() => {
  vi.useRealTimers();
});

function failure(code: string) {
  return Object.assign(new Error('raw'), { code, syscall: 'stat' });
}

describe('segments', () => {
  test('are read in the order of their names, and other files are not', async () => {
    await here.put('b.jsonl', HEAD, entryLine('e2'));
    await here.put('a.jsonl', HEAD, entryLine('e1'));
    await here.put('c.jsonl.tmp', HEAD, entryLine('e3'));
    const { set, counts, names } = here.openSet();
    await set.refresh();
    expect(names()).toEqual(['a.jsonl', 'b.jsonl']);
    expect([0, 1, 2].map(set.pathOf)).toEqual([here.pathOf('a.jsonl'), here.pathOf('b.jsonl'), here.folders.segments]);
    expect(counts).toEqual({ found: ['event/e1', 'event/e2'], resets: 0, reads: 1 });
  });

  test('are read once more after their writer has ended, and then every two seconds', async () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    await here.disk.files().write(here.sign, Buffer.from('{}'));
    await here.put('a.jsonl', HEAD);
    const { set, counts } = here.openSet();
    const seen = async (all?: boolean) => {
      counts.found = [];
      await set.refresh(all);
      return counts.found.join();
    };
    await set.refresh();
    for (const id of ['e1', 'e2']) {
      here.add('a.jsonl', entryLine(id));
      expect(await seen()).toBe(`event/${id}`);
    }
    here.add('a.jsonl', entryLine('e3'));
    await here.disk.files().remove(here.sign);
    expect(await seen()).toBe('event/e3');
    here.add('a.jsonl', entryLine('e4'));
    expect(await seen()).toBe('');
    vi.advanceTimersByTime(2000);
    expect(await seen()).toBe('');
    vi.advanceTimersByTime(1);
    expect(await seen()).toBe('event/e4');
    here.add('a.jsonl', entryLine('e5'));
    expect(await seen()).toBe('');
    expect(await seen(true)).toBe('event/e5');
  });

  test('that a program was killed while it wrote are read once more after they were found', async () => {
    await here.put('a.jsonl', HEAD, entryLine('e1'));
    const { set, counts } = here.openSet();
    await set.refresh();
    here.add('a.jsonl', entryLine('e2'));
    await set.refresh();
    expect(counts.found).toEqual(['event/e1', 'event/e2']);
  });

  test.each([
    ['is shorter', () => here.disk.damage(here.pathOf('a.jsonl'), (bytes) => bytes.subarray(0, HEAD.length))],
    ['was replaced', () => here.put('a.jsonl', HEAD, entryLine('e3'), entryLine('e4'), entryLine('e5'))],
    ['is gone', () => here.remove('a.jsonl')],
  ])('are all read again when one %s', async (_, change) => {
    await here.put('a.jsonl', HEAD, entryLine('e1'));
    await here.put('b.jsonl', HEAD, entryLine('e2'));
    const { set, counts } = here.openSet();
    await set.refresh();
    expect(set.tables.entries.get('event', 'e1')).toBeDefined();
    await change();
    counts.found = [];
    await set.refresh(true);
    expect(counts.resets).toBe(1);
    expect(counts.found).toContain('event/e2');
    expect(set.tables.entries.get('event', 'e1')).toBeUndefined();
  });

  test('that change each time they are read are not waited for', async () => {
    let calls = 0;
    const { set, counts } = here.openSet({
      // There is always one in the list, which is gone when it is read.
      list: async (folder) => (folder === here.folders.segments && calls++ % 2 === 0 ? ['a.jsonl'] : []),
      stat: async () => undefined,
    });
    await expect(set.refresh()).rejects.toMatchObject({
      code: 'store_in_use',
      message: `${here.folders.segments} changed each time it was read: another process is compacting it. Wait until that is done, then repeat.`,
    });
    expect(counts).toEqual({ found: [], resets: 20, reads: 0 });
  });

  test('are looked at again while parents turn up behind their children', async () => {
    const [parent, child] = makePath(['a', 'b']);
    await here.put('a.jsonl', HEAD);
    await here.put('b.jsonl', HEAD, recordLine(child!.node));
    const files = here.disk.files();
    const { set, counts } = here.openSet({
      async stat(path) {
        // The parent is written after its segment was read and before that of the child is.
        if (path === here.pathOf('b.jsonl') && counts.found.length === 0) here.add('a.jsonl', recordLine(parent!.node));
        return files.stat(path);
      },
    });
    await set.refresh();
    expect(set.tables.nodes.gaps).toBe(0);
    expect(counts).toMatchObject({ resets: 0, reads: 1 });
  });

  test('are looked at twenty times while children of others turn up, and then are as they are', async () => {
    let looks = 0;
    const { set, counts } = here.openSet({
      list: async (folder) => {
        if (folder !== here.folders.segments) return [];
        looks += 1;
        const orphan = makePath([`parent ${looks}`, 'child'])[1]!.node;
        await here.put(`${looks}.jsonl`, HEAD, recordLine(orphan));
        return here.disk.files().list(folder);
      },
    });
    await set.refresh();
    expect([looks, counts.reads, counts.found.length]).toEqual([20, 1, 20]);
  });

  test('of a newer format make the store read-only', async () => {
    await here.put('a.jsonl', HEAD, entryLine('e1'));
    await here.put('b.jsonl', HEAD.replace('"version":1', '"version":3'), entryLine('e2'));
    const { set } = here.openSet();
    expect(set.readOnlyBecause()).toBeUndefined();
    await set.refresh();
    expect(set.readOnlyBecause()).toBe('b.jsonl has format version 3, but this program knows only version 1');
  });
});

describe('a segment that cannot be read', () => {
  test.each(['ENOENT', 'EISDIR', 'ELOOP', 'EACCES', 'EPERM', 'EIO', 'ENOTDIR', 'ENXIO', 'EINVAL'])(
    'because of %s is reported, and the others are read; it is read when it can be',
    async (code) => {
      await here.put('a.jsonl', HEAD, entryLine('e1'));
      await here.put('b.jsonl', HEAD, entryLine('e2'));
      await here.put('c.jsonl', HEAD, entryLine('e3'));
      const files = here.disk.files();
      const state = { fails: true };
      const { set, counts, names } = here.openSet({
        async stat(path) {
          if (state.fails && path === here.pathOf('c.jsonl')) throw failure(code);
          return files.stat(path);
        },
        read: async (path, start, length) => {
          if (state.fails && path === here.pathOf('a.jsonl')) throw failure(code);
          return files.read(path, start, length);
        },
      });
      for (let times = 0; times < 2; times++) await set.refresh();
      expect(set.problems).toMatchObject(
        ['a', 'c'].map((name) => ({ code: 'unreadable-file', where: `${name}.jsonl` })),
      );
      expect([names(), counts]).toEqual([['b.jsonl'], { found: ['event/e2'], resets: 0, reads: 2 }]);
      state.fails = false;
      set.report({ code: 'damaged-record', where: 'a.jsonl:7', message: 'another problem' });
      await set.refresh();
      expect(set.problems.map(({ where }) => where)).toEqual(['a.jsonl:7']);
      expect(counts.found).toEqual(['event/e2', 'event/e1', 'event/e3']);
    },
  );

  test('is still one of them if a part of it was read', async () => {
    await here.put('a.jsonl', HEAD, entryLine('e1'));
    const files = here.disk.files();
    const state = { fails: false };
    const { set, names } = here.openSet({
      stat: (path) => (state.fails ? Promise.reject(failure('EIO')) : files.stat(path)),
    });
    await set.refresh();
    state.fails = true;
    await set.refresh();
    expect(names()).toEqual(['a.jsonl']);
    expect(set.problems).toEqual([
      {
        code: 'unreadable-file',
        where: 'a.jsonl',
        message:
          'It cannot be read or written: the disk reports an error (EIO). The other segments were read; its records are missing until it can be read.',
      },
    ]);
  });

  test.each([
    ['is a broken link', undefined],
    ['is not a file', { isFile: false, size: 0, file: 1, changedMs: 0 }],
  ])('because it %s is never opened', async (why, found) => {
    await here.put('a.jsonl', HEAD, entryLine('e1'));
    const { set } = here.openSet({
      stat: async () => found,
      read: () => Promise.reject(new Error('opening a pipe waits for ever')),
    });
    await set.refresh();
    expect(set.problems).toEqual([
      {
        code: 'unreadable-file',
        where: 'a.jsonl',
        message: `It ${why}. The other segments were read; its records are missing until it can be read.`,
      },
    ]);
  });

  test('because it was just removed is no problem', async () => {
    await here.put('a.jsonl', HEAD, entryLine('e1'));
    await here.put('b.jsonl', HEAD, entryLine('e2'));
    const files = here.disk.files();
    const { set, counts } = here.openSet({
      async stat(path) {
        if (path === here.pathOf('a.jsonl')) await here.remove('a.jsonl');
        return files.stat(path);
      },
    });
    await set.refresh();
    expect(set.problems).toEqual([]);
    expect(counts).toEqual({ found: ['event/e2'], resets: 1, reads: 1 });
  });

  test('for a reason that concerns all of them ends the reading', async () => {
    await here.put('a.jsonl', HEAD, entryLine('e1'));
    const { set, events, counts } = here.openSet({ stat: () => Promise.reject(failure('EMFILE')) });
    await expect(set.refresh()).rejects.toMatchObject({ code: 'EMFILE' });
    expect(set.problems).toEqual([]);
    const other = here.openSet();
    other.events.onRecord = () => {
      throw new Error('not about a file');
    };
    await expect(other.set.refresh()).rejects.toThrow('not about a file');
    expect([events, counts.resets]).toEqual([events, 0]);
  });
});

describe('the own segment', () => {
  test('is not read while it is written, and is read like any other afterwards', async () => {
    const { set, counts } = here.openSet();
    const own = set.own('own.jsonl');
    await here.put('own.jsonl', HEAD, entryLine('e1'));
    expect([set.isOwn(own.number), own]).toMatchObject([true, { isOpen: true, version: 1, hasSums: true }]);
    await set.refresh(true);
    expect(counts.found).toEqual([]);
    own.read = HEAD.length + entryLine('e1').length;
    here.add('own.jsonl', entryLine('e2'));
    set.disown(own);
    await set.refresh();
    expect([set.isOwn(own.number), counts.found, counts.resets]).toEqual([false, ['event/e2'], 0]);
  });

  test('is read from its beginning when everything is read again, and stays the own one', async () => {
    const { set, counts } = here.openSet();
    const own = set.own('own.jsonl');
    const text =
      HEAD +
      entryLine('e1') +
      encodeBatch([makeEntry('e2'), makeEntry('e3')], 1)
        .bytes.toString()
        .split('\n')[0]!;
    await here.put('own.jsonl', text, '\n');
    own.read = text.length + 1;
    for (let times = 0; times < 2; times++) {
      counts.found = [];
      await set.reload();
      expect(counts.found).toEqual(['event/e1']);
      expect([...set.current()]).toEqual([own]);
      expect(set.isOwn(own.number)).toBe(true);
      expect(own.read).toBe(text.length + 1);
      expect(own.last?.held.length).toBe(1);
    }
    await here.remove('own.jsonl');
    await set.refresh();
    expect(set.isOwn(own.number)).toBe(false);
  });
});

test('one reading waits for the other, and for work that needs the tables to stay as they are, also for one that fails', async () => {
  await here.put('a.jsonl', HEAD, entryLine('e1'));
  const { set, counts } = here.openSet();
  const order: string[] = [];
  const failing = set.still(async () => {
    await new Promise((resolve) => setTimeout(resolve, 5));
    order.push(`still ${counts.reads}`);
    throw new Error('failed');
  });
  const later = [set.refresh(), set.reload()].map((read) => read.then(() => order.push(`read ${counts.reads}`)));
  await expect(failing).rejects.toThrow('failed');
  await Promise.all(later);
  expect(order).toEqual(['still 0', 'read 1', 'read 2']);
});
