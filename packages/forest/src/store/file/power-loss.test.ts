import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { NodeRecord } from '../../model/records.ts';
import { makeEntry, makeNode, makeRef, makeTake, toRecords } from '../../testing/store-samples.ts';
import type { Store } from '../store.ts';
import { fileStore } from './file-store.ts';
import { createTestDisk, type TestDisk } from './test-disk.ts';

/** `npm run torture` asks for more. */
const TIMES = Number(process.env.SKEIN_KILLS ?? 20);

interface Batch {
  readonly node: NodeRecord;
  readonly records: Parameters<Store['append']>[0];
  isAcknowledged: boolean;
}

interface Plan {
  readonly seed: number;
  readonly writers: number;
  readonly batches: number;
  readonly failAt: number;
}

/** Numbers that are the same in every run with the same seed. */
function createRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

let names = 0;

/**
 * Writers append side by side, each below any node that any of them has written, until the power goes. Then what is
 * left is read by a store that has seen nothing.
 */
async function losePower(disk: TestDisk, { seed, writers, batches, failAt }: Plan): Promise<string[]> {
  const random = createRandom(seed);
  const written: Batch[] = [];
  disk.failAt(disk.calls() + failAt);
  const work = async () => {
    const store = await fileStore('/forest', { files: disk.files() });
    const pending: Promise<void>[] = [];
    for (let count = 0; count < batches; count++) {
      const known = written.filter(({ isAcknowledged }) => isAcknowledged || random() < 0.3);
      const parent = known[Math.floor(random() * known.length)]?.node;
      // What nobody has acknowledged is known only when a reader has seen it.
      const isSeen = parent && (await store.nodes([parent.id]))[0];
      const again = random() < 0.2 ? written[Math.floor(random() * written.length)] : undefined;
      const batch = again ?? makeBatch(`m${names++}`, isSeen);
      if (!again) written.push(batch);
      const done = store.append(batch.records).then(() => {
        batch.isAcknowledged = true;
      });
      pending.push(done);
      done.catch(() => undefined);
      if (random() < 0.5) await done;
    }
    await Promise.all(pending);
    if (random() < 0.5) await store.close();
  };
  await Promise.allSettled(Array.from({ length: writers }, work));
  disk.restart(random);
  return faultsAfter(disk, written);
}

function makeBatch(text: string, parent?: NodeRecord): Batch {
  const made = makeNode(text, parent ? { parent } : {});
  const records = [
    ...toRecords([made]),
    makeTake(made.node, 1),
    makeRef(text, 'head', made.node.id, '1'),
    makeEntry(text, { of: made.node.id }),
  ];
  return { node: made.node, records, isAcknowledged: false };
}

async function faultsAfter(disk: TestDisk, written: readonly Batch[]): Promise<string[]> {
  const store = await fileStore('/forest', { files: disk.files() });
  const faults: string[] = [];
  for (const { node, isAcknowledged } of written) {
    const text = (await store.bodies([node.body]))[0];
    const there = [
      (await store.nodes([node.id]))[0],
      text,
      (await store.takes([node.id]))[0],
      (await store.refs({ on: 'thread' })).items.find(({ value }) => value === node.id),
      (await store.entries('event', { of: node.id })).items[0],
    ];
    const count = there.filter((one) => one !== undefined).length;
    if (isAcknowledged && count < there.length) faults.push(`${node.id}: acknowledged, and ${count} of 5 are there`);
    if (count > 0 && count < there.length) faults.push(`${node.id}: ${count} of 5 are there`);
    if (isAcknowledged && (await store.path(node.id)).length !== node.depth) faults.push(`${node.id}: no whole path`);
  }
  for (const { code, where } of await store.check())
    if (code !== 'torn-line' && code !== 'damaged-record') faults.push(`${code} ${where}`);
  await store.close();
  return faults;
}

const plans = fc.record({
  seed: fc.nat(),
  writers: fc.integer({ min: 1, max: 3 }),
  batches: fc.integer({ min: 1, max: 8 }),
  failAt: fc.integer({ min: 1, max: 250 }),
});

describe('a loss of power at any call', () => {
  test('takes nothing that was acknowledged, and leaves no part of a batch', async () => {
    await fc.assert(
      fc.asyncProperty(plans, async (plan) => {
        expect(await losePower(createTestDisk(), plan)).toEqual([]);
      }),
      { numRuns: TIMES * 15 },
    );
  });

  test('can be survived again and again in the same folder', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(plans, { minLength: 2, maxLength: 4 }), async (list) => {
        const disk = createTestDisk();
        for (const plan of list) expect(await losePower(disk, plan)).toEqual([]);
      }),
      { numRuns: TIMES * 2 },
    );
  });

  test.each(['files', 'folders'] as const)('would be noticed if %s were not flushed', async (kind) => {
    let faults = 0;
    for (let seed = 0; seed < 60; seed++) {
      const disk = createTestDisk();
      disk.breakSync(kind);
      faults += (await losePower(disk, { seed, writers: 2, batches: 6, failAt: 40 + seed * 2 })).length;
    }
    expect(faults).toBeGreaterThan(0);
  });
});
