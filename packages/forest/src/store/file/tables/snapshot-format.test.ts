import { endianness } from 'node:os';
import { crc32 } from 'node:zlib';
import { beforeEach, expect, test } from 'vitest';
import { ROOT } from '../../../model/ids.ts';
import {
  makeBody,
  makeEntry,
  makeNode,
  makePath,
  makeRef,
  makeTake,
  toRecords,
} from '../../../testing/store-samples.ts';
import type { Appender, Files } from '../disk.ts';
import { fileStore } from '../file-store.ts';
import { createTestDisk, type TestDisk } from '../test-disk.ts';
import { PAGE_BYTES } from './pages.ts';

const OWN = '/f/projects/default';
const SNAPSHOT = `${OWN}/index/snapshot`;
const FOOTER = 20;
/** A store with so much to read is worth a snapshot. */
const LARGE = makeBody('x'.repeat(300_000));
const path = makePath(['a', 'b', 'c']);

let disk: TestDisk;
beforeEach(async () => {
  disk = createTestDisk();
  const store = await open();
  await store.append([LARGE, ...toRecords(path), makeTake(path[0]!.node, 1), makeRef('t', 'title', 'x', '1')]);
  await store.append([makeEntry('e1')]);
  await store.close();
});

const open = (change: Partial<Files> = {}, indexMemory?: number) =>
  fileStore('/f', { files: { ...disk.files(), ...change }, ...(indexMemory !== undefined && { indexMemory }) });

/** Opens the store and closes it; returns whether it used the snapshot, and did not read everything. */
async function isUsed(indexMemory?: number): Promise<boolean> {
  let bytes = 0;
  const files = disk.files();
  const read: Files['read'] = (name, start, length) => {
    if (name.endsWith('.jsonl')) bytes += length;
    return files.read(name, start, length);
  };
  const store = await open({ read }, indexMemory);
  const [first] = path;
  expect((await store.scan()).items.map(({ id }) => id)).toEqual(path.map(({ node }) => node.id));
  expect(await store.bodies([first!.body.digest])).toEqual([first!.body.text]);
  expect((await store.byEcho([first!.node.echo], ROOT))?.node.id).toBe(first!.node.id);
  const others = [store.takes([first!.node.id]), store.refs({ on: 'thread' }), store.entries('event')] as const;
  const [takes, refs, entries] = await Promise.all(others);
  expect([takes.length, refs.items.length, entries.items.length]).toEqual([1, 1, 1]);
  await store.close();
  return bytes < 10_000;
}

interface Head {
  version: number;
  endianness: string;
  lists: { name: string; pages: number; count: number }[];
  segments: { name: string; size: number }[];
  problems: unknown[];
}

function readHead(bytes: Buffer): { head: Head; start: number; sums: Buffer } {
  const footer = bytes.length - FOOTER;
  const [pages, length] = [bytes.readUInt32LE(footer + 8), bytes.readUInt32LE(footer + 12)];
  const start = pages * PAGE_BYTES;
  const head = JSON.parse(bytes.toString('utf8', start, start + length)) as Head;
  return { head, start, sums: bytes.subarray(start + length, footer) };
}

/** Changes the head of the snapshot, with checksums that are right. */
function changeHead(change: (head: Head) => unknown): void {
  disk.damage(SNAPSHOT, (bytes) => {
    const { head, start, sums } = readHead(bytes);
    change(head);
    const json = Buffer.from(JSON.stringify(head));
    const footer = Buffer.from(bytes.subarray(bytes.length - FOOTER));
    footer.writeUInt32LE(json.length, 12);
    footer.writeUInt32LE(crc32(sums, crc32(json)), 16);
    return Buffer.concat([bytes.subarray(0, start), json, sums, footer]);
  });
}

test.each<[string, boolean, (head: Head) => unknown]>([
  ['as it is', true, () => undefined],
  ['of an older version', false, (head) => Object.assign(head, { version: head.version - 1 })],
  ['of a newer version', false, (head) => Object.assign(head, { version: head.version + 1 })],
  [
    'from a machine with another order of bytes',
    false,
    (head) => Object.assign(head, { endianness: endianness() === 'LE' ? 'BE' : 'LE' }),
  ],
  ['of a segment that is gone', false, ({ segments }) => Object.assign(segments[0]!, { name: 'gone.jsonl' })],
  [
    'of a segment that was longer',
    false,
    ({ segments }) => Object.assign(segments[0]!, { size: segments[0]!.size + 1 }),
  ],
  [
    'of a segment that ended otherwise',
    false,
    ({ segments }) => Object.assign(segments[0]!, { size: segments[0]!.size - 1 }),
  ],
])('a snapshot %s is used: %s', async (_, expected, change) => {
  changeHead(change);
  expect(await isUsed()).toBe(expected);
  // What was not used is made again.
  expect(await isUsed()).toBe(true);
});

test.each<[string, (bytes: Buffer) => Buffer]>([
  ['empty', () => Buffer.alloc(0)],
  ['shorter than its footer', (bytes) => bytes.subarray(-FOOTER + 1)],
  ['only its footer', (bytes) => bytes.subarray(-FOOTER)],
  ['without its first page', (bytes) => bytes.subarray(PAGE_BYTES)],
  ['without its last byte', (bytes) => bytes.subarray(0, -1)],
  ['with a byte in front', (bytes) => Buffer.concat([Buffer.alloc(1), bytes])],
  [
    'of another kind',
    (bytes) => Buffer.concat([bytes.subarray(0, -FOOTER), Buffer.alloc(8), bytes.subarray(8 - FOOTER)]),
  ],
  ['with a wrong head', (bytes) => change(bytes, readHead(bytes).start + 2)],
  ['with a wrong number in its head', (bytes) => change(bytes, bytes.lastIndexOf('"bytes":') + 8)],
  ['with a wrong checksum', (bytes) => change(bytes, bytes.length - FOOTER - 1)],
  ['with a wrong page', (bytes) => change(bytes, PAGE_BYTES + 7)],
])('a snapshot that is %s is not used', async (_, damage) => {
  disk.damage(SNAPSHOT, damage);
  expect(await isUsed()).toBe(false);
  expect(await isUsed()).toBe(true);
});

test('a footer that tells of more than there is, is not believed: nothing is read, and no memory taken for it', async () => {
  disk.damage(SNAPSHOT, (bytes) => {
    bytes.writeUInt32LE(2 ** 31, bytes.length - FOOTER + 12);
    return bytes;
  });
  const sizes: number[] = [];
  const files = disk.files();
  const openPages: Files['openPages'] = (name) => {
    const file = files.openPages(name);
    const read = (into: Uint8Array, from: number) => {
      sizes.push(into.length);
      return file.read(into, from);
    };
    return { ...file, read };
  };
  await (await open({ openPages })).close();
  expect(sizes).toEqual([FOOTER]);
});

function change(bytes: Buffer, at: number): Buffer {
  bytes[at]! ^= 1;
  return bytes;
}

test('a page that is wrong is noticed when it is read, if not all pages are in memory', async () => {
  expect(await isUsed(0)).toBe(true);
  disk.damage(SNAPSHOT, (bytes) => change(bytes, 7));
  expect(await isUsed(0)).toBe(false);
});

test('a snapshot of which a page turns out to be wrong while the store is opened is made again', async () => {
  const writer = await open();
  await writer.append([makeTake(path[1]!.node, 1)]);
  await writer.close();
  disk.damage(SNAPSHOT, (bytes) => {
    for (let at = 0; at < readHead(bytes).start; at += PAGE_BYTES) change(bytes, at);
    return bytes;
  });
  expect(await isUsed(0)).toBe(false);
  expect(await isUsed(0)).toBe(true);
});

test('the file of a snapshot is closed once it is not needed', async () => {
  const counts = { opened: 0, closed: 0 };
  const files = disk.files();
  const openPages: Files['openPages'] = (name) => {
    counts.opened += 1;
    return { ...files.openPages(name), close: () => void counts.closed++ };
  };
  const inMemory = await open({ openPages });
  expect(counts).toEqual({ opened: 1, closed: 1 });
  await inMemory.close();
  expect(counts.closed).toBe(1);
  const onDisk = await open({ openPages }, 0);
  expect(counts).toEqual({ opened: 2, closed: 1 });
  await onDisk.close();
  expect(counts.closed).toBe(2);
  disk.damage(SNAPSHOT, (bytes) => bytes.subarray(1));
  const damaged = await open({ openPages }, 0);
  expect(counts).toEqual({ opened: 3, closed: 3 });
  await damaged.close();
});

test.each(['append', 'sync', 'close'] as const)(
  'a snapshot of which the %s fails leaves no draft, and the snapshot before it',
  async (step) => {
    const before = disk.contents().get(SNAPSHOT);
    const files = disk.files();
    const closed: string[] = [];
    const create: Files['create'] = async (name) => {
      const appender = await files.create(name);
      if (!name.endsWith('.tmp')) return appender;
      const fail = () => Promise.reject(Object.assign(new Error('raw'), { code: 'EIO' }));
      const close = () => {
        closed.push(name);
        return step === 'close' ? fail() : appender.close();
      };
      return { ...appender, close, ...(step !== 'close' && { [step]: fail }) } satisfies Appender;
    };
    const store = await open({ create });
    await store.append([makeBody('y'.repeat(300_000))]);
    await store.close();
    expect(closed.length).toBeGreaterThan(0);
    expect([...disk.contents().keys()].filter((name) => name.startsWith(`${OWN}/index/`))).toEqual([SNAPSHOT]);
    expect(disk.contents().get(SNAPSHOT)).toBe(before);
  },
);

test('a snapshot is on the disk before it has its name', async () => {
  const calls: string[] = [];
  const files = disk.files();
  const create: Files['create'] = async (name) => {
    const appender = await files.create(name);
    if (!name.endsWith('.tmp')) return appender;
    return {
      ...appender,
      sync: () => {
        calls.push('sync');
        return appender.sync();
      },
      close: () => {
        calls.push('close');
        return appender.close();
      },
    };
  };
  const rename: Files['rename'] = (from, to) => {
    if (to === SNAPSHOT) calls.push('rename');
    return files.rename(from, to);
  };
  const store = await open({ create, rename });
  await store.append([makeBody('y'.repeat(300_000))]);
  await store.close();
  expect(calls).toEqual(['sync', 'close', 'rename']);
});

test('a snapshot has no line that was not complete, and other problems', async () => {
  const segment = [...disk.contents().keys()].find((name) => name.endsWith('.jsonl'))!;
  disk.damage(segment, (bytes) => Buffer.concat([bytes.subarray(0, -1), Buffer.from('\n{"k":"node","id":')]));
  await disk.files().remove(SNAPSHOT);
  const store = await open();
  const { node, body } = makeNode('d');
  await store.append([body, node]);
  expect(store.problems().map(({ code }) => code)).toEqual(['torn-line']);
  await store.close();
  const { head } = readHead(disk.contents().get(SNAPSHOT)!);
  expect(head.problems).toEqual([]);
  expect(head.segments.find(({ name }) => segment.endsWith(name))!.size).toBeLessThan(
    disk.contents().get(segment)!.length,
  );
  const again = await open();
  expect(again.problems().map(({ code }) => code)).toEqual(['torn-line']);
  await again.close();
});
