import { api, ok } from './client.ts';
import { bareNode, type Topology } from './structure.ts';
import type { TopologyNode } from './types.ts';

/** More than this is not drawn; the reader is told. */
export const MOST_NODES = 20_000;
const PAGE = 1000;

/** All pages of the structure; with `below`, the node itself comes first. */
export async function wholeTopology(below?: string): Promise<Topology> {
  const items: TopologyNode[] = below === undefined ? [] : [await topOf(below)];
  for (let after: string | undefined; ; ) {
    const page = await ok(
      api.topology.$get({ query: { limit: PAGE, ...(below && { below }), ...(after && { after }) } }),
    );
    items.push(...page.items);
    after = page.next;
    if (!after) return { items, isCut: false };
    if (items.length >= MOST_NODES) return { items: items.slice(0, MOST_NODES), isCut: true };
  }
}

async function topOf(node: string): Promise<TopologyNode> {
  return bareNode(await ok(api.nodes[':node'].$get({ param: { node }, query: {} })));
}
