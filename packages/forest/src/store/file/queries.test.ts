import { beforeEach, describe, expect, test } from 'vitest';
import { ROOT } from '../../model/ids.ts';
import {
  allPages,
  makeBody,
  makeEntry,
  makeNode,
  makePath,
  makeRef,
  makeTake,
  toRecords,
} from '../../testing/store-samples.ts';
import type { Store } from '../store.ts';
import type { Files } from './disk.ts';
import { fileStore } from './file-store.ts';
import { encodeBatch, headerLine } from './segment-format.ts';
import { createTestDisk, type TestDisk } from './test-disk.ts';

let disk: TestDisk;
beforeEach(() => {
  disk = createTestDisk();
});

const open = (change: Partial<Files> = {}) => fileStore('/f', { files: { ...disk.files(), ...change } });
const path = makePath(['a', 'b', 'c']);
const [a, b, c] = path.map(({ node }) => node);

describe('what another process wrote a moment ago is found by', () => {
  const questions: Readonly<Record<string, (store: Store) => Promise<unknown>>> = {
    'the id of a node': async (store) => (await store.nodes([b!.id]))[0]?.id === b!.id,
    'ids of which one is known': async (store) => (await store.nodes([a!.id, b!.id])).every((node) => node),
    'a path': async (store) => (await store.path(b!.id)).length === 2,
    'children of a new node': async (store) => (await store.children(b!.id)).items.length === 1,
    'the number of its children': async (store) => (await store.childCounts([ROOT, b!.id]))[1] === 1,
    'a text': async (store) => (await store.bodies([path[1]!.body.digest]))[0] !== undefined,
    'takes of a new node': async (store) => (await store.takes([a!.id, b!.id])).length === 1,
    'an entry': async (store) => (await store.entry('event', 'e1')) !== undefined,
  };

  test.each(Object.entries(questions))('%s', async (_, ask) => {
    const [writer, reader] = [await open(), await open()];
    await writer.append(toRecords(path.slice(0, 1)));
    await reader.changes();
    await writer.append([...toRecords(path.slice(1)), makeTake(b!, 1), makeEntry('e1')]);
    expect(await ask(reader)).toBe(true);
    for (const store of [writer, reader]) await store.close();
  });

  test('nobody looks for it who knows all that was asked for', async () => {
    const writer = await open();
    await writer.append([...toRecords(path), makeTake(b!, 1), makeEntry('e1')]);
    const counts = { looks: 0 };
    const files = disk.files();
    const list: Files['list'] = (folder) => {
      counts.looks += 1;
      return files.list(folder);
    };
    const reader = await open({ list });
    counts.looks = 0;
    for (const ask of Object.values(questions)) await ask(reader);
    await reader.nodes([ROOT]);
    expect(counts.looks).toBe(0);
    for (const store of [writer, reader]) await store.close();
  });
});

describe('a segment that is gone when it is read', () => {
  /** A store that finds no file for its first `times` reads after it was opened. */
  async function openFailing(times: number, code = 'ENOENT') {
    await (await open()).append([...toRecords(path), makeRef('t', 'title', 'x', '1')]);
    const files = disk.files();
    let left = -1;
    let reads = 0;
    const store = await open({
      async read(name, start, length) {
        if (left < 0 || !name.endsWith('.jsonl')) return files.read(name, start, length);
        reads += 1;
        if (left-- > 0) throw Object.assign(new Error('raw'), { code, syscall: 'open' });
        return files.read(name, start, length);
      },
    });
    left = times;
    return { store, reads: () => reads };
  }

  test('is looked for elsewhere, four times', async () => {
    const { store } = await openFailing(4);
    expect((await store.nodes([a!.id]))[0]?.id).toBe(a!.id);
    const failing = await openFailing(5);
    await expect(failing.store.nodes([a!.id])).rejects.toMatchObject({ code: 'store_failed' });
    expect(failing.reads()).toBe(5);
  });

  test('is not looked for if it only cannot be read', async () => {
    const { store, reads } = await openFailing(1, 'EIO');
    await expect(store.nodes([a!.id])).rejects.toMatchObject({ code: 'store_failed' });
    expect(reads()).toBe(1);
  });
});

describe('a scan', () => {
  /** A segment that refers to a node before its parent, so that rows are not in the order of depths. */
  async function writeOutOfOrder() {
    const [x, y] = makePath(['x', 'y']);
    const led = makeNode('led', { lead: y!.node.id });
    const order = [led, y!, x!, ...path];
    const text = headerLine('w') + encodeBatch(toRecords(order), 1).bytes.toString();
    await disk.files().write('/f/projects/default/segments/a.jsonl', Buffer.from(text));
    return order.map(({ node }) => node);
  }

  test.each([1, 2, 3, 5, 6, 7])(
    'lists parents first in pages of %i, although rows are in another order',
    async (limit) => {
      const nodes = await writeOutOfOrder();
      const store = await open();
      const found = await allPages((page) => store.scan(page), limit);
      expect(found.map(({ id }) => id).sort()).toEqual(nodes.map(({ id }) => id).sort());
      const seen = new Set([ROOT]);
      for (const { id, parent } of found) {
        expect(seen).toContain(parent);
        seen.add(id);
      }
      expect(found.map(({ depth }) => depth)).toEqual([1, 1, 1, 2, 2, 3]);
      const { next } = await store.scan({ limit: 1 });
      const [numbering] = JSON.parse(next!);
      for (const place of [
        [99, 99],
        [99, -1],
      ])
        expect(await store.scan({ after: JSON.stringify([numbering, ...place, 1, 1]) })).toEqual({ items: [] });
      await store.close();
    },
  );

  test('lists parents first also from a snapshot of such rows', async () => {
    await writeOutOfOrder();
    const store = await open();
    await store.append([makeBody('x'.repeat(300_000))]);
    await store.close();
    expect(disk.contents().has('/f/projects/default/index/snapshot')).toBe(true);
    const again = await open();
    expect((await again.scan()).items.map(({ depth }) => depth)).toEqual([1, 1, 1, 2, 2, 3]);
    await again.close();
  });

  test('that began in the order of rows goes on so, when a parent turns up behind its child', async () => {
    const store = await open();
    await store.append(toRecords(path));
    const first = await store.scan({ limit: 2 });
    expect(first.items.map(({ id }) => id)).toEqual([a!.id, b!.id]);
    await writeOutOfOrder();
    await store.changes();
    const rest = await allPages((page) => store.scan({ after: first.next!, ...page }), 2);
    const ids = rest.map(({ id }) => id);
    expect(ids[0]).toBe(c!.id);
    expect([ids.length, new Set(ids).size]).toEqual([4, 4]);
    await store.close();
  });

  const older = makePath(['o1', 'o2', 'o3']);
  const newer = makePath(Array.from({ length: 40 }, (_, at) => `n${at}`));
  const all = [...older, ...newer];
  const writeSegment = async (name: string, made: typeof older) => {
    const text = headerLine(name) + encodeBatch(toRecords(made), 1).bytes.toString();
    await disk.files().write(`/f/projects/default/segments/${name}.jsonl`, Buffer.from(text));
  };

  test.each([1, 2, 4, 5, 42])('goes on where it was after %i nodes, when the same are read again', async (limit) => {
    await writeSegment('a', older);
    const store = await open();
    await store.append(toRecords(newer));
    const first = await store.scan({ limit });
    disk.replace('/f/projects/default/segments/a.jsonl');
    await store.changes();
    const again = await open();
    for (const reader of [store, again]) {
      const rest = await allPages((page) => reader.scan({ after: first.next!, ...page }), 2);
      expect([...first.items, ...rest].map(({ id }) => id).sort()).toEqual(all.map(({ node }) => node.id).sort());
      await reader.close();
    }
  });

  test('says that it cannot go on, instead of missing nodes, when they are in another order', async () => {
    await writeSegment('z', older);
    const store = await open();
    // Whoever reads both begins with this one.
    await writeSegment('a', newer);
    await store.changes();
    const first = await store.scan({ limit: 2 });
    expect(first.items.map(({ id }) => id)).toEqual(all.slice(0, 2).map(({ node }) => node.id));
    disk.replace('/f/projects/default/segments/a.jsonl');
    await store.changes();
    await expect(store.scan({ after: first.next! })).rejects.toMatchObject({
      code: 'store_cursor',
      message: expect.stringContaining('Start without "after".'),
    });
    expect((await store.scan()).items.length).toBe(all.length);
    await store.close();
  });

  test('says so as well when nodes that it has listed are gone', async () => {
    const store = await open();
    await store.append(toRecords(path));
    await store.append(toRecords(makePath(['d'])));
    const { next } = await store.scan({ limit: 3 });
    await store.close();
    const packer = await open();
    await packer.compact(() => false);
    await packer.append(toRecords(path.slice(0, 2)));
    await expect(packer.scan({ after: next! })).rejects.toMatchObject({ code: 'store_cursor' });
    await packer.close();
  });

  test('leaves out nodes that are only referred to', async () => {
    const store = await open();
    await store.append([c!, a!]);
    const whole = await store.scan({ limit: 2 });
    expect([whole.items.length, whole.next]).toEqual([2, undefined]);
    for (const limit of [1, 2, 3])
      expect((await allPages((page) => store.scan(page), limit)).map(({ id }) => id).sort()).toEqual(
        [a!.id, c!.id].sort(),
      );
    const first = await store.scan({ limit: 1 });
    disk.replace(`/f/projects/default/segments/${store.writer}.jsonl`);
    await store.close();
    const again = await open();
    const rest = await again.scan({ after: first.next! });
    expect([...first.items, ...rest.items]).toEqual(whole.items);
    await again.close();
  });
});

describe('the deepest node of a chain', () => {
  test.each([0, 1, 2, 3, 4, 7, 8, 20])('is found among %i that are there', async (count) => {
    const chain = makePath(Array.from({ length: 20 }, (_, at) => `m${at}`));
    const store = await open();
    await store.append(toRecords(chain.slice(0, count)));
    const ids = chain.map(({ node }) => node.id);
    for (const length of [0, 1, 3, 8, 20])
      expect(await store.deepest(ids.slice(0, length)), String(length)).toBe(Math.min(count, length) - 1);
    await store.close();
  });

  test('is found behind a missing one, and little of the chain is computed', async () => {
    const chain = makePath(Array.from({ length: 1000 }, (_, at) => `m${at}`));
    const ids = chain.map(({ node }) => node.id);
    const store = await open();
    await store.append(toRecords(chain.slice(0, 10)));
    let furthest = 0;
    const counted = {
      length: ids.length,
      at(index: number) {
        furthest = Math.max(furthest, index);
        return ids[index];
      },
    };
    expect(await store.deepest(counted)).toBe(9);
    expect(furthest).toBeLessThan(20);
    await store.append(toRecords(chain.slice(12, 15)));
    expect(await store.deepest(ids)).toBe(14);
    expect(await store.deepest(ids.slice(0, 12))).toBe(9);
    expect(await store.deepest(makePath(['z1', 'z2']).map(({ node }) => node.id))).toBe(-1);
    await store.close();
  });
});

test('children and takes are listed oldest first, and equal ones by id', async () => {
  const store = await open();
  const times = [5, 5, 5, 5, 1, 9, 3, 5, 5];
  const children = times.map((at, index) => makeNode(`child ${index}`, { parent: a!, at }));
  const takes = [2, 1].flatMap((at) => ['m1', 'm2', 'm3'].map((model) => makeTake(a!, at, { model } as object)));
  await store.append([...toRecords([path[0]!, ...children]), ...takes]);
  const sorted = <T extends { at: number; id: string }>(list: readonly T[]) =>
    [...list].sort((one, two) => one.at - two.at || (one.id < two.id ? -1 : 1)).map(({ id }) => id);
  const nodes = children.map(({ node }) => node);
  expect((await store.children(a!.id)).items.map(({ id }) => id)).toEqual(sorted(nodes));
  expect((await store.takes([a!.id, a!.id])).map(({ id }) => id)).toEqual(sorted(takes));
  await store.close();
});
