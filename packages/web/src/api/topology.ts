import { api, asNodeId, ok } from './client.ts';
import { pagesOf } from './pages.ts';
import { type Node, ROOT, type TopologyNode } from './types.ts';

/** Nodes without their texts, parents before their children. */
export interface Topology {
  readonly items: readonly TopologyNode[];
  /** There are more than are here. */
  readonly isCut: boolean;
}

/** The same structure if none of the nodes belongs to it. */
export function grown(topology: Topology, nodes: readonly Node[], isWhole: boolean): Topology {
  const places = new Map(topology.items.map(({ id }, index) => [id, index]));
  const items = [...topology.items];
  let isGrown = false;
  for (const node of nodes) {
    const place = places.get(node.id);
    if (place === undefined && !places.has(node.parent) && !(isWhole && node.parent === ROOT)) continue;
    isGrown = true;
    if (place === undefined) places.set(node.id, items.length);
    items[place ?? items.length] = bareNode(node);
  }
  return isGrown ? { ...topology, items } : topology;
}

/** A node without its text. */
function bareNode({ id, parent, depth, role, at, removed, takes }: Node): TopologyNode {
  const { model, provider } = takes.find((take) => take.model !== undefined) ?? {};
  return { id, parent, depth, role, at, removed, ...(model && { model }), ...(provider && { provider }) };
}

/** More than this is not drawn; the reader is told. */
export const MOST_NODES = 20_000;
const PAGE = 1000;

/** All pages of the structure; with `below`, the node itself comes first. */
export async function wholeTopology(below?: string): Promise<Topology> {
  const top = below === undefined ? [] : [await topOf(below)];
  const { items, isCut } = await pagesOf(
    (query) => ok(api.topology.$get({ query: { limit: PAGE, ...(below && { below }), ...query } })),
    MOST_NODES - top.length,
  );
  return { items: [...top, ...items].slice(0, MOST_NODES), isCut };
}

async function topOf(node: string): Promise<TopologyNode> {
  return bareNode(await ok(api.nodes[':node'].$get({ param: { node: asNodeId(node) }, query: {} })));
}
