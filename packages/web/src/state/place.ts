import { create } from 'zustand';
import { navigate } from '../api/base.ts';
import { api, ok } from '../api/client.ts';
import { pagesOf } from '../api/pages.ts';
import type { Node } from '../api/types.ts';
import { ensurePath, nodeOf, pathTo, putNodes, useNodes } from './nodes.ts';

/**
 * Where the reader is. The selected node is in the address; the thread on screen goes on behind it to a leaf, the one that
 * was last seen below it.
 */
interface PlaceState {
  /** The leaf that was last shown through a node. */
  readonly leafOf: ReadonlyMap<string, string>;
  /** The branch of a generation that is shown growing behind a leaf. */
  readonly watched: ReadonlyMap<string, Watched>;
  /** The leaf that was shown last. */
  readonly lastLeaf: string | undefined;
}

export interface Watched {
  readonly generation: string;
  readonly branch: number;
}

export const usePlace = create<PlaceState>(() => ({ leafOf: new Map(), watched: new Map(), lastLeaf: undefined }));

/** Moves the reader to a node. */
export function goTo(node: string, options: { readonly replace?: boolean } = {}): void {
  navigate(`/c/${node}`, options);
}

/** Shows a branch of a generation behind a leaf, or nothing any more. */
export function watch(leaf: string, watched: Watched | undefined): void {
  usePlace.setState((state) => {
    const all = new Map(state.watched);
    if (watched) all.set(leaf, watched);
    else all.delete(leaf);
    return { watched: all };
  });
}

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
  const { leafOf, watched } = usePlace.getState();
  const remembered = leafOf.get(node);
  const from = remembered !== undefined && isBelow(remembered, node) ? remembered : node;
  const leaf = watched.has(from) ? from : await newestLeaf(from);
  await ensurePath(leaf);
  // Whoever moved on meanwhile is left where they are.
  if (usePlace.getState().leafOf.get(node) === remembered) sawLeaf(leaf);
  return { node, leaf };
}

/** Whether it is known to be the node itself or below it, with nothing removed in between. */
function isBelow(id: string, node: string): boolean {
  const end = nodeOf(id);
  return end !== undefined && !end.removed && pathTo(useNodes.getState().nodes, id).some((each) => each.id === node);
}

/** The newest of so many is good enough. */
const MOST_LEAVES = 1000;

/** The leaf below it that was written last. */
async function newestLeaf(node: string): Promise<string> {
  if (nodeOf(node)?.childCount === 0) return node;
  const { items: leaves } = await pagesOf(
    (query) => ok(api.nodes[':node'].leaves.$get({ param: { node }, query: { limit: 200, ...query } })),
    MOST_LEAVES,
  );
  putNodes(leaves);
  const newest = leaves.reduce<Node | undefined>((best, leaf) => (best && best.at > leaf.at ? best : leaf), undefined);
  return newest?.id ?? node;
}
