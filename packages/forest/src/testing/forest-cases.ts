import { assistant, user } from '@skein/core';
import { createForest } from '../forest/index.ts';
import { ROOT } from '../model/index.ts';
import type { Store } from '../store/index.ts';
import { same } from './check.ts';

const textsOf = (path: readonly { readonly message: { readonly text: string } }[]) =>
  path.map(({ message }) => message.text);

/** A forest on the store: it calls the methods in its own way, also on a class with private fields. */
export const forestCases: Readonly<Record<string, (store: Store) => Promise<void>>> = {
  'a forest on it writes, reads, changes and checks': async (store) => {
    const forest = createForest(store);
    const head = await forest.append(ROOT, [user('Hello'), assistant('Hi')]);
    same(textsOf(await forest.path(head)), ['Hello', 'Hi'], 'path');
    const { items } = await forest.children(ROOT);
    const edited = await forest.edit(items[0]!.id, 'Good morning');
    same((await forest.node(edited)).message.text, 'Good morning', 'edited');
    await forest.bookmarks.add(head, 'here');
    same((await forest.bookmarks.list()).items.length, 1, 'bookmarks');
    same((await forest.search('morning')).items.length, 1, 'hits');
    same(await forest.fsck(), [], 'problems');
  },

  'children that were made within one millisecond are listed in the order they were made in': async (store) => {
    const forest = createForest(store, { now: () => 1_800_000_000_000 });
    const parent = await forest.append(ROOT, [user('Count')]);
    const words = Array.from({ length: 20 }, (_, index) => `answer ${index}`);
    for (const word of words) await forest.append(parent, [assistant(word)]);
    same(textsOf((await forest.children(parent)).items), words, 'children');
  },
};

/** Two forests on the same data, as of two processes. */
export const sharedForestCases: Readonly<Record<string, (store: Store, again: () => Promise<Store>) => Promise<void>>> =
  {
    'a forest on it goes on from what another wrote': async (store, again) => {
      const [one, other] = [createForest(store), createForest(await again())];
      const head = await one.append(ROOT, [user('Hello')]);
      const next = await other.append(head, [assistant('Hi')]);
      same(textsOf(await one.path(next)), ['Hello', 'Hi'], 'path');
    },
  };
