import type { NodeRecord } from '../model/index.ts';
import type { Store } from '../store/index.ts';
import type { Context } from './context.ts';
import { everyItem, everyPage } from './pages.ts';
import { placeBelow } from './place.ts';
import { rehang } from './rehang.ts';
import { followRedirects } from './resolve.ts';

/**
 * What another process appended to a node while it was being moved hangs below the old id, where nobody looks: it is
 * hung where that node is now. `olds` are nodes that may have been moved.
 */
export async function settleBelow(context: Context, olds: readonly string[]): Promise<Map<string, string>> {
  const { store } = context;
  const moved = new Map<string, string>();
  const now = await followRedirects(store, olds);
  const parents = olds.filter((id) => now.get(id) !== id);
  const counts = await store.childCounts(parents);
  for (const [index, parent] of parents.entries()) {
    if (counts[index] === 0) continue;
    const tops = await leftBehind(store, parent);
    const target = now.get(parent)!;
    // A target that was forgotten for good has nothing below it.
    if (tops.length === 0 || !(await store.nodes([target]))[0]) continue;
    const onto = await placeBelow(store, target);
    for (const [old, id] of (await rehang(context, { tops, onto, via: 'graft' })).moved) moved.set(old, id);
  }
  return moved;
}

/** The same for every node that was ever moved. */
export async function settleAll(context: Context): Promise<Map<string, string>> {
  const moved = new Map<string, string>();
  for await (const refs of everyPage((page) => context.store.refs({ on: 'node', names: ['moved'], ...page }))) {
    const olds = refs.filter(({ value }) => typeof value === 'string').map(({ key }) => key);
    for (const [old, id] of await settleBelow(context, olds)) moved.set(old, id);
  }
  return moved;
}

/** Children that stayed when their parent was moved. */
async function leftBehind(store: Store, parent: string): Promise<NodeRecord[]> {
  const left: NodeRecord[] = [];
  for await (const child of everyItem((page) => store.children(parent, page))) left.push(child);
  const ids = left.map(({ id }) => id);
  const { items } = await store.refs({ on: 'node', keys: ids, names: ['moved'], limit: ids.length + 1 });
  const gone = new Set(items.filter(({ value }) => typeof value === 'string').map(({ key }) => key));
  return left.filter(({ id }) => !gone.has(id));
}
