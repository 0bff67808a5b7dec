import { describe, expect, test } from 'vitest';
import { ROOT } from '../../../model/ids.ts';
import type { NodeRecord, StoreRecord } from '../../../model/records.ts';
import { makeBody, makeEntry, makeNode, makePath, makeTake, toRecords } from '../../../testing/store-samples.ts';
import type { Files } from '../disk.ts';
import { fileStore } from '../file-store.ts';
import { encodeBatch } from '../segment-format.ts';
import type { SegmentSet } from '../segment-set.ts';
import { createTestDisk } from '../test-disk.ts';
import { entryLine, HEAD, testSegments } from '../test-segments.ts';
import { PAGE_BYTES, PageCache } from './pages.ts';
import { loadSnapshot, saveSnapshot } from './snapshot.ts';

describe('a snapshot of segments', () => {
  /** What another process loads after this one has saved what it read. */
  async function saveAndLoad({ disk, folders }: ReturnType<typeof testSegments>, set: SegmentSet) {
    const files = disk.files();
    await saveSnapshot(files, folders, set, 'w');
    return (await loadSnapshot(files, folders, new PageCache(files, folders.index, 2 ** 20)))!;
  }

  test('has what is known of each, under the numbers that they have by then', async () => {
    const segments = testSegments();
    await segments.put('a.jsonl', HEAD, entryLine('a'), 'no record\n');
    await segments.put('b.jsonl', HEAD.replace('"version":1', '"version":2').replace('"w"', '"x"'), entryLine('b'));
    const withoutSum = entryLine('c').replace(/,"#":"\w+"/, '');
    await segments.put('c.jsonl', HEAD.replace(',"sums":"crc32"', ''), withoutSum, '{"k":"oddity"}\n');
    const before = segments.openSet();
    await before.set.refresh();
    segments.disk.replace(segments.pathOf('c.jsonl'));
    await before.set.refresh(true);
    await segments.put('d.jsonl', '');
    await before.set.refresh();
    const saved = await saveAndLoad(segments, before.set);
    const read = [...before.set.current()].filter(({ name }) => name !== 'd.jsonl');
    expect(read.map(({ number }) => number)).toEqual([3, 4, 5]);
    expect(read.map(({ version, writer }) => [version, writer])).toEqual([
      [1, 'w'],
      [2, 'x'],
      [1, 'w'],
    ]);
    expect(read.map(({ hasSums, isDamaged }) => [hasSums, isDamaged])).toEqual([
      [true, true],
      [true, false],
      [false, false],
    ]);
    expect(saved.segments.filter(({ isOpen }) => isOpen)).toEqual(
      read.map((segment) => ({ ...segment, wasAlive: true })),
    );
    expect(saved.segments.map(({ number }) => number)).toEqual([0, 1, 2, 3, 4, 5]);
    expect(before.set.problems.map(({ code }) => code)).toEqual(['damaged-record', 'newer-format']);
    expect(saved.problems).toEqual(before.set.problems);
    expect([...saved.tables.others]).toEqual([...before.set.tables.others]);
    expect(saved.tables.others.size).toBe(1);

    const after = segments.openSet({}, saved);
    await after.set.refresh();
    expect(after.counts).toEqual({ found: [], resets: 0, reads: 1 });
    expect(after.set.problems).toEqual(before.set.problems);
  });

  test('goes on in front of a batch of which a part never reached the disk, so that this part is still missed', async () => {
    const segments = testSegments();
    const [first, ...rest] = ['e1', 'e2', 'e3'].map((id) => makeEntry(id));
    const lines = encodeBatch([first!, ...rest], 1)
      .bytes.toString()
      .trimEnd()
      .split('\n');
    await segments.put('a.jsonl', HEAD, entryLine('a'), `${'\0'.repeat(lines[0]!.length)}\n`);
    const before = segments.openSet();
    await before.set.refresh();
    const saved = await saveAndLoad(segments, before.set);
    segments.add('a.jsonl', `${lines[1]}\n${lines[2]}\n`);
    const after = segments.openSet({}, saved);
    for (const { set } of [before, after]) await set.refresh(true);
    expect([before.counts.found, after.counts.found]).toEqual([['event/a'], []]);
  });
});

test('a page that cannot be read when it is asked for is a damage of the index, with its reason', async () => {
  const { disk, folders, openSet, put } = testSegments();
  await put('a.jsonl', HEAD, entryLine('a'));
  const { set } = openSet();
  await set.refresh();
  const files = disk.files();
  await saveSnapshot(files, folders, set, 'w');
  const reason = new Error('raw');
  let isBroken = false;
  const openPages: Files['openPages'] = (name) => {
    const file = files.openPages(name);
    const read = (into: Uint8Array, from: number) => {
      if (isBroken) throw reason;
      return file.read(into, from);
    };
    return { ...file, read };
  };
  const cache = new PageCache(files, folders.index, 0);
  const saved = await loadSnapshot({ ...files, openPages }, folders, cache);
  isBroken = true;
  expect(() => saved!.tables.nodes.rowOf(ROOT)).toThrow(expect.objectContaining({ cause: reason }));
});

test('a snapshot of many pages is written in parts, and read at once or page by page', async () => {
  const disk = createTestDisk();
  const files = disk.files();
  const sizes: number[] = [];
  const create: Files['create'] = async (name) => {
    const appender = await files.create(name);
    if (!name.endsWith('.tmp')) return appender;
    const append = (bytes: Uint8Array) => {
      sizes.push(bytes.length / PAGE_BYTES);
      return appender.append(bytes);
    };
    return { ...appender, append };
  };
  const path = makePath(Array.from({ length: 100 }, (_, at) => `message ${at}`));
  const [first, second] = path.map(({ node }) => node) as [NodeRecord, NodeRecord];
  const twin = makeNode('said again', { parent: second, echo: first.echo, lead: second.id });
  const bodies = Array.from({ length: 22_000 }, (_, at) => makeBody(`text ${at}`));
  const takes = path.map(({ node }, at) => makeTake(node, at));
  const records: StoreRecord[] = [...bodies, ...toRecords([...path, twin]), ...takes];
  const store = await fileStore('/f', { files: { ...files, create } });
  await store.append(records);
  await store.close();
  // Behind the pages there is the rest.
  const pages = sizes.slice(0, -1);
  expect(pages.every(Number.isInteger)).toBe(true);
  expect([Math.max(...pages), pages.filter((count) => count === 256).length]).toEqual([256, 1]);
  for (const indexMemory of [undefined, 0]) {
    let isRead = false;
    const read: Files['read'] = (name, start, length) => {
      isRead ||= name.endsWith('.jsonl') && start === 0;
      return files.read(name, start, length);
    };
    const again = await fileStore('/f', { files: { ...files, read }, ...(indexMemory === 0 && { indexMemory }) });
    expect(await again.bodies(bodies.map(({ digest }) => digest))).toEqual(bodies.map(({ text }) => text));
    expect(await again.path(path.at(-1)!.node.id)).toEqual(path.map(({ node }) => node));
    expect((await again.takes(path.map(({ node }) => node.id))).map(({ id }) => id)).toEqual(takes.map(({ id }) => id));
    const echoes = [ROOT, second.id, path[2]!.node.id].map((lead) => again.byEcho([first.echo], lead));
    expect((await Promise.all(echoes)).map((found) => found?.node.id)).toEqual([first.id, twin.node.id, twin.node.id]);
    expect(isRead).toBe(false);
    await again.close();
  }
});
