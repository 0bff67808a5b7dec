import { describe, expect, test } from 'vitest';
import type { StoreRecord } from '../model/records.ts';
import { makeBody, makeEntry, makeNode, makePath, makeRef, makeTake, toRecords } from '../testing/store-samples.ts';
import { storeConformance } from '../testing.ts';
import { memoryStore } from './memory-store.ts';

describe('the memory store', () => {
  test.each(storeConformance('memory', async () => ({ store: memoryStore() }), false))('$name', ({ run }) => run());

  test('tells of what is new, and of nothing else', async () => {
    const store = memoryStore();
    let told = 0;
    store.watch(() => told++);
    const made = makeNode('a');
    const odd = { k: 'later-kind', value: 1 } as never;
    const records: StoreRecord[] = [made.body, made.node, makeTake(made.node, 1), makeRef('t', 'n', 1, '1'), odd];
    for (const [index, record] of records.entries()) {
      await store.append([record]);
      expect(told, record.k).toBe(index + 1);
      await store.append([record]);
      expect(told, record.k).toBe(index + 1);
    }
    await store.append([]);
    expect(told).toBe(records.length);
    const { next } = await memoryStore().changes();
    expect((await store.changes(next)).reset).toBe(true);
  });

  test('has no changes for texts, and one for a node that is replaced by an earlier one', async () => {
    const store = memoryStore();
    const { next } = await store.changes();
    const [first, second] = makePath(['a', 'b']);
    const [other, third] = [makeNode('x', { parent: first!.node }), makeNode('y', { parent: first!.node })];
    await store.append(toRecords([first!, other, second!, third]));
    expect((await store.changes(next)).items.map(({ kind }) => kind)).toEqual(['node', 'node', 'node', 'node']);
    const later = await store.changes();
    const earlier = { ...second!.node, at: second!.node.at - 100 };
    await store.append([earlier]);
    expect((await store.changes(later.next)).items).toEqual([{ kind: 'node', key: earlier.id }]);
    expect((await store.scan()).items[2]).toEqual(earlier);
    expect((await store.children(first!.node.id)).items[0]).toEqual(earlier);
    expect((await store.byEcho([earlier.echo], earlier.lead))?.node).toEqual(earlier);
    await store.append([second!.node]);
    expect(await store.nodes([earlier.id])).toEqual([earlier]);
  });

  test('keeps the first text of a digest', async () => {
    const store = memoryStore();
    const body = makeBody('right');
    await store.append([body]);
    await store.append([{ ...body, text: 'wrong' }]);
    expect(await store.bodies([body.digest])).toEqual(['right']);
  });

  test('has no more pages than items, and no members without a value', async () => {
    const store = memoryStore();
    expect(await store.children('unknown')).toStrictEqual({ items: [] });
    const made = makePath(['a', 'b']);
    await store.append([...toRecords(made), makeRef('t', 'n', 1, '1')]);
    expect(await store.scan({ limit: 2 })).toStrictEqual({ items: made.map(({ node }) => node) });
    expect((await store.scan({ limit: 1 })).next).toBeDefined();
    expect(await store.refs({ on: 'thread' })).toStrictEqual({ items: [makeRef('t', 'n', 1, '1')] });
  });

  test('counts what packing keeps and removes', async () => {
    const store = memoryStore();
    await store.append([...toRecords(makePath(['a', 'b'])), makeEntry('e1'), makeEntry('e2'), makeEntry('e3')]);
    expect(await store.compact(({ k }) => k !== 'event')).toEqual({ kept: 4, removed: 3 });
    expect(store.writer).toMatch(/^m[0-9a-f]{8}$/);
  });
});
