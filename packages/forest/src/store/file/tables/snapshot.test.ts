import { readdir, readFile, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ROOT } from '../../../model/ids.ts';
import { allPages, makeEntry, makePath, makeRef, makeTake, toRecords } from '../../../testing/store-samples.ts';
import type { Store } from '../../store.ts';
import { diskFiles } from '../disk.ts';
import { fileStore } from '../file-store.ts';
import { type TestFolder, testFolder } from '../test-folder.ts';

const trunk = makePath(Array.from({ length: 300 }, (_, index) => `message ${index} ${'word '.repeat(100)}`));
const branches = trunk.filter((_, index) => index % 50 === 0).flatMap(({ node }) => makePath(['x', 'y'], node));
const made = [...trunk, ...branches];
let here: TestFolder;

beforeEach(async () => {
  here = await testFolder();
  const store = await here.open();
  await store.append([...toRecords(made), ...made.map(({ node }) => makeTake(node, node.at))]);
  await store.append([
    makeRef('t', 'head', made.at(-1)!.node.id, '1'),
    makeRef('t', 'title', null, '2'),
    makeEntry('e'),
  ]);
  await store.append([{ k: 'oddity', x: 1 } as never]);
  await store.close();
});
afterEach(() => here.remove());

async function everything(store: Store) {
  return {
    nodes: await allPages((page) => store.scan(page), 1000),
    path: (await store.path(trunk.at(-1)!.node.id)).length,
    children: (await store.children(trunk[0]!.node.id)).items,
    echo: await store.byEcho([trunk[7]!.node.echo], ROOT),
    bodies: await store.bodies(made.map(({ body }) => body.digest)),
    takes: await store.takes(made.map(({ node }) => node.id)),
    refs: (await store.refs({ on: 'thread' })).items,
    entries: (await store.entries('event')).items,
    hits: (await store.search({ words: ['message', '29'], limit: 1000 })).items,
    ofUsers: (await store.search({ words: ['29'], roles: ['user'], limit: 1000 })).items,
    problems: await store.check(),
  };
}

const snapshotPath = () => join(here.own, 'index', 'snapshot');

/** How many bytes of segments are read while opening. */
async function openCounting() {
  let bytes = 0;
  const files = diskFiles();
  const read: typeof files.read = (path, start, length) => {
    if (path.endsWith('.jsonl')) bytes += length;
    return files.read(path, start, length);
  };
  const store = await fileStore(here.folder, { files: { ...files, read } });
  return { store, bytes };
}

describe('a snapshot of the index', () => {
  test('gives the same forest as the segments, without reading them', async () => {
    const quick = await openCounting();
    const size = (await here.read((await here.names())[0]!)).length;
    expect(quick.bytes).toBeLessThan(size / 10);
    const withIt = await everything(quick.store);
    await quick.store.close();
    await writeFile(snapshotPath(), '');
    const slow = await openCounting();
    expect(slow.bytes).toBeGreaterThanOrEqual(size - 4096);
    expect(await everything(slow.store)).toEqual(withIt);
    expect([withIt.problems, withIt.ofUsers.length]).toEqual([[], 11]);
    await slow.store.close();
  });

  test('is written again when it is gone, and covers what was added', async () => {
    await writeFile(snapshotPath(), 'damaged');
    const store = await here.open();
    const more = makePath(['one', 'two'], trunk.at(-1)!.node);
    await store.append(toRecords(more));
    await store.close();
    const { store: again, bytes } = await openCounting();
    expect(bytes).toBeLessThan(20_000);
    expect((await again.path(more[1]!.node.id)).length).toBe(302);
    const third = makePath(['three'], more[1]!.node);
    await again.append(toRecords(third));
    expect((await again.path(third[0]!.node.id)).length).toBe(303);
    await again.close();
  });

  test('is not believed when any byte of it is wrong', async () => {
    const bytes = await readFile(snapshotPath());
    for (let at = 0; at < bytes.length; at += Math.ceil(bytes.length / 25)) {
      const wrong = Buffer.from(bytes);
      wrong[at]! ^= 0x10;
      await writeFile(snapshotPath(), wrong);
      const store = await here.open();
      expect((await store.scan({ limit: 1000 })).items.length).toBe(made.length);
      await store.close();
    }
  });

  test('is the only file in its folder, although pages are in a scratch file', async () => {
    const store = await fileStore(here.folder, { indexMemory: 0 });
    const more = makePath(['one', 'two'], trunk.at(-1)!.node);
    await store.append(toRecords(more));
    expect(await readdir(join(here.own, 'index'))).toEqual(['snapshot']);
    expect((await store.path(more[1]!.node.id)).length).toBe(302);
    await store.close();
  });

  test('is drafted beside the drafts of others, and removes those that were left behind an hour ago', async () => {
    const [old, other, young] = ['old.tmp', 'old', 'young.tmp'].map((name) => join(here.own, 'index', name));
    for (const file of [old!, other!, young!]) await writeFile(file, '');
    const before = Date.now() / 1000 - 2 * 3600;
    for (const file of [old!, other!]) await utimes(file, before, before);
    await writeFile(snapshotPath(), 'damaged');
    await (await here.open()).close();
    expect((await readdir(join(here.own, 'index'))).sort()).toEqual(['old', 'snapshot', 'young.tmp']);
  });

  test('is not believed when a segment has shrunk, changed at its end, or gone', async () => {
    const [name] = await here.names();
    const lines = (await here.read(name!)).trimEnd().split('\n');
    const last = lines.findLastIndex((line) => line.includes('"k":"node"'));
    const without = lines.filter((_, at) => at !== last);
    await here.write(name!, `${without.join('\n')}\n`);
    const store = await here.open();
    expect((await store.scan({ limit: 1000 })).items.length).toBe(made.length - 1);
    await store.close();
  });
});
