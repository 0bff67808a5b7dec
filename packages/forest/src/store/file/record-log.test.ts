import { expect, test } from 'vitest';
import type { StoreRecord } from '../../model/records.ts';
import { makeBody, makeEntry, makePath, makeRef, toRecords } from '../../testing/store-samples.ts';
import type { Appender, Files } from './disk.ts';
import { createRecordLog, readRecordLog } from './record-log.ts';
import { createTestDisk } from './test-disk.ts';

const FOLDER = '/waiting';
const PATH = '/waiting/one.jsonl';
const NAMES = { name: 'one.jsonl', writer: 'w1' };
const records = toRecords(makePath(['a', 'b', 'c']));

/** A log on a disk of its own; `calls` are those that change something, and `change` replaces functions of its file. */
async function openLog(change: Partial<Appender> = {}) {
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
      return {
        append: (bytes) => called('append', append(bytes)),
        sync: () => called('sync', sync()),
        truncate: (size) => called(`truncate ${size}`, truncate(size)),
        close: () => called('close', close()),
      };
    },
    sync: (path) => called(`sync ${path}`, files.sync(path)),
  };
  const log = await createRecordLog(counted, FOLDER, NAMES);
  return { disk, files, log, calls, text: () => disk.contents().get(PATH)!.toString() };
}

/** What is read from a log, and how many of its lines are damaged. */
async function readAll(files: Files, path = PATH) {
  const found: StoreRecord[] = [];
  const parts: number[] = [];
  const reading = readRecordLog(files, path);
  let step = await reading.next();
  for (; !step.done; step = await reading.next()) {
    found.push(...step.value);
    parts.push(step.value.length);
  }
  return { found, parts, damaged: step.value };
}

async function readText(text: string) {
  const { files } = createTestDisk();
  const own = files();
  await own.write(PATH, Buffer.from(text));
  return readAll(own);
}

test('what was appended is read again, and appends that wait for each other are written together', async () => {
  const { files, log, calls, text } = await openLog();
  expect(log.path).toBe(PATH);
  await Promise.all([log.append(records.slice(0, 2)), log.append(records.slice(2, 4)), log.append(records.slice(4))]);
  expect(calls).toEqual(['append', 'sync', `sync ${FOLDER}`, 'append', 'sync']);
  expect(await readAll(files)).toEqual({ found: records, parts: [records.length], damaged: 0 });
  expect(text().split('\n')[0]).toBe('{"skein":"segment","version":1,"writer":"w1","sums":"crc32"}');
  expect(text().match(/"~":"\d\.\d\.\d"/g)).toEqual(
    ['1.0.2', '1.1.2', '2.0.4', '2.1.4', '2.2.4', '2.3.4'].map((mark) => `"~":"${mark}"`),
  );
  await log.close();
  expect(calls.at(-1)).toBe('close');
});

test('what was acknowledged survives a power failure', async () => {
  const { disk, log } = await openLog();
  await log.append(records);
  disk.restart(() => 0.99);
  expect((await readAll(disk.files())).found).toEqual(records);
});

test('a name that is taken is refused', async () => {
  const { files } = await openLog();
  await expect(createRecordLog(files, FOLDER, NAMES)).rejects.toMatchObject({ code: 'EEXIST' });
});

test.each([0, 2])('a full disk takes nothing of a batch behind %i records, and later ones fit', async (before) => {
  const { disk, files, log, calls, text } = await openLog();
  if (before > 0) await log.append(records.slice(0, before));
  const size = disk.contents().get(PATH)!.length;
  disk.setSpace(100);
  await expect(log.append(records.slice(before))).rejects.toMatchObject({
    code: 'store_full',
    message: `${PATH} has no space left on its disk (ENOSPC). The batch was not written. Free some space, then repeat.`,
  });
  expect(calls.slice(-2)).toEqual([`truncate ${size}`, 'sync']);
  expect(disk.contents().get(PATH)!.length).toBe(size);
  disk.setSpace(Infinity);
  await log.append(records.slice(before));
  expect(await readAll(files)).toMatchObject({ found: records, damaged: 0 });
  expect([text().startsWith('{"skein":"segment"'), text().split('"skein"').length]).toEqual([true, 2]);
});

test('nothing is written behind a failure that could not be undone', async () => {
  const fail = async () => {
    throw Object.assign(new Error('raw'), { code: 'EIO', syscall: 'ftruncate' });
  };
  const { disk, log, calls } = await openLog({ truncate: fail });
  disk.setSpace(100);
  await expect(log.append(records)).rejects.toMatchObject({ code: 'store_full' });
  disk.setSpace(Infinity);
  const made = calls.length;
  await expect(log.append(records)).rejects.toMatchObject({ code: 'store_full' });
  expect(calls.length).toBe(made);
});

test('closing waits for what is being written, and never fails', async () => {
  const fail = async () => {
    throw new Error('closed before');
  };
  const { files, log, calls } = await openLog({ close: fail });
  const done = log.append(records);
  await log.close();
  expect(calls).toEqual(['append', 'sync', `sync ${FOLDER}`, 'close']);
  await done;
  expect((await readAll(files)).found).toEqual(records);
});

test('a long line is read as a whole, and the next ones again in parts', async () => {
  const { files, log } = await openLog();
  const long = makeBody('x'.repeat(2_500_000));
  const others = Array.from({ length: 30 }, (_, index) => makeBody(`${index}`.repeat(100_000)));
  await log.append([long, ...others]);
  const lengths: number[] = [];
  const read: Files['read'] = (path, start, length) => {
    lengths.push(length);
    return files.read(path, start, length);
  };
  const { found, parts } = await readAll({ ...files, read });
  expect(found).toEqual([long, ...others]);
  expect(parts).not.toContain(0);
  // The first piece ends the header; the long line is read again from its beginning.
  expect(lengths.slice(0, 4)).toEqual([2 ** 20, 2 ** 20, 2 ** 21, 2 ** 22]);
  expect(new Set(lengths.slice(4))).toEqual(new Set([2 ** 20]));
});

test('lines that cannot be read, or are not as they were written, are counted, and the others are read', async () => {
  const { log, text } = await openLog();
  const refs = ['1', '2', '3'].map((clock) => makeRef('t', 'title', clock, clock));
  for (const ref of refs) await log.append([ref]);
  const [head, ...lines] = text().trimEnd().split('\n');
  const bare = lines[1]!.replace(/,"#":"[0-9a-f]{8}"/, '');
  expect(await readText([head, lines[0], bare, '{"k":', '', lines[2], ''].join('\n'))).toMatchObject({
    found: [refs[0], refs[2]],
    damaged: 2,
  });
  expect(await readText(`\n${head}\n${lines[0]!}?`)).toMatchObject({ found: [refs[0]], damaged: 1 });
  // A file from before checksums has none, also if it stands in front of one that has them, but not behind it.
  const older = head!.replace(',"sums":"crc32"', '');
  expect(await readText([older, bare, ''].join('\n'))).toMatchObject({ found: [refs[1]], damaged: 0 });
  expect(await readText([older, bare, head, bare, ''].join('\n'))).toMatchObject({ found: [refs[1]], damaged: 1 });
  expect(await readText([head, older, bare, ''].join('\n'))).toMatchObject({ found: [], damaged: 1 });
});

test('a batch at the end that was not written to its end does not count', async () => {
  const { log, text } = await openLog();
  await log.append([makeEntry('e1'), makeEntry('e2')]);
  await log.append([makeEntry('e3'), makeEntry('e4')]);
  const lines = text().split('\n').slice(0, -1);
  const torn = [...lines.slice(0, -1), lines.at(-1)!.slice(0, 40)].join('\n');
  const ids = async (read: string) => (await readText(read)).found.map((record) => (record as { id?: string }).id);
  expect(await ids(torn)).toEqual(['e1', 'e2']);
  // What follows it shows that it was complete.
  expect(await ids([...lines.slice(0, -1), lines[0], ''].join('\n'))).toEqual(['e1', 'e2', 'e3']);
});
