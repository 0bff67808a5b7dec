import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ROOT } from '../../../model/ids.ts';
import type { NodeRecord, StoreRecord } from '../../../model/records.ts';
import { allPages, makeEntry, makeNode, makeRef, makeTake } from '../../../testing/store-samples.ts';
import { memoryStore } from '../../memory-store.ts';
import type { Store } from '../../store.ts';
import { fileStore } from '../file-store.ts';
import { createTestDisk } from '../test-disk.ts';

/** Long enough that a batch is worth a snapshot. */
const FILLER = 'word '.repeat(700);
const BATCH = 80;
const SNAPSHOT = '/f/projects/default/index/snapshot';

const steps = fc.array(
  fc.record({
    do: fc.constantFrom('append', 'append', 'again', 'reopen', 'kill', 'damage', 'tear', 'remove', 'fill', 'compare'),
    pick: fc.nat(),
  }),
  { minLength: 3, maxLength: 14 },
);

async function everything(store: Store, nodes: readonly NodeRecord[]) {
  const ids = nodes.map(({ id }) => id);
  return {
    scanned: (await allPages((page) => store.scan(page), 50)).map(({ id }) => id).sort(),
    nodes: await store.nodes(ids),
    paths: await Promise.all(ids.map(async (id) => (await store.path(id)).length)),
    children: await Promise.all(
      [ROOT, ...ids].map(async (id) => (await store.children(id)).items.map((one) => one.id)),
    ),
    counts: await store.childCounts(ids),
    echoes: await Promise.all(nodes.map(async ({ echo, lead }) => (await store.byEcho([echo], lead))?.node.id)),
    like: await store.idsLike(ids[0]?.slice(0, 1) ?? '', 1000),
    bodies: (await store.bodies(nodes.map(({ body }) => body))).map((text) => text?.length),
    takes: (await store.takes(ids)).map(({ id }) => id),
    refs: await allPages((page) => store.refs({ on: 'thread', ...page }), 30),
    entries: await allPages((page) => store.entries('event', page), 30),
    missing: await store.nodes(['f'.repeat(40)]),
  };
}

describe('an index of which only a part is in memory', () => {
  test.each([0, 40, 200])(
    'answers as a store in memory, saved, damaged, torn or removed at any time, with %i kB',
    async (kilobytes) => {
      await fc.assert(
        fc.asyncProperty(steps, async (list) => {
          const disk = createTestDisk();
          const open = () => fileStore('/f', { files: disk.files(), indexMemory: kilobytes * 1024 });
          const model = memoryStore();
          const nodes: NodeRecord[] = [];
          let store = await open();
          const write = async (records: readonly StoreRecord[]) => {
            await model.append(records);
            await store.append(records);
          };
          const makeBatch = (seed: number): StoreRecord[] => {
            const records: StoreRecord[] = [];
            for (let index = 0; index < BATCH; index++) {
              const parent = nodes[(seed * 31 + index * 7) % (nodes.length + 1)];
              const text = `${seed % 5} ${index} ${FILLER}`;
              const { node, body } = makeNode(text, { at: (seed + index) % 97, ...(parent && { parent }) });
              if (!nodes.some(({ id }) => id === node.id)) nodes.push(node);
              records.push(body, node, makeTake(node, index % 3));
            }
            const clock = String(seed).padStart(12, '0');
            return [
              ...records,
              makeRef(`t${seed % 3}`, 'head', nodes.at(-1)!.id, clock),
              makeEntry(`e${seed % 4}`, { clock }),
            ];
          };
          const change = (how: (bytes: Buffer) => Buffer) => {
            if (disk.contents().has(SNAPSHOT)) disk.damage(SNAPSHOT, how);
          };
          for (const { do: what, pick } of list) {
            if (what === 'append') await write(makeBatch(pick));
            // The same nodes with an earlier time.
            else if (what === 'again')
              await write(nodes.slice(pick % 50, 90).map((node) => ({ ...node, at: node.at - 1 })));
            else if (what === 'reopen' || what === 'kill') {
              if (what === 'reopen') await store.close();
              else disk.kill();
              store = await open();
            } else if (what === 'damage')
              change((bytes) => {
                bytes[pick % bytes.length]! ^= 1 << (pick % 8);
                return bytes;
              });
            else if (what === 'tear') change((bytes) => bytes.subarray(0, pick % bytes.length));
            else if (what === 'remove') await disk.files().remove(SNAPSHOT);
            else if (what === 'fill') {
              // Scratch pages cannot be written, so they stay in memory.
              disk.setSpace(0);
              await store.nodes(nodes.map(({ id }) => id));
              disk.setSpace(Infinity);
            } else expect(await everything(store, nodes)).toEqual(await everything(model, nodes));
          }
          expect(await everything(store, nodes)).toEqual(await everything(model, nodes));
          expect(await store.check()).toEqual([]);
          await store.close();
        }),
        { numRuns: Number(process.env.SKEIN_KILLS ?? 20) },
      );
    },
  );

  test('is saved again after it was found damaged, although nothing was written', async () => {
    const disk = createTestDisk();
    const open = () => fileStore('/f', { files: disk.files(), indexMemory: 0 });
    const store = await open();
    const made = Array.from({ length: 200 }, (_, index) => makeNode(`${index} ${FILLER}`));
    await store.append(made.flatMap(({ node, body }) => [body, node]));
    await store.close();
    disk.damage(SNAPSHOT, (bytes) => {
      for (let at = 0; at < 4096 * 4; at++) bytes[at]! ^= 1;
      return bytes;
    });
    const damaged = await open();
    expect((await damaged.nodes(made.map(({ node }) => node.id))).every((node) => node !== undefined)).toBe(true);
    await damaged.close();
    const again = disk.files();
    let read = 0;
    const counting = {
      ...again,
      read: (path: string, start: number, length: number) => {
        if (path.endsWith('.jsonl')) read += length;
        return again.read(path, start, length);
      },
    };
    const opened = await fileStore('/f', { files: counting, indexMemory: 0 });
    expect(read).toBeLessThan(10_000);
    expect((await opened.nodes([made[77]!.node.id]))[0]?.id).toBe(made[77]!.node.id);
    await opened.close();
  });

  test('goes on with the snapshot that it opened when another process replaces it', async () => {
    const disk = createTestDisk();
    const open = () => fileStore('/f', { files: disk.files(), indexMemory: 0 });
    const first = await open();
    const made = Array.from({ length: 300 }, (_, index) => makeNode(`${index} ${FILLER}`));
    await first.append(made.slice(0, 150).flatMap(({ node, body }) => [body, node]));
    await first.close();
    const reader = await open();
    const writer = await open();
    await writer.append(made.slice(150).flatMap(({ node, body }) => [body, node]));
    await writer.close();
    const found = await reader.nodes(made.map(({ node }) => node.id));
    expect(found.map((node) => node?.id)).toEqual(made.map(({ node }) => node.id));
    await reader.close();
  });
});
