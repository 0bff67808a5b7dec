import type { Store } from '../store/index.ts';
import { allPages, check, makeNode, recordsOf, same } from './store-samples.ts';

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
  await store.append(recordsOf(made));
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
    same(await of('quick'), [0, 1], 'one word');
    same(await of('quick', 'fox'), [0], 'two words');
    same(await of('brown', 'fox'), [0, 2], 'the beginning of the last word');
    same(await of('fox', 'brown'), [0], 'the first word in full');
    same(await of('QUICK Fo'), [0], 'a phrase in another case');
    same(await of('quick', 'elephant'), [], 'a word that no text has');
    same(await of('grusse'.slice(0, 3)), [3], 'without marks');
    same(await of('köln'), [3], 'with marks');
    same(await of('你好'), [4], 'another script');
    same(await of('role'), [], 'not what only the JSON has');
    same([await of(), await of(''), await of('!?')], [[], [], []], 'no words');
  },

  'a search can be narrowed to roles and a time': async (store) => {
    const ids = await filled(store);
    same(await found(store, { words: ['fox'], roles: ['user'] }, ids), [0, 2], 'one role');
    same(await found(store, { words: ['fox'], roles: ['assistant', 'user'] }, ids), [0, 2, 5], 'two roles');
    same(await found(store, { words: ['fox'], roles: [] }, ids), [], 'no role');
    same(await found(store, { words: ['fox'], since: 30 }, ids), [2, 5], 'since');
    same(await found(store, { words: ['fox'], until: 30 }, ids), [0], 'until, which is left out');
    same(await found(store, { words: ['fox'], since: 30, until: 60 }, ids), [2], 'both');
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

  'hits are paged without gaps': async (store) => {
    const made = Array.from({ length: 23 }, (_, index) => makeNode(`word ${'more '.repeat(index % 4)}${index}`));
    await store.append(recordsOf(made));
    const all = (await store.search({ words: ['word'] })).items;
    same(all.length, 23, 'number of hits');
    same(await allPages((page) => store.search({ words: ['word'], ...page }), 4), all, 'pages');
  },

  'a node of a dialect that nobody knows does not keep others from being found': async (store) => {
    const { node, body } = makeNode('a zebra');
    await store.append([body, { ...node, dialect: 'klingon' }, ...recordsOf([makeNode('another zebra')])]);
    check((await store.search({ words: ['zebra'] })).items.length >= 1, 'nothing was found');
  },

  'what is written after the first search is found, too': async (store) => {
    await filled(store);
    await store.search({ words: ['fox'] });
    const late = makeNode('a zebra', { role: 'user' });
    await store.append(recordsOf([late]));
    same(
      (await store.search({ words: ['zeb'] })).items.map(({ id }) => id),
      [late.node.id],
      'hits',
    );
  },
};
