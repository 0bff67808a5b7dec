import { api, checkNodeId, unwrap } from './client.ts';
import { fetchPages } from './pages.ts';
import { type Node, ROOT, type TopologyNode } from './types.ts';

/** Nodes without their texts, parents before their children. */
export interface Topology {
  readonly items: readonly TopologyNode[];
  /** The forest has more nodes than these. */
  readonly isCut: boolean;
}

/** Adds or updates nodes in a topology; returns the same object if none of them belongs to it. */
export function growTopology(topology: Topology, nodes: readonly Node[], isWhole: boolean): Topology {
  const places = new Map(topology.items.map(({ id }, index) => [id, index]));
  const items = [...topology.items];
  let isGrown = false;
  for (const node of nodes) {
    const place = places.get(node.id);
    if (place === undefined && !places.has(node.parent) && !(isWhole && node.parent === ROOT)) continue;
    isGrown = true;
    if (place === undefined) places.set(node.id, items.length);
    items[place ?? items.length] = toTopologyNode(node);
  }
  return isGrown ? { ...topology, items } : topology;
}

/** A node without its text. */
function toTopologyNode({ id, parent, depth, role, at, removed, takes }: Node): TopologyNode {
  const { model, provider } = takes.find((take) => take.model !== undefined) ?? {};
  return { id, parent, depth, role, at, removed, ...(model && { model }), ...(provider && { provider }) };
}

/** The most nodes that are drawn; the reader is told when there are more. */
export const MOST_NODES = 20_000;
const PAGE = 1000;

/** Fetches all pages of the topology; with `below`, the node itself comes first. */
export async function fetchTopology(below?: string): Promise<Topology> {
  const top = below === undefined ? [] : [await fetchTop(below)];
  const { items, isCut } = await fetchPages(
    (query) => unwrap(api.topology.$get({ query: { limit: PAGE, ...(below && { below }), ...query } })),
    MOST_NODES - top.length,
  );
  return { items: [...top, ...items].slice(0, MOST_NODES), isCut };
}

async function fetchTop(node: string): Promise<TopologyNode> {
  return toTopologyNode(await unwrap(api.nodes[':node'].$get({ param: { node: checkNodeId(node) }, query: {} })));
}
