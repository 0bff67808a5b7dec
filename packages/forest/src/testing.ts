/** What every store must show, ours and others'. It needs no test runner. */

import { assistant, user } from '@skein/core';
import { createForest } from './forest/index.ts';
import { ROOT } from './model/ids.ts';
import type { Store } from './store/index.ts';
import { changeCases, listCases, recordCases } from './testing/record-cases.ts';
import {
  check,
  checkEqual,
  makeEntry,
  makeNode,
  makePath,
  makeRef,
  makeTake,
  type StoreCase,
  toRecords,
} from './testing/store-samples.ts';
import { matchCases, searchCases, treeCases } from './testing/tree-cases.ts';

export type { StoreCase } from './testing/store-samples.ts';

/** An empty store, and how to open the same data again. */
export interface StoreUnderTest {
  readonly store: Store;
  /** Opens another store on the same data. Absent if the data belongs to one store alone. */
  again?(): Promise<Store>;
  /** Called at the end, after `store` and those of `again` were closed. */
  end?(): Promise<void>;
}

/**
 * The cases that every store has to pass. Run each one in the test runner of your choice.
 *
 * @example
 * for (const { name, run } of storeConformance('mine', async () => ({ store: myStore() }), false)) test(name, run);
 */
export function storeConformance(name: string, open: () => Promise<StoreUnderTest>, shared = true): StoreCase[] {
  const single = {
    ...recordCases,
    ...treeCases,
    ...matchCases,
    ...listCases,
    ...searchCases,
    ...changeCases,
    ...forestCases,
  };
  return Object.entries({ ...single, ...(shared && { ...sharedCases, ...sharedForestCases }) }).map(
    ([title, check]) => ({
      name: `${name}: ${title}`,
      async run() {
        const { store, again, end } = await open();
        const opened = [store];
        try {
          await check(store, async () => {
            if (!again) throw new Error('This store cannot be opened twice: leave the shared cases out');
            const other = await again();
            opened.push(other);
            return other;
          });
        } finally {
          for (const one of opened) await one.close();
          await end?.();
        }
      },
    }),
  );
}

/** Two stores on the same data, as of two processes. */
const sharedCases: Readonly<Record<string, (store: Store, again: () => Promise<Store>) => Promise<void>>> = {
  'what was written is there after opening again': async (store, again) => {
    const path = makePath(['a', 'b', 'c']);
    const take = makeTake(path[0]!.node, 1);
    const [ref, entry] = [makeRef('t', 'n', 'v', 'c2'), makeEntry('e')];
    await store.append([...toRecords(path), take, ref, entry]);
    await store.close();
    const other = await again();
    const nodes = path.map(({ node }) => node);
    checkEqual(await other.path(nodes[2]!.id), nodes, 'path');
    checkEqual(await other.bodies([nodes[1]!.body]), [path[1]!.body.text], 'bodies');
    checkEqual(await other.takes([nodes[0]!.id]), [take], 'takes');
    checkEqual((await other.refs({ on: 'thread' })).items, [ref], 'refs');
    checkEqual(await other.entry('event', 'e'), entry, 'entry');
    checkEqual((await other.search({ words: ['b'] })).items.length, 1, 'hits');
    checkEqual([other.problems(), await other.check()], [[], []], 'problems');
  },

  'a node that another wrote is there when it is asked for': async (store, again) => {
    const other = await again();
    const path = makePath(['a', 'b', 'c']);
    for (const [index, made] of path.entries()) {
      const [writer, reader] = index % 2 ? [store, other] : [other, store];
      await writer.append(toRecords([made]));
      checkEqual(await reader.nodes([made.node.id]), [made.node], 'node');
      checkEqual(await reader.bodies([made.body.digest]), [made.body.text], 'body');
    }
    const ids = path.map(({ node }) => node.id);
    checkEqual([await store.deepest(ids), await other.deepest(ids)], [2, 2], 'deepest');
    checkEqual((await store.path(ids[2]!)).length, 3, 'path');
  },

  'a listener hears of what another wrote, and changes tell it': async (store, again) => {
    const other = await again();
    const { next } = await store.changes();
    const heard = new Promise<boolean>((resolve) => {
      const stop = store.watch(() => {
        stop();
        resolve(true);
      });
      setTimeout(() => resolve(false), 5_000).unref();
    });
    const { node, body } = makeNode('Hello');
    await other.append([body, node]);
    check(await heard, 'the listener was not called');
    const { items, reset } = await store.changes(next);
    check(
      reset || items.some(({ kind, key }) => kind === 'node' && key === node.id),
      'the node is not among the changes',
    );
  },

  'both of two who write to one head are kept, and a living writer is known to live': async (store, again) => {
    const other = await again();
    const [head] = makePath(['head']);
    await store.append(toRecords([head!]));
    const mine = makeNode('mine', { parent: head!.node });
    const yours = makeNode('yours', { parent: head!.node });
    await Promise.all([store.append(toRecords([mine])), other.append(toRecords([yours]))]);
    await store.nodes([yours.node.id]);
    await other.nodes([mine.node.id]);
    checkEqual(
      [await store.childCounts([head!.node.id]), await other.childCounts([head!.node.id])],
      [[2], [2]],
      'children',
    );
    check(store.writer !== other.writer, 'both have the same name');
    checkEqual([await store.isAlive(other.writer), await other.isAlive(store.writer)], [true, true], 'isAlive');
  },
};

const textsOf = (path: readonly { readonly message: { readonly text: string } }[]) =>
  path.map(({ message }) => message.text);

/** A forest on the store; it also works on a class with private fields. */
const forestCases: Readonly<Record<string, (store: Store) => Promise<void>>> = {
  'a forest on it writes, reads, changes and checks': async (store) => {
    const forest = createForest(store);
    const head = await forest.append(ROOT, [user('Hello'), assistant('Hi')]);
    checkEqual(textsOf(await forest.path(head)), ['Hello', 'Hi'], 'path');
    const { items } = await forest.children(ROOT);
    const edited = await forest.edit(items[0]!.id, 'Good morning');
    checkEqual((await forest.node(edited)).message.text, 'Good morning', 'edited');
    await forest.bookmarks.add(head, 'here');
    checkEqual((await forest.bookmarks.list()).items.length, 1, 'bookmarks');
    checkEqual((await forest.search('morning')).items.length, 1, 'hits');
    checkEqual(await forest.fsck(), [], 'problems');
  },

  'children that were made within one millisecond are listed in the order they were made in': async (store) => {
    const forest = createForest(store, { now: () => 1_800_000_000_000 });
    const parent = await forest.append(ROOT, [user('Count')]);
    const words = Array.from({ length: 20 }, (_, index) => `answer ${index}`);
    for (const word of words) await forest.append(parent, [assistant(word)]);
    checkEqual(textsOf((await forest.children(parent)).items), words, 'children');
  },
};

/** Two forests on the same data, as of two processes. */
const sharedForestCases: Readonly<Record<string, (store: Store, again: () => Promise<Store>) => Promise<void>>> = {
  'a forest on it goes on from what another wrote': async (store, again) => {
    const [one, other] = [createForest(store), createForest(await again())];
    const head = await one.append(ROOT, [user('Hello')]);
    const next = await other.append(head, [assistant('Hi')]);
    checkEqual(textsOf(await one.path(next)), ['Hello', 'Hi'], 'path');
  },
};
