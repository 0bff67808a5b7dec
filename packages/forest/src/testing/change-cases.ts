import type { Store } from '../store/index.ts';
import { check, same } from './check.ts';
import { makeEntry, makeNode, makePath, makeRef, makeTake, recordsOf } from './store-samples.ts';

const SOON_MS = 5_000;

/** Learning of what was written, and keeping the store in order. */
export const changeCases: Readonly<Record<string, (store: Store) => Promise<void>>> = {
  'changes are told once, in order, and only what is new': async (store) => {
    await store.append(recordsOf(makePath(['before'])));
    const start = await store.changes();
    same([start.items, start.reset], [[], false], 'without a place to start from');
    const { node, body } = makeNode('Hello');
    const take = makeTake(node, 1);
    await store.append([body, node, take, makeRef('t', 'title', 'a', 'c2'), makeEntry('e1', { of: 'g7' })]);
    await store.append([makeRef('t', 'title', 'old', 'c1')]);
    const { items, next, reset } = await store.changes(start.next);
    const expected = [
      { kind: 'node', key: node.id },
      { kind: 'take', key: take.id, of: node.id },
      { kind: 'ref', key: 'thread/t/title' },
      { kind: 'event', key: 'e1', of: 'g7' },
    ];
    same([items.filter(({ kind }) => kind !== 'body'), reset], [expected, false], 'changes');
    same((await store.changes(next)).items, [], 'afterwards');
    same((await store.changes(start.next)).items, items, 'the same question again');
  },

  'a place that nobody knows means reading anew': async (store) => {
    for (const after of ['', 'nonsense', '-1', '99999999']) {
      const { reset, next } = await store.changes(after);
      check(reset, `changes(${JSON.stringify(after)}) did not say reset`);
      same((await store.changes(next)).reset, false, 'reset from the new place');
    }
  },

  'a listener hears of a write until it is taken away': async (store) => {
    let calls = 0;
    const heard = new Promise<void>((resolve) => {
      const stop = store.watch(() => {
        calls += 1;
        stop();
        resolve();
      });
    });
    await store.append(recordsOf([makeNode('one')]));
    let timer: ReturnType<typeof setTimeout> | undefined;
    const late = new Promise<void>((_, reject) => {
      timer = setTimeout(() => reject(new Error('the listener was not called')), SOON_MS);
    });
    await Promise.race([heard, late]).finally(() => clearTimeout(timer));
    await store.append(recordsOf([makeNode('two')]));
    await new Promise((resolve) => setTimeout(resolve, 50));
    same(calls, 1, 'calls');
  },

  'its own writer lives, an unknown one does not': async (store) => {
    await store.append(recordsOf([makeNode('one')]));
    check(/^[0-9A-Za-z_-]{1,40}$/.test(store.writer), `${store.writer} cannot be part of a stamp`);
    same([await store.isAlive(store.writer), await store.isAlive('nobody')], [true, false], 'isAlive');
  },

  'a sound store has no problems': async (store) => {
    const path = makePath(['a', 'b']);
    await store.append([...recordsOf(path), makeTake(path[0]!.node, 1), makeRef('t', 'n', 1, 'c'), makeEntry('e')]);
    same([store.problems(), await store.check()], [[], []], 'problems');
  },

  'compacting keeps what it is told, and nothing else': async (store) => {
    const [a, b, c] = makePath(['a', 'b', 'c']);
    const takes = [a!, b!, c!].map(({ node }, at) => makeTake(node, at));
    const refs = [makeRef('t', 'n', 'old', 'c1'), makeRef('t', 'n', 'new', 'c2'), makeRef('u', 'n', 1, 'c3')];
    const entries = [makeEntry('e1'), makeEntry('e2')];
    await store.append([...recordsOf([a!, b!, c!]), ...takes, ...refs, ...entries]);
    await store.search({ words: ['c'] });
    const { next } = await store.changes();
    const gone = new Set<unknown>([c!.node.id, c!.body.digest, takes[2]!.id, 'u', 'e2']);
    const result = await store.compact(
      (record) =>
        ![
          ('id' in record && record.id) || '',
          ('digest' in record && record.digest) || '',
          ('key' in record && record.key) || '',
        ].some((name) => gone.has(name)),
    );
    check(result.kept >= 8 && result.removed >= 5, `kept ${result.kept} and removed ${result.removed}`);
    const ids = [a!, b!, c!].map(({ node }) => node.id);
    same(await store.nodes(ids), [a!.node, b!.node, undefined], 'nodes');
    same((await store.scan()).items, [a!.node, b!.node], 'scan');
    same(await store.childCounts(ids), [1, 0, 0], 'children');
    same(await store.bodies([a!.body.digest, c!.body.digest]), [a!.body.text, undefined], 'bodies');
    same(await store.takes(ids), takes.slice(0, 2), 'takes');
    same((await store.refs({ on: 'thread' })).items, [refs[1]], 'refs');
    same((await store.entries('event')).items, [entries[0]], 'entries');
    same((await store.search({ words: ['c'] })).items, [], 'search');
    check((await store.changes(next)).reset, 'who listened before is not told to read anew');
    await store.append(recordsOf([c!]));
    same(await store.nodes(ids), [a!.node, b!.node, c!.node], 'nodes after writing again');
  },
};
