import { expect, test } from 'vitest';
import { makeEntry, makePath, toRecords } from '../../testing/store-samples.ts';
import type { Appender, Files } from './disk.ts';
import { projectFolders } from './project-folders.ts';
import { END_LINE, headerLine } from './segment-format.ts';
import { createSegmentSet } from './segment-set.ts';
import { COMPACTION, createSegmentWriter } from './segment-writer.ts';
import { PageCache } from './tables/pages.ts';
import { createTestDisk } from './test-disk.ts';

const folders = projectFolders('/f', 'p');
const records = toRecords(makePath(['a', 'b']));
const pathOf = (name: string) => `${folders.segments}/${name}`;

/** A writer on a disk of its own; `calls` are those that change segments, and `change` replaces functions of its files. */
function openWriter({ isFlushed = true, change = {} }: { isFlushed?: boolean; change?: Partial<Appender> } = {}) {
  const disk = createTestDisk();
  const files = disk.files();
  const calls: string[] = [];
  const called = <T>(name: string, result: T): T => {
    calls.push(name);
    return result;
  };
  const counted: Files = {
    ...files,
    async create(path) {
      const appender = { ...(await files.create(path)) };
      const { append, sync, truncate, close } = { ...appender, ...change };
      return called('create', {
        append: (bytes) => called('append', append(bytes)),
        sync: () => called('sync', sync()),
        truncate: (size) => called(`truncate ${size}`, truncate(size)),
        close: () => called('close', close()),
      });
    },
    sync: (path) => called(`sync ${path}`, files.sync(path)),
  };
  const events = { onRecord: () => undefined, onReset: () => undefined, onRead: () => undefined };
  const set = createSegmentSet(files, folders, events, new PageCache(files, folders.index, 2 ** 20));
  const out = createSegmentWriter(counted, folders, set, { writer: 'w1', isFlushed });
  const names = () => [...disk.contents().keys()].filter((path) => path.startsWith(folders.segments)).sort();
  const text = (name: string) => disk.contents().get(pathOf(name))!.toString();
  return { disk, files, calls, set, out, names, text };
}

function failing(code: string, syscall = 'write') {
  return async () => {
    throw Object.assign(new Error('raw'), { code, syscall });
  };
}

test('a batch is on the disk with its segment and its name when it is acknowledged, and each record is where it is said to be', async () => {
  const { out, set, calls, names, text } = openWriter();
  const places = [...(await out.write(records)), ...(await out.write([makeEntry('e1')]))];
  expect(calls).toEqual(['create', 'append', 'sync', `sync ${folders.segments}`, 'append', 'sync']);
  expect(names()).toEqual([pathOf('w1.jsonl')]);
  const written = text('w1.jsonl');
  const lines = written.slice(headerLine('w1').length).trimEnd().split('\n');
  expect(written.startsWith(headerLine('w1'))).toBe(true);
  expect(lines.map((line) => /"~":"(.*?)"/.exec(line)?.[1])).toEqual(['1.0.4', '1.1.4', '1.2.4', '1.3.4', undefined]);
  expect(places.map(({ start, length }) => written.slice(start, start + length))).toEqual(lines);
  expect(new Set(places.map(({ segment }) => segment))).toEqual(new Set([0]));
  expect(set.all).toMatchObject([{ writer: 'w1', read: written.length, safe: written.length }]);
});

test('with durability of the system, nothing is flushed', async () => {
  const { out, calls } = openWriter({ isFlushed: false });
  await out.write(records);
  expect(calls).toEqual(['create', 'append']);
});

test('leaving ends the segment, and the next write begins another one', async () => {
  const { out, set, files, calls, names, text } = openWriter();
  await out.leave();
  expect(calls).toEqual([]);
  await out.write(records);
  await out.leave();
  expect(text('w1.jsonl').endsWith(`\n${END_LINE}`)).toBe(true);
  expect(set.all[0]!.read).toBe(text('w1.jsonl').length);
  expect(set.isOwn(0)).toBe(false);
  await out.leave();
  expect(calls.filter((call) => call === 'close').length).toBe(1);
  await out.write([makeEntry('e1')]);
  await out.write([makeEntry('e2')]);
  expect(names()).toEqual([pathOf('w1-2.jsonl'), pathOf('w1.jsonl')]);
  expect(text('w1-2.jsonl').startsWith(headerLine('w1'))).toBe(true);
  expect(await files.list(folders.writers)).toEqual(['w1.json']);
  await out.close();
  expect(await files.list(folders.writers)).toEqual([]);
  expect(text('w1-2.jsonl').endsWith(END_LINE)).toBe(true);
  await out.close();
});

test('leaving and closing do not fail', async () => {
  let isBroken = false;
  const disk = createTestDisk();
  const files = disk.files();
  const create: Files['create'] = async (path) => {
    const appender = await files.create(path);
    return {
      ...appender,
      append: (bytes) => (isBroken ? failing('EIO')() : appender.append(bytes)),
      close: failing('EIO'),
    };
  };
  const remove: Files['remove'] = (path) => (path.endsWith('w1.json') ? failing('EIO')() : files.remove(path));
  const events = { onRecord: () => undefined, onReset: () => undefined, onRead: () => undefined };
  const set = createSegmentSet(files, folders, events, new PageCache(files, folders.index, 2 ** 20));
  const out = createSegmentWriter({ ...files, create, remove }, folders, set, { writer: 'w1', isFlushed: true });
  await out.write(records);
  const { read } = set.all[0]!;
  isBroken = true;
  await out.close();
  expect(set.all[0]!.read).toBe(read);
});

test('a batch that does not fit is taken back, and what fits goes into the same segment', async () => {
  const { disk, out, calls, names, text, set } = openWriter();
  await out.write(records);
  const { length } = text('w1.jsonl');
  disk.setSpace(50);
  await expect(out.write([makeEntry('e1')])).rejects.toMatchObject({
    code: 'store_full',
    message: `${pathOf('w1.jsonl')} has no space left on its disk (ENOSPC). The batch was not written. Free some space, then repeat.`,
  });
  expect(calls.at(-1)).toBe(`truncate ${length}`);
  expect(text('w1.jsonl').length).toBe(length);
  disk.setSpace(Infinity);
  const [place] = await out.write([makeEntry('e1')]);
  expect([names().length, place!.start, set.isOwn(0)]).toEqual([1, length, true]);
});

test.each([
  ['the first one of its segment', 0, {}],
  ['one that cannot be taken back', 1, { truncate: failing('EIO', 'ftruncate') }],
])('after a batch that failed, %s, another segment is begun', async (_, before, change) => {
  const { disk, out, calls, set, text } = openWriter({ change });
  for (let count = 0; count < before; count++) await out.write(records);
  const size = before === 0 ? 0 : text('w1.jsonl').length;
  // The sign of life takes some of it.
  disk.setSpace(before === 0 ? 260 : 50);
  await expect(out.write([makeEntry('e1')])).rejects.toMatchObject({ code: 'store_full' });
  expect(calls.at(-1)).toBe('close');
  expect([set.isOwn(0), set.all[0]!.read]).toEqual([false, size]);
  disk.setSpace(Infinity);
  await out.write([makeEntry('e1')]);
  expect(text('w1-2.jsonl').startsWith(headerLine('w1'))).toBe(true);
});

test('after a flush that failed, nobody knows what is there, and another segment is begun', async () => {
  let isBroken = true;
  const disk = createTestDisk();
  const files = disk.files();
  const create: Files['create'] = async (path) => {
    const appender = await files.create(path);
    return {
      ...appender,
      sync: () => (isBroken ? failing('EIO', 'fdatasync')() : appender.sync()),
      close: failing('EIO'),
    };
  };
  const events = { onRecord: () => undefined, onReset: () => undefined, onRead: () => undefined };
  const set = createSegmentSet(files, folders, events, new PageCache(files, folders.index, 2 ** 20));
  const out = createSegmentWriter({ ...files, create }, folders, set, { writer: 'w1', isFlushed: true });
  await expect(out.write(records)).rejects.toMatchObject({
    code: 'store_failed',
    message: `${pathOf('w1.jsonl')} cannot be read or written: the disk reports an error (EIO). The batch may or may not have been written. Writing it again is safe. Check the disk.`,
  });
  isBroken = false;
  const [place] = await out.write(records);
  expect([place!.segment, set.isOwn(0), set.isOwn(1)]).toEqual([1, false, true]);
});

test('a segment that is there already is not written to', async () => {
  const { disk, files, out } = openWriter();
  await files.write(pathOf('w1.jsonl'), Buffer.from('x'));
  await expect(out.write(records)).rejects.toMatchObject({
    code: 'store_failed',
    message: `${folders.segments} cannot be created: a file has that name (EEXIST). Nothing was written. Move the file away, or use another folder.`,
  });
  expect(disk.contents().get(pathOf('w1.jsonl'))!.toString()).toBe('x');
  await out.write(records);
  expect(disk.contents().has(pathOf('w1-2.jsonl'))).toBe(true);
});

test('a segment that is no longer ours is left as it is', async () => {
  const { out, set, text } = openWriter();
  await out.write(records);
  const before = text('w1.jsonl');
  set.disown(set.all[0]!);
  const [place] = await out.write([makeEntry('e1')]);
  expect(place!.segment).toBe(1);
  expect(text('w1.jsonl')).toBe(before);
});

test('nothing is written while others pack, or may pack', async () => {
  const { files, out, names } = openWriter();
  const sign = { pid: process.pid, started: '1', boot: 'another', space: 'x', host: 'elsewhere' };
  const path = `${folders.writers}/${COMPACTION}.json`;
  const refused = {
    code: 'store_in_use',
    message: `${folders.segments} is being compacted. Wait until that is done; if no process is compacting it, remove ${COMPACTION}.json in ${folders.writers}.`,
  };
  await files.write(path, Buffer.from(JSON.stringify(sign)));
  await expect(out.write(records)).rejects.toMatchObject(refused);
  const silent = { ...files, stat: async (name: string) => ({ ...(await files.stat(name))!, changedMs: 0 }) };
  const set = createSegmentSet(
    silent,
    folders,
    { onRecord: () => undefined, onReset: () => undefined, onRead: () => undefined },
    new PageCache(files, folders.index, 2 ** 20),
  );
  const other = createSegmentWriter(silent, folders, set, { writer: 'w2', isFlushed: true });
  await expect(other.write(records)).rejects.toMatchObject(refused);
  expect(names()).toEqual([]);
  await files.remove(path);
  await out.write(records);
  expect(names().length).toBe(1);
});
