import { seeRefs, setRef } from '../forest/context.ts';
import { everyPage } from '../forest/pages.ts';
import { type NodeRecord, type RefRecord, ROOT } from '../model/index.ts';
import type { Landing } from './landing.ts';
import type { RecordedIndex } from './recorded-index.ts';
import type { RecordingForest } from './recorder.ts';
import type { LandingChange } from './write-tree.ts';

/**
 * An exchange that arrives late can move what came after it: then nodes are left that no exchange leads to any more.
 * Their ids lead to what took their place. What others hang on them, or said themselves, stays as it is.
 */
export async function redirectsFor(
  forest: RecordingForest,
  index: RecordedIndex,
  changes: readonly LandingChange[],
): Promise<RefRecord[]> {
  const targets = new Map<string, string | undefined>();
  for (const { before, after } of changes)
    if (before) for (const [old, now] of successors(index, before, after)) targets.set(old, now);
  if (targets.size === 0) return [];
  const { store } = forest;
  const nodes = (await store.nodes([...targets.keys()])).filter((node) => node !== undefined);
  const takes = await store.takes(nodes.map(({ id }) => id));
  const foreign = new Set(takes.filter(({ via }) => via !== 'record').map(({ node }) => node));
  await seeRefs(forest, 'node', [...targets.keys()], ['moved']);
  const gone = new Set<string>();
  const refs: RefRecord[] = [];
  for (const node of nodes.sort((a, b) => b.depth - a.depth)) {
    if (foreign.has(node.id) || !(await hasOnly(forest, node.id, gone))) continue;
    gone.add(node.id);
    const target = targets.get(node.id) ?? (await lastStanding(forest, index, node));
    refs.push(setRef(forest, 'node', node.id, 'moved', target));
  }
  return refs;
}

/** Nodes that are no longer in the tree, each with what took its place: counted from the end of the history. */
function successors(index: RecordedIndex, before: Landing, after: Landing): [old: string, now: string | undefined][] {
  const path: string[] = [];
  for (let at = after.parent; at !== undefined && at !== ROOT; at = index.nodes.get(at)?.parent) path.push(at);
  const history = (before.added ?? []).toReversed().map((old, at): [string, string | undefined] => [old, path[at]]);
  const reply = after.node ?? after.parent;
  const others = (before.alternatives ?? []).map((old, at): [string, string | undefined] => [
    old,
    after.alternatives?.[at] ?? reply,
  ]);
  const own: [string, string | undefined][] = before.node === undefined ? [] : [[before.node, reply]];
  return [...history, ...own, ...others].filter(([old]) => !index.nodes.has(old));
}

/** Whether nothing hangs below a node but what is gone. */
async function hasOnly({ store }: RecordingForest, id: string, gone: ReadonlySet<string>): Promise<boolean> {
  for await (const children of everyPage((page) => store.children(id, page))) {
    const others = children.map((child) => child.id).filter((child) => !gone.has(child));
    if (others.length > 0) {
      const { items } = await store.refs({ on: 'node', keys: others, names: ['moved'], limit: others.length });
      if (items.filter(({ value }) => typeof value === 'string').length < others.length) return false;
    }
  }
  return true;
}

/** The nearest node above that is still there. */
async function lastStanding({ store }: RecordingForest, index: RecordedIndex, { parent }: NodeRecord): Promise<string> {
  let at = parent;
  while (at !== ROOT && !index.nodes.has(at)) at = (await store.nodes([at]))[0]?.parent ?? ROOT;
  return at;
}
