import { api, ok } from './client.ts';
import { asNodeId } from './node-id.ts';
import { pagesOf } from './pages.ts';
import { bareNode, type Topology } from './structure.ts';
import type { TopologyNode } from './types.ts';

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
