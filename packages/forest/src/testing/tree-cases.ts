import { ROOT } from '../model/index.ts';
import type { Store } from '../store/index.ts';
import { check, same } from './check.ts';
import { allPages, makeNode, makePath, makeTake, recordsOf } from './store-samples.ts';

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
