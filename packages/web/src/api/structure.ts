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
export function bareNode({ id, parent, depth, role, at, removed, takes }: Node): TopologyNode {
  const { model, provider } = takes.find((take) => take.model !== undefined) ?? {};
  return { id, parent, depth, role, at, removed, ...(model && { model }), ...(provider && { provider }) };
}
