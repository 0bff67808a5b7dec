import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { StoreRecord } from '../../model/records.ts';
import { makeBody, makeEntry, makeNode, makePath, makeTake, toRecords } from '../../testing/store-samples.ts';
import { diskFiles, type Files } from './disk.ts';
import { fileStore } from './file-store.ts';
import { encodeBatch, headerLine, recordLine } from './segment-format.ts';
import { createTestDisk } from './test-disk.ts';
import { type TestFolder, testFolder } from './test-folder.ts';

let here: TestFolder;

beforeEach(async () => {
  here = await testFolder();
  await mkdir(join(here.own, 'segments'), { recursive: true });
});
afterEach(async () => {
  vi.useRealTimers();
  await here.remove();
});

const HEAD = headerLine('w');
const OLDER = HEAD.replace(',"sums":"crc32"', '');
const entry = recordLine(makeEntry('e1'));
const bare = recordLine(makeEntry('e2')).replace(/,"#":"[0-9a-f]{8}"/, '');
const broken = '{"k":"event";}\n';

describe('a check of all segments', () => {
  /** The codes and offsets of what a check names. */
  async function check(...parts: string[]): Promise<(string | number)[][]> {
    await here.write('a.jsonl', parts.join(''));
    const store = await here.open();
    const found = (await store.check()).map(({ code, where }) => [code, Number(where.split(':')[1])]);
    await store.close();
    return found;
  }

  test('names each damaged line with its place', async () => {
    const size = HEAD.length;
    expect(await check(HEAD, entry, '\n', broken, entry)).toEqual([['damaged-record', size + entry.length + 1]]);
    expect(await check(HEAD, entry, `${entry.trimEnd()}?`)).toEqual([['damaged-record', size + entry.length]]);
    expect(await check('\n', broken)).toEqual([['damaged-record', 1]]);
  });

  test('misses a checksum only where its segment has them', async () => {
    expect(await check(HEAD, bare)).toEqual([['damaged-record', HEAD.length]]);
    expect(await check(OLDER, bare)).toEqual([]);
    expect(await check(bare)).toEqual([]);
    expect(await check(OLDER, bare, HEAD, '{"skein":"end"}\n', bare)).toEqual([
      ['damaged-record', OLDER.length + bare.length + HEAD.length + 16],
    ]);
  });

  test('reads lines that are longer than a piece', async () => {
    const long = recordLine(makeBody('x'.repeat(9 * 2 ** 20)));
    expect(await check(HEAD, long, entry, broken)).toEqual([
      ['damaged-record', HEAD.length + long.length + entry.length],
    ]);
    expect(
      await check(HEAD, ...Array.from({ length: 3 }, () => recordLine(makeBody('y'.repeat(3 * 2 ** 20)))), broken),
    ).toEqual([['damaged-record', HEAD.length + 3 * recordLine(makeBody('y'.repeat(3 * 2 ** 20))).length]]);
  });

  test('does not look behind the beginning of a write that was never completed', async () => {
    const long = ['x', 'y', 'z'].map((text) => recordLine(makeBody(text.repeat(3 * 2 ** 20))));
    // Its nodes do not count, so each of them would have a missing parent.
    const nodes = makePath(['a', 'b', 'c']).map(({ node }) => node);
    const torn = encodeBatch(nodes, 1).bytes.toString().slice(0, -10);
    for (const whole of [[], long])
      expect(await check(HEAD, ...whole, torn)).toEqual([['torn-line', (HEAD + whole.join('')).length]]);
  });

  test('reads on in pieces of eight megabytes behind a line that is longer', async () => {
    const long = recordLine(makeBody('x'.repeat(9 * 2 ** 20)));
    const others = ['a', 'b', 'c', 'd', 'e', 'f'].map((text) => recordLine(makeBody(text.repeat(3 * 2 ** 20))));
    await here.write('a.jsonl', [HEAD, long, ...others].join(''));
    const files = diskFiles();
    const lengths: number[] = [];
    const read: Files['read'] = (path, start, length) => {
      if (path.endsWith('a.jsonl')) lengths.push(length);
      return files.read(path, start, length);
    };
    const store = await fileStore(here.folder, { files: { ...files, read } });
    lengths.length = 0;
    expect(await store.check()).toEqual([]);
    expect(lengths.map((length) => Math.ceil(length / 2 ** 20))).toEqual([8, 8, 16, 8, 7]);
    await store.close();
  });

  test('ends when a file was cut meanwhile', async () => {
    await here.write('a.jsonl', HEAD + entry);
    const files = diskFiles();
    const state = { isCut: false };
    const read: Files['read'] = async (path, start, length) => {
      const bytes = await files.read(path, start, length);
      return state.isCut ? bytes.subarray(0, Math.max(0, HEAD.length + 5 - start)) : bytes;
    };
    const store = await fileStore(here.folder, { files: { ...files, read } });
    state.isCut = true;
    expect(await store.check()).toEqual([]);
    await store.close();
  });

  test('names a record that does not match its id, and nothing where all is right', async () => {
    const records = toRecords(makePath(['a', 'b'])).map((record) => recordLine(record));
    expect(await check(HEAD, ...records)).toEqual([]);
    const wrong = makeTake(makeNode('a').node, 1);
    await here.write('a.jsonl', HEAD + recordLine({ ...wrong, at: 2 }));
    const store = await here.open();
    expect(await store.check()).toEqual([
      {
        code: 'wrong-hash',
        where: `a.jsonl:${HEAD.length}`,
        message: `Take ${wrong.id} does not match its id.`,
        subject: wrong.id,
      },
    ]);
    await store.close();
  });

  test('names what a node refers to and is not there', async () => {
    const [parent, child] = makePath(['a', 'b']);
    await here.write('a.jsonl', HEAD + recordLine(child!.node));
    const store = await here.open();
    expect(await store.check()).toEqual([
      {
        code: 'missing-parent',
        where: `a.jsonl:${HEAD.length}`,
        message: `The parent ${parent!.node.id} of node ${child!.node.id} is missing.`,
      },
      {
        code: 'missing-body',
        where: `a.jsonl:${HEAD.length}`,
        message: `The body ${child!.body.digest} of node ${child!.node.id} is missing.`,
      },
    ]);
    await store.close();
  });
});

describe('packing', () => {
  test('keeps what is to be kept, and counts both', async () => {
    const store = await here.open();
    await store.append([...toRecords(makePath(['a', 'b'])), makeEntry('e1'), makeEntry('e2'), makeEntry('e3')]);
    expect(await store.compact((record) => record.k !== 'event')).toEqual({ kept: 4, removed: 3 });
    expect((await store.entries('event')).items).toEqual([]);
    expect(await store.check()).toEqual([]);
    await store.close();
  });

  test('does not touch a segment of a newer format, and says which program could', async () => {
    const newer = HEAD.replace('"version":1', '"version":2') + entry;
    await here.write('a.jsonl', newer);
    const store = await here.open();
    await expect(store.compact(() => true)).rejects.toMatchObject({
      code: 'store_read_only',
      message: `${join(here.own, 'segments')} cannot be compacted: a.jsonl has format version 2, but this program knows only version 1. Update Skein.`,
    });
    await store.close();
    expect(await here.read('a.jsonl')).toBe(newer);
  });

  test('sets a record aside that does not match its id', async () => {
    const { node, body } = makeNode('a');
    const wrong = { ...makeTake(node, 1), at: 2 };
    await here.write('a.jsonl', HEAD + [body, node, wrong].map((record) => recordLine(record)).join(''));
    const store = await here.open();
    expect(await store.compact(() => true)).toEqual({
      kept: 2,
      removed: 0,
      setAside: [join(here.own, 'set-aside', 'a.jsonl')],
    });
    await store.close();
  });

  test('finds a free name for each segment that it sets aside', async () => {
    const found: string[] = [];
    for (let round = 0; round < 3; round++) {
      await here.write('a.jsonl', HEAD + broken);
      const store = await here.open();
      const { setAside } = await store.compact(() => true);
      found.push(...setAside!);
      await store.close();
    }
    expect(found).toEqual(['a.jsonl', 'a.jsonl.2', 'a.jsonl.3'].map((name) => join(here.own, 'set-aside', name)));
  });

  test('does not remove a segment of which only the beginning could be read', async () => {
    const records = Array.from({ length: 3 }, (_, at) => makeBody(`${at}`.repeat(4 * 2 ** 20)));
    await here.write('a.jsonl', HEAD + records.map((record) => recordLine(record)).join(''));
    await here.write('b.jsonl', HEAD + entry);
    const files = diskFiles();
    const read: Files['read'] = (path, start, length) => {
      if (!path.endsWith('a.jsonl') || start < 5 * 2 ** 20) return files.read(path, start, length);
      return Promise.reject(Object.assign(new Error('raw'), { code: 'EIO', syscall: 'read' }));
    };
    const store = await fileStore(here.folder, { files: { ...files, read } });
    await store.compact(() => true);
    await store.close();
    const names = await here.names();
    expect(names).toContain('a.jsonl');
    expect(names).not.toContain('b.jsonl');
    const again = await here.open();
    expect((await again.bodies(records.map(({ digest }) => digest))).map((text) => text?.length)).toEqual(
      records.map(({ text }) => text.length),
    );
    await again.close();
  });

  test('without space for a copy leaves everything as it was', async () => {
    const disk = createTestDisk();
    const files = disk.files();
    let closed = 0;
    const create: Files['create'] = async (path) => {
      const appender = await files.create(path);
      return { ...appender, close: async () => void closed++ };
    };
    const store = await fileStore('/f', { files: { ...files, create } });
    await store.append(toRecords(makePath(['a', 'b'])));
    const segments = () => [...disk.contents().keys()].filter((path) => path.includes('/segments/'));
    const before = segments();
    disk.setSpace(500);
    await expect(store.compact(() => true)).rejects.toMatchObject({ code: 'store_full' });
    expect(segments()).toEqual(before);
    // The segment of the writer, and the copy.
    expect(closed).toBe(2);
    disk.setSpace(Infinity);
    expect(await store.compact(() => true)).toEqual({ kept: 4, removed: 0 });
  });

  test.each([
    ['2,000 records', Array.from({ length: 2000 }, (_, at) => makeEntry(`e${at}`)), 1],
    ['2,001 records', Array.from({ length: 2001 }, (_, at) => makeEntry(`e${at}`)), 2],
    ['three bodies of nine megabytes', ['a', 'b', 'c'].map((text) => makeBody(text.repeat(9 * 2 ** 20))), 2],
  ] as const)('copies %s in parts', async (_, records, parts) => {
    const disk = createTestDisk();
    const files = disk.files();
    const appended: number[] = [];
    const create: Files['create'] = async (path) => {
      const appender = await files.create(path);
      if (!path.endsWith('.tmp')) return appender;
      return {
        ...appender,
        append(bytes) {
          appended.push(bytes.length);
          return appender.append(bytes);
        },
      };
    };
    const store = await fileStore('/f', { files: { ...files, create } });
    await store.append(records as readonly StoreRecord[]);
    appended.length = 0;
    expect((await store.compact(() => true)).kept).toBe(records.length);
    // The header and the last line are written apart.
    expect(appended.length).toBe(parts + 2);
  });
});

describe('packing while others write', () => {
  const other = { pid: 7, started: '5', boot: 'another', space: 'pid:[1]', host: 'elsewhere' };
  const putSign = async (name: string, sign: object) => {
    await mkdir(join(here.own, 'writers'), { recursive: true });
    await writeFile(join(here.own, 'writers', name), JSON.stringify(sign));
  };

  test('is refused with the process, or with the sign of one that has not been heard of', async () => {
    const store = await here.open();
    await store.append([makeEntry('e1')]);
    await putSign('w1.json', other);
    const segments = join(here.own, 'segments');
    await expect(store.compact(() => true)).rejects.toMatchObject({
      code: 'store_in_use',
      message: `Process 7 on elsewhere is using ${segments}. Stop it first.`,
    });
    await store.close();
    const files = diskFiles();
    const path = join(here.own, 'writers', 'w1.json');
    const stat: Files['stat'] = async (name) => {
      const found = await files.stat(name);
      return found && name === path ? { ...found, changedMs: 0 } : found;
    };
    const late = await fileStore(here.folder, { files: { ...files, stat } });
    await expect(late.compact(() => true)).rejects.toMatchObject({
      code: 'store_in_use',
      message: `Process 7 on elsewhere runs on another machine and has not been heard of lately. If it has ended, remove ${path}.`,
    });
    await late.close();
    expect((await here.names()).length).toBe(1);
  });

  test('is not refused for a process that has died, or for another file', async () => {
    const store = await here.open();
    await store.append([makeEntry('e1')]);
    const files = diskFiles();
    const own = join(here.own, 'writers', `${store.writer}.json`);
    const sign = JSON.parse((await files.read(own, 0, 1000)).toString());
    await files.close();
    await putSign('w1.json', { ...sign, started: '1' });
    await putSign('w2.json.draft', sign);
    expect(await store.compact(() => true)).toEqual({ kept: 1, removed: 0 });
    await store.close();
  });

  test('waits ten seconds for another that packs', async () => {
    const files = diskFiles();
    const waits = [10_000, 1, 1];
    let tries = 0;
    vi.useFakeTimers({ toFake: ['performance'] });
    const link = async () => {
      vi.advanceTimersByTime(waits[tries++] ?? 0);
      throw Object.assign(new Error('raw'), { code: 'EEXIST', syscall: 'link' });
    };
    const store = await fileStore(here.folder, { files: { ...files, link } });
    await expect(store.compact(() => true)).rejects.toMatchObject({
      code: 'store_in_use',
      message: `${join(here.own, 'segments')} is being compacted by another process. Wait until that is done, then repeat.`,
    });
    expect(tries).toBe(2);
    await store.close();
  });
});
