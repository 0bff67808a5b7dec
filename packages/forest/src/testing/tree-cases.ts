import { ROOT } from '../model/index.ts';
import type { Store } from '../store/index.ts';
import { allPages, check, makeNode, makePath, makeTake, recordsOf, same } from './store-samples.ts';

/** Nodes and how they hang together. */
export const treeCases: Readonly<Record<string, (store: Store) => Promise<void>>> = {
  'ids are found by how they begin, in order': async (store) => {
    const made = Array.from({ length: 300 }, (_, index) => makeNode(`n${index}`));
    await store.append(recordsOf(made));
    const ids = made.map(({ node }) => node.id).sort();
    for (const prefix of [ids[7]!.slice(0, 1), ids[7]!.slice(0, 2), ids[7]!.slice(0, 5), ids[7]!, '']) {
      const expected = ids.filter((id) => id.startsWith(prefix));
      same(await store.idsLike(prefix, 1000), expected, `ids like ${prefix}`);
      same(await store.idsLike(prefix, 2), expected.slice(0, 2), `two ids like ${prefix}`);
    }
    same(await store.idsLike(`${ids[0]}0`, 5), [], 'longer than an id');
  },

  'a path goes from the first message, or behind another node, to the node': async (store) => {
    const path = makePath(['a', 'b', 'c', 'd']);
    const branch = makePath(['x'], path[1]!.node);
    await store.append(recordsOf([...path, ...branch]));
    const nodes = path.map(({ node }) => node);
    same(await store.path(nodes[3]!.id), nodes, 'path');
    same(await store.path(nodes[3]!.id, nodes[1]!.id), nodes.slice(2), 'path from behind');
    same(await store.path(nodes[3]!.id, nodes[3]!.id), [], 'path from itself');
    same(await store.path(branch[0]!.node.id), [...nodes.slice(0, 2), branch[0]!.node], 'other branch');
    same([await store.path(makeNode('none').node.id), await store.path(ROOT)], [[], []], 'no such node, and the root');
  },

  'children are listed oldest first, equal ones by id, in pages that more children do not disturb': async (store) => {
    const parent = makeNode('p');
    const times = [50, 10, 30, 30, 30, 20, 40];
    const made = times.map((at, index) => makeNode(`c${index}`, { parent: parent.node, at }));
    await store.append(recordsOf([parent, ...made]));
    const expected = made.map(({ node }) => node).sort((a, b) => a.at - b.at || (a.id < b.id ? -1 : 1));
    const children = (page: object) => store.children(parent.node.id, page);
    same((await children({})).items, expected, 'children');
    for (const limit of [1, 2, 3, 7, 8]) same(await allPages(children, limit), expected, `pages of ${limit}`);
    same((await store.children(ROOT)).items, [parent.node], 'children of the root');
    same(await store.childCounts([parent.node.id, ROOT, made[0]!.node.id]), [7, 1, 0], 'counts');

    const first = await children({ limit: 3 });
    await store.append(recordsOf([makeNode('earlier', { parent: parent.node, at: 5 })]));
    const rest = await children({ limit: 10, after: first.next! });
    same([...first.items, ...rest.items], expected, 'pages with a child between them');
  },

  'a scan shows every node once, parents first': async (store) => {
    const trunk = makePath(['a', 'b', 'c']);
    const branches = trunk.flatMap(({ node }) => makePath(['x', 'y', 'z'], node));
    await store.append(recordsOf([...trunk, ...branches]));
    for (const limit of [1, 5, 100]) {
      const nodes = await allPages((page) => store.scan(page), limit);
      same(nodes.map(({ id }) => id).sort(), [...trunk, ...branches].map(({ node }) => node.id).sort(), 'ids');
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
    await store.append([...recordsOf([a!, b!]), ...takes, other]);
    const sorted = [...takes, other].sort((x, y) => x.at - y.at || (x.id < y.id ? -1 : 1));
    same(await store.takes([a!.node.id, b!.node.id]), sorted, 'takes of both');
    same(await store.takes([b!.node.id]), [other], 'takes of one');
  },

  'a path of 10,000 nodes is a path like any other': async (store) => {
    const path = makePath(Array.from({ length: 10_000 }, (_, index) => `m${index}`));
    await store.append(recordsOf(path));
    const found = await store.path(path.at(-1)!.node.id);
    same(found.length, 10_000, 'length');
    check(
      found.every((node, index) => node.id === path[index]!.node.id && node.body === path[index]!.body.digest),
      'the path has other nodes',
    );
    const ids = path.map(({ node }) => node.id);
    same(await store.deepest([...ids, makeNode('none').node.id]), 9999, 'deepest');
    const texts = await store.bodies(path.map(({ body }) => body.digest));
    check(
      texts.every((text, index) => text === path[index]!.body.text),
      'the path has other texts',
    );
  },

  '10,000 siblings are children like any others': async (store) => {
    const made = Array.from({ length: 10_000 }, (_, index) => makeNode(`m${index}`, { at: index }));
    await store.append(recordsOf(made));
    same(await store.childCounts([ROOT]), [10_000], 'count');
    const children = await allPages((page) => store.children(ROOT, page), 3000);
    check(
      children.length === 10_000 && children.every(({ id }, index) => id === made[index]!.node.id),
      'not the children in their order',
    );
    same(await store.deepest([made[7777]!.node.id]), 0, 'deepest');
  },
};

const ECHO = (digit: string) => `1:${digit.repeat(32)}`;

/** Finding the place of a history. */
export const matchCases: Readonly<Record<string, (store: Store) => Promise<void>>> = {
  'the deepest known node of a chain is found': async (store) => {
    const path = makePath(Array.from({ length: 20 }, (_, index) => `m${index}`));
    const ids = path.map(({ node }) => node.id);
    for (let known = 0; known <= path.length; known += 5) {
      await store.append(recordsOf(path.slice(0, known)));
      same(await store.deepest(ids), known - 1, `with ${known} known nodes`);
    }
    same(await store.deepest([]), -1, 'of an empty chain');
  },

  'the last echo that any node has wins': async (store) => {
    const [a, b, c] = makePath(['a', 'b', 'c']);
    await store.append(recordsOf([a!, b!, c!]));
    const { node } = c!;
    same(await store.byEcho([a!.node.echo, node.echo, ECHO('f')], ROOT), { index: 1, node }, 'last known echo');
    same(await store.byEcho([b!.node.echo, ECHO('e')], ROOT), { index: 0, node: b!.node }, 'first echo');
    same([await store.byEcho([ECHO('e')], ROOT), await store.byEcho([], ROOT)], [undefined, undefined], 'none');
  },

  'of several nodes with an echo, one after the same system text is preferred': async (store) => {
    const system = makeNode('be brief', { role: 'system', echo: ECHO('0') }).node;
    const other = makeNode('be long', { role: 'system', echo: ECHO('0') }).node;
    const under = [system, other].map((parent, at) =>
      makeNode('Hi', { parent, lead: parent.id, echo: ECHO('a'), at: 100 + at }),
    );
    const bare = makeNode('Hi', { lead: ROOT, echo: ECHO('a'), at: 50 });
    const systems = ['be brief', 'be long'].map((text) => makeNode(text, { role: 'system', echo: ECHO('0') }));
    await store.append(recordsOf([...systems, ...under, bare]));
    const found = async (lead: string) => (await store.byEcho([ECHO('a')], lead))?.node.id;
    same(await found(system.id), under[0]!.node.id, 'first system text');
    same(await found(other.id), under[1]!.node.id, 'second system text');
    same(await found(ROOT), bare.node.id, 'no system text, though the others are deeper');
    same(await found(makeNode('unknown').node.id), under[1]!.node.id, 'another system text: the newest of the deepest');
  },

  'then the deepest, then the newest': async (store) => {
    const first = makeNode('Hi', { echo: ECHO('a'), at: 10 });
    // Thoughts leave no echo: the node behind them stands deeper with the same one.
    const thought = makeNode('hm', { parent: first.node, echo: ECHO('a'), at: 11 });
    const again = makeNode('hmm', { parent: first.node, echo: ECHO('a'), at: 15 });
    const late = makeNode('Hi ', { echo: ECHO('a'), at: 99 });
    await store.append(recordsOf([first, late, again, thought]));
    same(await store.byEcho([ECHO('a')], ROOT), { index: 0, node: again.node }, 'node');
  },
};
