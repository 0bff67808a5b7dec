import { ROOT } from '../model/ids.ts';
import type { Store } from '../store/index.ts';
import {
  allPages,
  check,
  checkEqual,
  makeEntry,
  makeNode,
  makePath,
  makeRef,
  makeTake,
  toRecords,
} from './store-samples.ts';

/** Nodes, their parents and children. */
export const treeCases: Readonly<Record<string, (store: Store) => Promise<void>>> = {
  'ids are found by how they begin, in order': async (store) => {
    const made = Array.from({ length: 300 }, (_, index) => makeNode(`n${index}`));
    await store.append(toRecords(made));
    const ids = made.map(({ node }) => node.id).sort();
    for (const prefix of [ids[7]!.slice(0, 1), ids[7]!.slice(0, 2), ids[7]!.slice(0, 5), ids[7]!, '']) {
      const expected = ids.filter((id) => id.startsWith(prefix));
      checkEqual(await store.idsLike(prefix, 1000), expected, `ids like ${prefix}`);
      checkEqual(await store.idsLike(prefix, 2), expected.slice(0, 2), `two ids like ${prefix}`);
    }
    checkEqual(await store.idsLike(`${ids[0]}0`, 5), [], 'longer than an id');
  },

  'a path goes from the first message, or behind another node, to the node': async (store) => {
    const path = makePath(['a', 'b', 'c', 'd']);
    const branch = makePath(['x'], path[1]!.node);
    await store.append(toRecords([...path, ...branch]));
    const nodes = path.map(({ node }) => node);
    checkEqual(await store.path(nodes[3]!.id), nodes, 'path');
    checkEqual(await store.path(nodes[3]!.id, nodes[1]!.id), nodes.slice(2), 'path from behind');
    checkEqual(await store.path(nodes[3]!.id, nodes[3]!.id), [], 'path from itself');
    checkEqual(await store.path(branch[0]!.node.id), [...nodes.slice(0, 2), branch[0]!.node], 'other branch');
    checkEqual(
      [await store.path(makeNode('none').node.id), await store.path(ROOT)],
      [[], []],
      'no such node, and the root',
    );
  },

  'children are listed oldest first, equal ones by id, in pages that more children do not disturb': async (store) => {
    const parent = makeNode('p');
    const times = [50, 10, 30, 30, 30, 20, 40];
    const made = times.map((at, index) => makeNode(`c${index}`, { parent: parent.node, at }));
    await store.append(toRecords([parent, ...made]));
    const expected = made.map(({ node }) => node).sort((a, b) => a.at - b.at || (a.id < b.id ? -1 : 1));
    const children = (page: object) => store.children(parent.node.id, page);
    checkEqual((await children({})).items, expected, 'children');
    for (const limit of [1, 2, 3, 7, 8]) checkEqual(await allPages(children, limit), expected, `pages of ${limit}`);
    checkEqual((await store.children(ROOT)).items, [parent.node], 'children of the root');
    checkEqual(await store.childCounts([parent.node.id, ROOT, made[0]!.node.id]), [7, 1, 0], 'counts');

    const first = await children({ limit: 3 });
    await store.append(toRecords([makeNode('earlier', { parent: parent.node, at: 5 })]));
    const rest = await children({ limit: 10, after: first.next! });
    checkEqual([...first.items, ...rest.items], expected, 'pages with a child between them');
  },

  'a cursor of another list is refused': async (store) => {
    const { node, body } = makeNode('word');
    await store.append([body, node, makeRef('t', 'title', 'x', '1'), makeEntry('e1')]);
    const lists: Readonly<Record<string, [wrong: string, list: (after: string) => Promise<unknown>]>> = {
      scan: ['["x"]', (after) => store.scan({ after })],
      children: ['["x",1]', (after) => store.children(ROOT, { after })],
      refs: ['[1,2]', (after) => store.refs({ on: 'thread', after })],
      entries: ['[1,2]', (after) => store.entries('event', { after })],
      search: ['["x","y",1]', (after) => store.search({ words: ['word'], after })],
    };
    for (const [name, [wrong, list]] of Object.entries(lists))
      for (const after of ['', 'x', '{}', '[]', '[null]', '[1,2,3,4]', wrong]) {
        const code = await list(after).then(
          () => 'no error',
          (error: { readonly code?: unknown }) => error.code,
        );
        checkEqual(code, 'store_cursor', `${name} after ${after}`);
      }
  },

  'a scan shows every node once, parents first': async (store) => {
    const trunk = makePath(['a', 'b', 'c']);
    const branches = trunk.flatMap(({ node }) => makePath(['x', 'y', 'z'], node));
    await store.append(toRecords([...trunk, ...branches]));
    for (const limit of [1, 5, 100]) {
      const nodes = await allPages((page) => store.scan(page), limit);
      checkEqual(nodes.map(({ id }) => id).sort(), [...trunk, ...branches].map(({ node }) => node.id).sort(), 'ids');
      const seen = new Set<string>([ROOT]);
      for (const node of nodes) {
        check(seen.has(node.parent), 'a node stands before its parent');
        seen.add(node.id);
      }
    }
  },

  'takes are listed oldest first, equal ones by id': async (store) => {
    const [a, b] = makePath(['a', 'b']);
    const takes = [30, 10, 20, 20].map((at, index) => makeTake(a!.node, at, { cost: index }));
    const other = makeTake(b!.node, 15);
    await store.append([...toRecords([a!, b!]), ...takes, other]);
    const sorted = [...takes, other].sort((x, y) => x.at - y.at || (x.id < y.id ? -1 : 1));
    checkEqual(await store.takes([a!.node.id, b!.node.id]), sorted, 'takes of both');
    checkEqual(await store.takes([b!.node.id]), [other], 'takes of one');
  },

  'a path of 10,000 nodes is a path like any other': async (store) => {
    const path = makePath(Array.from({ length: 10_000 }, (_, index) => `m${index}`));
    await store.append(toRecords(path));
    const found = await store.path(path.at(-1)!.node.id);
    checkEqual(found.length, 10_000, 'length');
    check(
      found.every((node, index) => node.id === path[index]!.node.id && node.body === path[index]!.body.digest),
      'the path has other nodes',
    );
    const ids = path.map(({ node }) => node.id);
    checkEqual(await store.deepest([...ids, makeNode('none').node.id]), 9999, 'deepest');
    const texts = await store.bodies(path.map(({ body }) => body.digest));
    check(
      texts.every((text, index) => text === path[index]!.body.text),
      'the path has other texts',
    );
  },

  '10,000 siblings are children like any others': async (store) => {
    const made = Array.from({ length: 10_000 }, (_, index) => makeNode(`m${index}`, { at: index }));
    await store.append(toRecords(made));
    checkEqual(await store.childCounts([ROOT]), [10_000], 'count');
    const children = await allPages((page) => store.children(ROOT, page), 3000);
    check(
      children.length === 10_000 && children.every(({ id }, index) => id === made[index]!.node.id),
      'not the children in their order',
    );
    checkEqual(await store.deepest([made[7777]!.node.id]), 0, 'deepest');
  },
};

const ECHO = (digit: string) => `1:${digit.repeat(32)}`;

/** Matching a history. */
export const matchCases: Readonly<Record<string, (store: Store) => Promise<void>>> = {
  'the deepest known node of a chain is found': async (store) => {
    const path = makePath(Array.from({ length: 20 }, (_, index) => `m${index}`));
    const ids = path.map(({ node }) => node.id);
    for (let known = 0; known <= path.length; known += 5) {
      await store.append(toRecords(path.slice(0, known)));
      checkEqual(await store.deepest(ids), known - 1, `with ${known} known nodes`);
    }
    checkEqual(await store.deepest([]), -1, 'of an empty chain');
  },

  'the last echo that any node has wins': async (store) => {
    const [a, b, c] = makePath(['a', 'b', 'c']);
    await store.append(toRecords([a!, b!, c!]));
    const { node } = c!;
    checkEqual(await store.byEcho([a!.node.echo, node.echo, ECHO('f')], ROOT), { index: 1, node }, 'last known echo');
    checkEqual(await store.byEcho([b!.node.echo, ECHO('e')], ROOT), { index: 0, node: b!.node }, 'first echo');
    checkEqual([await store.byEcho([ECHO('e')], ROOT), await store.byEcho([], ROOT)], [undefined, undefined], 'none');
  },

  'of several nodes with an echo, one after the same system text is preferred': async (store) => {
    const system = makeNode('be brief', { role: 'system', echo: ECHO('0') }).node;
    const other = makeNode('be long', { role: 'system', echo: ECHO('0') }).node;
    const under = [system, other].map((parent, at) =>
      makeNode('Hi', { parent, lead: parent.id, echo: ECHO('a'), at: 100 + at }),
    );
    const bare = makeNode('Hi', { lead: ROOT, echo: ECHO('a'), at: 50 });
    const systems = ['be brief', 'be long'].map((text) => makeNode(text, { role: 'system', echo: ECHO('0') }));
    await store.append(toRecords([...systems, ...under, bare]));
    const found = async (lead: string) => (await store.byEcho([ECHO('a')], lead))?.node.id;
    checkEqual(await found(system.id), under[0]!.node.id, 'first system text');
    checkEqual(await found(other.id), under[1]!.node.id, 'second system text');
    checkEqual(await found(ROOT), bare.node.id, 'no system text, though the others are deeper');
    checkEqual(
      await found(makeNode('unknown').node.id),
      under[1]!.node.id,
      'another system text: the newest of the deepest',
    );
  },

  'then the deepest, then the newest': async (store) => {
    const first = makeNode('Hi', { echo: ECHO('a'), at: 10 });
    // Reasoning has no echo, so the node after it is deeper and has the same echo.
    const thought = makeNode('hm', { parent: first.node, echo: ECHO('a'), at: 11 });
    const again = makeNode('hmm', { parent: first.node, echo: ECHO('a'), at: 15 });
    const late = makeNode('Hi ', { echo: ECHO('a'), at: 99 });
    await store.append(toRecords([first, late, again, thought]));
    checkEqual(await store.byEcho([ECHO('a')], ROOT), { index: 0, node: again.node }, 'node');
  },
};

const TEXTS = [
  'The quick brown fox jumps over the lazy dog',
  'A quick answer',
  'Foxes are brown',
  'Grüße aus Köln, Straße 12',
  '你好 世界',
  'fox fox fox',
];

async function filled(store: Store): Promise<string[]> {
  const made = TEXTS.map((text, index) =>
    makeNode(text, { at: (index + 1) * 10, role: index % 2 ? 'assistant' : 'user' }),
  );
  await store.append(toRecords(made));
  return made.map(({ node }) => node.id);
}

async function found(store: Store, query: Parameters<Store['search']>[0], ids: readonly string[]) {
  return (await store.search(query)).items.map(({ id }) => ids.indexOf(id)).sort();
}

/** Finding nodes by their words. */
export const searchCases: Readonly<Record<string, (store: Store) => Promise<void>>> = {
  'a node is found when it has all the words; the last may be a beginning': async (store) => {
    const ids = await filled(store);
    const of = (...words: string[]) => found(store, { words }, ids);
    checkEqual(await of('quick'), [0, 1], 'one word');
    checkEqual(await of('quick', 'fox'), [0], 'two words');
    checkEqual(await of('brown', 'fox'), [0, 2], 'the beginning of the last word');
    checkEqual(await of('fox', 'brown'), [0], 'the first word in full');
    checkEqual(await of('QUICK Fo'), [0], 'a phrase in another case');
    checkEqual(await of('quick', 'elephant'), [], 'a word that no text has');
    checkEqual(await of('grusse'.slice(0, 3)), [3], 'without marks');
    checkEqual(await of('köln'), [3], 'with marks');
    checkEqual(await of('你好'), [4], 'another script');
    checkEqual(await of('role'), [], 'not what only the JSON has');
    checkEqual([await of(), await of(''), await of('!?')], [[], [], []], 'no words');
  },

  'a search can be narrowed to roles and a time': async (store) => {
    const ids = await filled(store);
    checkEqual(await found(store, { words: ['fox'], roles: ['user'] }, ids), [0, 2], 'one role');
    checkEqual(await found(store, { words: ['fox'], roles: ['assistant', 'user'] }, ids), [0, 2, 5], 'two roles');
    checkEqual(await found(store, { words: ['fox'], roles: [] }, ids), [], 'no role');
    checkEqual(await found(store, { words: ['fox'], since: 30 }, ids), [2, 5], 'since');
    checkEqual(await found(store, { words: ['fox'], until: 30 }, ids), [0], 'until, which is left out');
    checkEqual(await found(store, { words: ['fox'], since: 30, until: 60 }, ids), [2], 'both');
  },

  'the best come first': async (store) => {
    const ids = await filled(store);
    const { items } = await store.search({ words: ['fox'] });
    check(
      items.every(({ score }, index) => index === 0 || score <= items[index - 1]!.score),
      'the scores do not fall',
    );
    check(ids.indexOf(items[0]!.id) === 5, 'a text of nothing but the word is not the best');
  },

  'of equally good hits the newest comes first, on every page': async (store) => {
    const made = Array.from({ length: 9 }, (_, index) => makeNode(`word number ${index}`));
    await store.append(
      made.flatMap(({ body, node }, index) => [body, { ...node, at: [50, 10, 90, 30, 70, 20, 80, 40, 60][index]! }]),
    );
    const hits = await allPages((page) => store.search({ words: ['word'], ...page }), 4);
    const times = new Map(made.map(({ node }, index) => [node.id, [50, 10, 90, 30, 70, 20, 80, 40, 60][index]]));
    checkEqual(
      hits.map(({ id }) => times.get(id)),
      [90, 80, 70, 60, 50, 40, 30, 20, 10],
      'times',
    );
  },

  'hits are paged without gaps': async (store) => {
    const made = Array.from({ length: 23 }, (_, index) => makeNode(`word ${'more '.repeat(index % 4)}${index}`));
    await store.append(toRecords(made));
    const all = (await store.search({ words: ['word'] })).items;
    checkEqual(all.length, 23, 'number of hits');
    checkEqual(await allPages((page) => store.search({ words: ['word'], ...page }), 4), all, 'pages');
  },

  'a node of a dialect that nobody knows does not keep others from being found': async (store) => {
    const { node, body } = makeNode('a zebra');
    await store.append([body, { ...node, dialect: 'klingon' }, ...toRecords([makeNode('another zebra')])]);
    check((await store.search({ words: ['zebra'] })).items.length >= 1, 'nothing was found');
  },

  'what is written after the first search is found, too': async (store) => {
    await filled(store);
    await store.search({ words: ['fox'] });
    const late = makeNode('a zebra', { role: 'user' });
    await store.append(toRecords([late]));
    checkEqual(
      (await store.search({ words: ['zeb'] })).items.map(({ id }) => id),
      [late.node.id],
      'hits',
    );
  },
};
