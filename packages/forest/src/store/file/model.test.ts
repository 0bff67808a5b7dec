import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ROOT } from '../../model/ids.ts';
import type { NodeRecord, StoreRecord } from '../../model/records.ts';
import { allPages, makeEntry, makeNode, makePath, makeRef, makeTake, toRecords } from '../../testing/store-samples.ts';
import { memoryStore } from '../memory-store.ts';
import type { Store } from '../store.ts';
import { fileStore } from './file-store.ts';
import { createTestDisk } from './test-disk.ts';

/** What a step does: `pick` chooses among what is there. */
const step = fc.oneof(
  { weight: 6, arbitrary: fc.record({ do: fc.constant('node'), by: fc.nat(2), pick: fc.nat(), text: fc.nat(30) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('take'), by: fc.nat(2), pick: fc.nat(), text: fc.nat(9) }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('ref'), by: fc.nat(2), pick: fc.nat(3), text: fc.nat(50) }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('entry'), by: fc.nat(2), pick: fc.nat(5), text: fc.nat(50) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('reopen'), by: fc.nat(2), pick: fc.nat(1), text: fc.nat(1) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('compare'), by: fc.nat(2), pick: fc.nat(), text: fc.nat(1) }) },
);

async function everything(store: Store, ids: readonly string[]) {
  const nodes = await allPages((page) => store.scan(page), 7);
  const sorted = nodes.sort((a, b) => (a.id < b.id ? -1 : 1));
  return {
    nodes: sorted,
    byId: await store.nodes(ids),
    paths: await Promise.all(ids.map(async (id) => (await store.path(id)).map((node) => node.id))),
    children: await Promise.all(
      [ROOT, ...ids].map(async (id) => (await store.children(id)).items.map((node) => node.id)),
    ),
    counts: await store.childCounts(ids),
    echoes: await Promise.all(sorted.map(({ echo, lead }) => store.byEcho([echo], lead))),
    bodies: await store.bodies(sorted.map(({ body }) => body)),
    takes: await store.takes(ids),
    refs: await allPages((page) => store.refs({ on: 'thread', ...page }), 3),
    entries: await allPages((page) => store.entries('event', page), 3),
    hits: (await store.search({ words: ['n1'], limit: 1000 })).items.map(({ id }) => id).sort(),
  };
}

describe('several stores on one folder', () => {
  test('are one forest, whatever is written by whom, in any order, with any clock, reopened at any point', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 40 }), async (steps) => {
        const disk = createTestDisk();
        const model = memoryStore();
        const stores = await Promise.all([0, 1, 2].map(() => fileStore('/f', { files: disk.files() })));
        const nodes: NodeRecord[] = [];
        const write = async (by: number, records: readonly StoreRecord[]) => {
          await model.append(records);
          await stores[by]!.append(records);
        };
        for (const { do: what, by, pick, text } of steps) {
          if (what === 'node') {
            const parent = nodes[pick % (nodes.length + 1)];
            // A clock that jumps to and fro.
            const { node, body } = makeNode(`n${text}`, { at: (text * 7919) % 1000, ...(parent && { parent }) });
            await write(by, [body, node]);
            if (!nodes.some(({ id }) => id === node.id)) nodes.push(node);
          } else if (what === 'take' && nodes.length > 0) {
            await write(by, [makeTake(nodes[pick % nodes.length]!, text)]);
          } else if (what === 'ref') {
            const clock = `${String(text).padStart(3, '0')}.${by}`;
            await write(by, [makeRef(`k${pick}`, `n${text % 2}`, text % 5 === 0 ? null : text, clock)]);
          } else if (what === 'entry') {
            const clock = `${String(text).padStart(3, '0')}.${by}`;
            await write(by, [
              makeEntry(`e${pick}`, { of: `g${text % 2}`, order: String(text % 7), clock, data: { text } }),
            ]);
          } else if (what === 'reopen') {
            if (pick === 0) await stores[by]!.close();
            stores[by] = await fileStore('/f', { files: disk.files() });
          } else if (what === 'compare') await compare(stores[by]!);
        }
        for (const store of stores) await compare(store);

        async function compare(store: Store) {
          await store.changes();
          const ids = nodes.map(({ id }) => id);
          expect(await everything(store, ids)).toEqual(await everything(model, ids));
          expect(await store.check()).toEqual([]);
        }
      }),
      { numRuns: Number(process.env.SKEIN_KILLS ?? 20) * 3 },
    );
  });

  test('a scan lists parents first, although the segment of a child is read before that of its parent', async () => {
    const disk = createTestDisk();
    const stores = await Promise.all([0, 1].map(() => fileStore('/f', { files: disk.files() })));
    const made = makePath(['a', 'b', 'c', 'd', 'e', 'f']);
    // Each node in another segment than its parent: whichever is read first, it has children of the other.
    for (const [index, one] of made.entries()) await stores[index % 2]!.append(toRecords([one]));
    const again = await fileStore('/f', { files: disk.files() });
    for (const limit of [1, 4, 100]) {
      const ids = (await allPages((page) => again.scan(page), limit)).map(({ id }) => id);
      expect(ids).toEqual(made.map(({ node }) => node.id));
    }
    for (const store of [...stores, again]) await store.close();
  });
});
