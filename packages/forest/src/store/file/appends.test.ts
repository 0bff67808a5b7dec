import { beforeEach, describe, expect, test } from 'vitest';
import type { EntryRecord, StoreRecord } from '../../model/records.ts';
import { makeBody, makeEntry, makeNode, makePath, makeRef, makeTake, toRecords } from '../../testing/store-samples.ts';
import type { Store } from '../store.ts';
import type { Files } from './disk.ts';
import { type FileStoreOptions, fileStore } from './file-store.ts';
import { headerLine } from './segment-format.ts';
import { createTestDisk, type TestDisk } from './test-disk.ts';

const SEGMENTS = '/f/projects/default/segments';
const SNAPSHOT = '/f/projects/default/index/snapshot';

let disk: TestDisk;
beforeEach(() => {
  disk = createTestDisk();
});

/** `written` are the lines of each write, without the header; `calls` are writes and flushes, and `reads` the reads of segments. */
async function openCounting(options: FileStoreOptions = {}) {
  const files = disk.files();
  const written: string[][] = [];
  const calls: string[] = [];
  const counts = { reads: 0 };
  const create: Files['create'] = async (path) => {
    const appender = await files.create(path);
    return {
      ...appender,
      append(bytes) {
        const lines = Buffer.from(bytes).toString().trimEnd().split('\n');
        written.push(lines.filter((line) => !line.startsWith('{"skein"')));
        calls.push('write');
        return appender.append(bytes);
      },
    };
  };
  const read: Files['read'] = (path, start, length) => {
    if (path.endsWith('.jsonl')) counts.reads += 1;
    return files.read(path, start, length);
  };
  const sync: Files['sync'] = (path) => {
    calls.push(path);
    return files.sync(path);
  };
  const store = await fileStore('/f', { files: { ...files, create, read, sync }, ...options });
  return { store, written, calls, counts };
}

const entries = (count: number, name: string) => Array.from({ length: count }, (_, at) => makeEntry(`${name}${at}`));

describe('appends that come while another is written', () => {
  test('are written together, up to about 20,000 records', async () => {
    const { store, written } = await openCounting();
    const sizes = [1, 2, 3, 19_994, 1, 1, 20_000, 1];
    await Promise.all(sizes.map((size, at) => store.append(entries(size, `${at}.`))));
    expect(written.map((lines) => lines.length)).toEqual([1, 20_000, 20_001, 1]);
    await store.append([]);
    expect(written.length).toBe(4);
    await store.close();
  });

  test('do not fail because one of them does', async () => {
    const { store, written } = await openCounting();
    await store.append([makeEntry('e0')]);
    disk.setSpace(1000);
    const [first, large, small] = [[makeEntry('e1')], [makeBody('x'.repeat(2000))], [makeEntry('e2')]].map((records) =>
      store.append(records),
    );
    await first;
    await expect(large).rejects.toMatchObject({ code: 'store_full' });
    await small;
    // The three, and the two that were written together once more.
    expect(written.length).toBe(1 + 1 + 1 + 2);
    await expect(store.append([makeBody('y'.repeat(2000))])).rejects.toMatchObject({ code: 'store_full' });
    expect(written.length).toBe(6);
    disk.setSpace(Infinity);
    expect((await store.entries('event')).items.map(({ id }) => id)).toEqual(['e0', 'e1', 'e2']);
    await store.close();
  });

  test('are written before the store is closed, and later ones are refused', async () => {
    const { store } = await openCounting();
    let done = 0;
    for (const id of ['e1', 'e2']) store.append([makeEntry(id)]).then(() => done++);
    await store.close();
    expect(done).toBe(2);
    const calls = disk.calls();
    await store.close();
    expect(disk.calls()).toBe(calls);
    await expect(store.append([makeEntry('e3')])).rejects.toMatchObject({
      code: 'store_closed',
      message: 'The store in /f was closed.',
    });
    const again = await fileStore('/f', { files: disk.files() });
    expect((await again.entries('event')).items.length).toBe(2);
    await again.close();
  });
});

describe('a batch', () => {
  test('has each record once, and of two with one key the later one, at the end', async () => {
    const { store, written } = await openCounting();
    const { node, body } = makeNode('a');
    const [one, two, three] = ['1', '2', '3'].map((clock) => makeRef('t', 'title', clock, clock));
    const entry = makeEntry('e1');
    // These have the same text as key, and are of different kinds.
    const odd = { ...makeEntry('t/title'), k: 'thread' } as unknown as EntryRecord;
    await store.append([one!, two!, one!, entry, body, node, body, node, odd, three!]);
    const kinds = written[0]!.map((line) => /"k":"(\w+)"/.exec(line)?.[1]);
    expect(kinds).toEqual(['event', 'body', 'node', 'thread', 'ref']);
    await store.append([two!, body, { ...node, at: node.at + 1 }, entry, odd]);
    expect(written.length).toBe(1);
    const [late, early, same] = ['2', '1', '2'].map((clock, at) => makeRef('u', 'title', at, clock));
    await store.append([late!, makeEntry('e2'), early!, same!]);
    expect(written.pop()!.map((line) => /"k":"(\w+)"/.exec(line)?.[1])).toEqual(['ref', 'event']);
    expect((await store.refs({ on: 'thread', keys: ['u'] })).items).toMatchObject([{ value: 0 }]);
    await store.append([
      { ...node, at: node.at - 1 },
      { ...entry, clock: '2' },
    ]);
    expect(written[1]!.length).toBe(2);
    expect((await store.changes('')).reset).toBe(true);
    await store.close();
  });

  test('with something that is no record is refused, and the beginning of that is told', async () => {
    const { store, written } = await openCounting();
    const wrong = { k: 'body', text: 'x'.repeat(300) } as unknown as StoreRecord;
    await expect(store.append([makeEntry('e1'), wrong])).rejects.toMatchObject({
      code: 'store_record',
      message: `Not a record: {"k":"body","text":"${'x'.repeat(180)}. Nothing was written.`,
    });
    expect(written).toEqual([]);
    await store.close();
  });

  test('is not read again: its nodes and exchanges are held, if they are short', async () => {
    const { store, counts } = await openCounting();
    const { node, body } = makeNode('a');
    const long = { ...makeNode('b').node, more: 'x'.repeat(4096) };
    const exchange = (id: string, text: string) => makeEntry(id, { k: 'exchange', data: { text } });
    await store.append([body, node, long, exchange('x1', ''), exchange('x2', 'x'.repeat(4096)), makeEntry('e1')]);
    counts.reads = 0;
    const readsOf = async (work: Promise<unknown>) => {
      const before = counts.reads;
      await work;
      return counts.reads - before;
    };
    expect(await readsOf(store.nodes([node.id]))).toBe(0);
    expect(await readsOf(store.entry('exchange', 'x1'))).toBe(0);
    expect(await readsOf(store.nodes([long.id]))).toBe(1);
    expect(await readsOf(store.entry('exchange', 'x2'))).toBe(1);
    expect(await readsOf(store.entry('event', 'e1'))).toBe(1);
    expect(await readsOf(store.bodies([body.digest]))).toBe(1);
    await store.close();
  });
});

describe('what another process wrote, and did not flush, is flushed before what depends on it:', () => {
  const [parent, child] = makePath(['parent', 'child']);
  const other = makeNode('other');
  const [text, request] = [makeBody('a text'), { sha256: 'x', extra: {} }];
  const take = makeTake(other.node, 1);
  const cases: readonly (readonly [what: string, there: StoreRecord, added: StoreRecord])[] = [
    ['a parent', parent!.node, child!.node],
    ['the body of a node', child!.body, child!.node],
    ['the node of a take', other.node, take],
    ['the envelope of a take', text, makeTake(other.node, 2, { envelope: text.digest })],
    [
      'the manifest of a request',
      text,
      makeTake(other.node, 3, { request: { ...request, manifest: text.digest } } as object),
    ],
    ['the request as sent', text, makeTake(other.node, 4, { request: { ...request, sent: text.digest } } as object)],
    ['the node in a register', other.node, makeRef('t', 'head', other.node.id, '1')],
    ['the node that a register is of', other.node, makeRef(other.node.id, 'head', 1, '1', 'node')],
    ['the node that an entry is of', other.node, makeEntry('e1', { of: other.node.id })],
    ['the same record', take, take],
  ];

  test.each(cases)('%s', async (_, there, added) => {
    const writer = await fileStore('/f', { files: disk.files(), durability: 'os' });
    const { store, calls } = await openCounting();
    await writer.append([there, makeEntry('behind it')]);
    await store.changes();
    const segment = `${SEGMENTS}/${writer.writer}.jsonl`;
    await store.append([added]);
    expect(calls.slice(0, 2)).toEqual([segment, SEGMENTS]);
    // What was flushed is not flushed again, although there is more behind it that was not.
    await writer.append([makeEntry('later')]);
    await store.changes();
    calls.length = 0;
    await store.append([makeEntry('e2'), { ...added, clock: '9' } as StoreRecord]);
    expect(calls).not.toContain(segment);
    await closeAll(store, writer);
  });

  test('nothing else, and nothing where a crash of the machine may lose it', async () => {
    const writer = await fileStore('/f', { files: disk.files(), durability: 'os' });
    const [safe, quick] = [await openCounting(), await openCounting({ durability: 'os' })];
    await writer.append(toRecords([parent!, other]));
    for (const { store, calls } of [safe, quick]) {
      await store.changes();
      const values = ['a title', null, 7, { id: other.node.id }];
      const refs = values.map((value, at) => makeRef(store.writer, String(at), value, '1'));
      await store.append([makeBody(`of ${store.writer}`), ...refs]);
      expect(calls).not.toContain(`${SEGMENTS}/${writer.writer}.jsonl`);
    }
    await quick.store.append(toRecords([child!]));
    expect(quick.calls).toEqual(['write', 'write']);
    await closeAll(safe.store, quick.store, writer);
  });

  test.each([1, 2])('also a parent that was written a moment ago, before %i below it', async (count) => {
    const writer = await fileStore('/f', { files: disk.files(), durability: 'os' });
    const { store, calls } = await openCounting();
    await writer.append(toRecords([parent!]));
    await store.append(toRecords([child!, ...makePath(['grandchild'], child!.node)].slice(0, count)));
    expect(calls[0]).toBe(`${SEGMENTS}/${writer.writer}.jsonl`);
    await closeAll(store, writer);
  });

  async function closeAll(...stores: Store[]) {
    for (const store of stores) await store.close();
  }
});

test('a snapshot is saved when a quarter of a megabyte would have to be read without it', async () => {
  const saved: (Buffer | undefined)[] = [];
  for (const [at, kilobytes] of [200, 100, 200, 100, 0].entries()) {
    const store = await fileStore('/f', { files: disk.files() });
    if (kilobytes > 0) await store.append([makeBody(String(at).repeat(kilobytes * 1024))]);
    await store.close();
    saved.push(disk.contents().get(SNAPSHOT));
  }
  expect(saved.map((snapshot) => snapshot !== undefined)).toEqual([false, true, true, true, true]);
  expect(saved.slice(2).map((snapshot, at) => snapshot === saved[at + 1])).toEqual([true, false, true]);
});

test('a store with segments of a newer format is not written, and says which program could', async () => {
  const { store } = await openCounting();
  const segment = `${SEGMENTS}/a.jsonl`;
  await disk.files().write(segment, Buffer.from(headerLine('w').replace('"version":1', '"version":2')));
  await store.changes();
  await expect(store.append([makeEntry('e1')])).rejects.toMatchObject({
    code: 'store_read_only',
    message: `${SEGMENTS} is read-only: a.jsonl has format version 2, but this program knows only version 1. Update Skein.`,
  });
  await store.append([]);
  await store.close();
});

test('a store is alive before it has written anything, and another one once it has', async () => {
  const [{ store }, another] = [await openCounting(), await fileStore('/f', { files: disk.files() })];
  await another.append([makeEntry('e1')]);
  const names = [store.writer, another.writer, 'nobody'];
  expect(await Promise.all(names.map(store.isAlive))).toEqual([true, true, false]);
  await another.close();
  expect(await Promise.all(names.map(store.isAlive))).toEqual([true, false, false]);
  await store.close();
});
