import { type EntryRecord, type RefRecord, ROOT, type Store, type StoreRecord } from '@skein/forest/store';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { allPages, makeEntry, makeNode, makeRef, makeTake, type SampleNode } from '../../src/testing/store-samples.ts';
import { useDatabase } from './use-database.ts';

const used = useDatabase();
const WRITERS = 3;

/** What one append holds; small names, so that writers often mean the same thing. */
const step = fc.record({
  writer: fc.nat(WRITERS - 1),
  nodes: fc.array(fc.record({ under: fc.nat(20), text: fc.nat(3) }), { maxLength: 4 }),
  refs: fc.array(fc.record({ key: fc.nat(2), name: fc.nat(1), clock: fc.nat(50), isSet: fc.boolean() }), {
    maxLength: 3,
  }),
  entries: fc.array(fc.record({ id: fc.nat(3), clock: fc.nat(50), order: fc.nat(5) }), { maxLength: 3 }),
});

/** Everything that may be there at the end, by the simplest rules. */
function createModel() {
  const made: SampleNode[] = [];
  const refs = new Map<string, RefRecord>();
  const entries = new Map<string, EntryRecord>();
  const later = <T extends { clock: string }>(map: Map<string, T>, key: string, record: T) => {
    const there = map.get(key);
    if (!there || there.clock < record.clock) map.set(key, record);
  };
  return {
    made,
    refs,
    entries,
    recordsOf(given: typeof step extends fc.Arbitrary<infer T> ? T : never): StoreRecord[] {
      const records: StoreRecord[] = [];
      for (const { under, text } of given.nodes) {
        const parent = made[under]?.node;
        const one = makeNode(`text ${text}`, parent ? { parent } : {});
        // A batch holds all that its nodes need, as the contract asks.
        for (let at: SampleNode | undefined = one; at; at = made.find(({ node }) => node.id === at?.node.parent))
          records.unshift(at.body, at.node);
        records.push(makeTake(one.node, text));
        if (!made.some(({ node }) => node.id === one.node.id)) made.push(one);
      }
      for (const { key, name, clock, isSet } of given.refs) {
        const stamp = String(clock).padStart(3, '0');
        // One clock never stands for two values: the writer is part of a stamp.
        const ref = makeRef(`k${key}`, `n${name}`, isSet ? `${stamp}` : null, `${stamp}.${isSet}`);
        later(refs, `${ref.key}/${ref.name}`, ref);
        records.push(ref);
      }
      for (const { id, clock, order } of given.entries) {
        const stamp = String(clock).padStart(3, '0');
        const entry = makeEntry(`e${id}`, { clock: `${stamp}.${order}`, order: String(order), data: { stamp } });
        later(entries, entry.id, entry);
        records.push(entry);
      }
      return records;
    },
  };
}

const sorted = <T>(items: readonly T[]) => items.map((item) => JSON.stringify(sortKeys(item))).sort();
const sortKeys = (item: unknown) =>
  Object.fromEntries(Object.entries(item as object).sort(([a], [b]) => (a < b ? -1 : 1)));

test('writers at the same time come to what the simple model says, and a reader learns of every node once', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 25 }), async (steps) => {
      const project = used.newProject();
      const stores: Store[] = [];
      for (let at = 0; at < WRITERS; at++) stores.push(await used.open(project));
      const model = createModel();
      const work = steps.map((given) => ({ writer: given.writer, records: model.recordsOf(given) }));

      const learned: string[] = [];
      let { next } = await stores[0]!.changes();
      const learn = async () => {
        const { items, reset, next: then } = await stores[0]!.changes(next);
        expect(reset).toBe(false);
        learned.push(...items.flatMap(({ kind, key }) => (kind === 'node' ? [key] : [])));
        next = then;
      };
      let writing = true;
      const reading = (async () => {
        while (writing) await learn();
      })();
      await Promise.all(work.map(({ writer, records }) => stores[writer]!.append(records)));
      writing = false;
      await reading;
      await learn();

      const [store] = stores;
      const nodes = await allPages((page) => store!.scan(page), 7);
      expect(sorted(nodes)).toEqual(sorted(model.made.map(({ node }) => node)));
      expect([...learned].sort()).toEqual(model.made.map(({ node }) => node.id).sort());
      const seen = new Set([ROOT]);
      for (const { id, parent } of nodes) expect(seen.has(parent) && seen.add(id)).toBeTruthy();
      const refs = await allPages((page) => store!.refs({ on: 'thread', ...page }));
      expect(sorted(refs)).toEqual(sorted([...model.refs.values()].filter(({ value }) => value !== null)));
      const entries = await allPages((page) => store!.entries('event', page));
      expect(sorted(entries)).toEqual(sorted([...model.entries.values()]));
      expect(await store!.check()).toEqual([]);
      await Promise.all(stores.map((one) => one.close()));
    }),
    { numRuns: 12 },
  );
});

test('batches with the same records in opposite order do not end in a deadlock', async () => {
  const project = used.newProject();
  const stores = await Promise.all([used.open(project), used.open(project)]);
  for (let round = 0; round < 10; round++) {
    const made = Array.from({ length: 40 }, (_, at) => makeNode(`${round} ${at}`));
    const records = made.flatMap(({ node, body }, at) => [body, node, makeRef(`k${at}`, 'n', 1, `c${round}`)]);
    await Promise.all(stores.map((store, at) => store.append(at === 0 ? records : [...records].reverse())));
  }
  expect(await stores[0]!.childCounts([ROOT])).toEqual([400]);
  const [{ deadlocks } = {}] = await used.database.query(
    'select deadlocks::int from pg_stat_database where datname = current_database()',
  );
  expect(deadlocks).toBe(0);
});
