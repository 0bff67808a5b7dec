import { ROOT } from '../model/index.ts';
import type { Store } from '../store/index.ts';
import { same } from './check.ts';
import { makeNode, makePath, recordsOf } from './store-samples.ts';

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
