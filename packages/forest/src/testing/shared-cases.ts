import type { Store } from '../store/index.ts';
import { check, same } from './check.ts';
import { makeEntry, makeNode, makePath, makeRef, makeTake, recordsOf } from './store-samples.ts';

/** Two stores on the same data, as of two processes. */
export const sharedCases: Readonly<Record<string, (store: Store, again: () => Promise<Store>) => Promise<void>>> = {
  'what was written is there after opening again': async (store, again) => {
    const path = makePath(['a', 'b', 'c']);
    const take = makeTake(path[0]!.node, 1);
    const [ref, entry] = [makeRef('t', 'n', 'v', 'c2'), makeEntry('e')];
    await store.append([...recordsOf(path), take, ref, entry]);
    await store.close();
    const other = await again();
    const nodes = path.map(({ node }) => node);
    same(await other.path(nodes[2]!.id), nodes, 'path');
    same(await other.bodies([nodes[1]!.body]), [path[1]!.body.text], 'bodies');
    same(await other.takes([nodes[0]!.id]), [take], 'takes');
    same((await other.refs({ on: 'thread' })).items, [ref], 'refs');
    same(await other.entry('event', 'e'), entry, 'entry');
    same((await other.search({ words: ['b'] })).items.length, 1, 'hits');
    same([other.problems(), await other.check()], [[], []], 'problems');
  },

  'a node that another wrote is there when it is asked for': async (store, again) => {
    const other = await again();
    const path = makePath(['a', 'b', 'c']);
    for (const [index, made] of path.entries()) {
      const [writer, reader] = index % 2 ? [store, other] : [other, store];
      await writer.append(recordsOf([made]));
      same(await reader.nodes([made.node.id]), [made.node], 'node');
      same(await reader.bodies([made.body.digest]), [made.body.text], 'body');
    }
    const ids = path.map(({ node }) => node.id);
    same([await store.deepest(ids), await other.deepest(ids)], [2, 2], 'deepest');
    same((await store.path(ids[2]!)).length, 3, 'path');
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
    await store.append(recordsOf([head!]));
    const mine = makeNode('mine', { parent: head!.node });
    const yours = makeNode('yours', { parent: head!.node });
    await Promise.all([store.append(recordsOf([mine])), other.append(recordsOf([yours]))]);
    await store.nodes([yours.node.id]);
    await other.nodes([mine.node.id]);
    same([await store.childCounts([head!.node.id]), await other.childCounts([head!.node.id])], [[2], [2]], 'children');
    check(store.writer !== other.writer, 'both have the same name');
    same([await store.isAlive(other.writer), await other.isAlive(store.writer)], [true, true], 'isAlive');
  },
};
