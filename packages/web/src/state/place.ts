import { create } from 'zustand';
import { api, ok } from '../api/client.ts';
import { type Node, ROOT } from '../api/types.ts';
import { ensurePath, nodeOf, pathTo, putNodes, useNodes } from './nodes.ts';

/**
 * Where the reader is. The selected node is in the address; the thread on screen goes on behind it to a leaf, the one that
 * was last seen below it.
 */
interface PlaceState {
  /** The leaf that was last shown through a node. */
  readonly leafOf: ReadonlyMap<string, string>;
  /** The leaf that was shown last. */
  readonly lastLeaf: string | undefined;
  /** The thread that a new message belongs to. */
  readonly thread: string | undefined;
}

export const usePlace = create<PlaceState>(() => ({ leafOf: new Map(), lastLeaf: undefined, thread: undefined }));

/** Remembers that the reader sees the path to this leaf. */
export function sawLeaf(leaf: string): void {
  const path = pathTo(useNodes.getState().nodes, leaf);
  usePlace.setState(({ leafOf }) => {
    const seen = new Map(leafOf);
    for (const { id } of path) seen.set(id, leaf);
    return { leafOf: seen, lastLeaf: leaf };
  });
}

/** Opens a node: fetches its path and that to the leaf below it. Gives both ids whole. */
export async function openNode(id: string): Promise<{ readonly node: string; readonly leaf: string }> {
  const node = await ensurePath(id);
  const remembered = usePlace.getState().leafOf.get(node);
  const leaf = remembered !== undefined && isBelow(remembered, node) ? remembered : await newestLeaf(node);
  await ensurePath(leaf);
  sawLeaf(leaf);
  return { node, leaf };
}

/** Whether it is known to be the node itself or below it, with nothing removed in between. */
function isBelow(id: string, node: string): boolean {
  const end = nodeOf(id);
  if (!end || end.removed || end.childCount > 0) return false;
  return pathTo(useNodes.getState().nodes, id).some((each) => each.id === node);
}

/** A thread's own end where one leads through the node; else the leaf that was written last. */
async function newestLeaf(node: string): Promise<string> {
  if (nodeOf(node)?.childCount === 0) return node;
  const leaves: Node[] = [];
  for (let after: string | undefined; ; ) {
    const page = await ok(
      api.nodes[':node'].leaves.$get({ param: { node }, query: { limit: 200, ...(after && { after }) } }),
    );
    leaves.push(...page.items);
    after = page.next;
    if (!after || leaves.length >= 1000) break;
  }
  putNodes(leaves);
  const newest = leaves.reduce<Node | undefined>((best, leaf) => (best && best.at > leaf.at ? best : leaf), undefined);
  return newest?.id ?? node;
}

export function isRoot(id: string): boolean {
  return id === ROOT;
}
