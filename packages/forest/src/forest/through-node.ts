import { ROOT } from '../model/index.ts';
import type { Store } from '../store/index.ts';
import { isAtOrBelow } from './below.ts';
import { walkBelow } from './walk.ts';

const SMALL = 1000;

/**
 * Tells of heads whether they stand on one path with a node. The path above the node and, when it is small, the tree
 * below it are read once; only below a node with a large tree each head that is deeper is looked at by itself.
 */
export async function throughNode(
  store: Store,
  node: string,
): Promise<(heads: readonly string[]) => Promise<readonly boolean[]>> {
  if (node === ROOT) return async (heads) => heads.map(() => true);
  const above = new Set((await store.path(node)).map(({ id }) => id)).add(ROOT);
  const tree = await walkBelow(store, { id: node, removed: false }, { limit: SMALL, withRemoved: true });
  const below = new Set(tree.items.map(({ record }) => record.id));
  const [top] = await store.nodes([node]);
  return async (heads) => {
    if (tree.next === undefined) return heads.map((head) => above.has(head) || below.has(head));
    const records = await store.nodes(heads);
    const answers: boolean[] = [];
    for (const [index, head] of heads.entries()) {
      const record = records[index];
      const isKnown = above.has(head) || below.has(head);
      answers.push(isKnown || (record !== undefined && (await isAtOrBelow(store, record, top!))));
    }
    return answers;
  };
}
