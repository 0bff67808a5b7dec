import { api, checkNodeId, fetchText, unwrap } from './client.ts';
import { fetchPages } from './pages.ts';
import { type Node, ROOT, type TopologyNode } from './types.ts';

/** Nodes without their texts, parents before their children. */
export interface Topology {
  readonly items: readonly TopologyNode[];
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

const PAGE = 1000;

/** Fetches the structure of the whole forest; with `below`, of a node and all that is below it. */
export async function fetchTopology(below?: string): Promise<Topology> {
  if (below === undefined) return { items: await fetchOutline() };
  // An address may name no node; then nothing is asked below it.
  const top = await fetchTop(below);
  const { items } = await fetchPages(
    (query) => unwrap(api.topology.$get({ query: { limit: PAGE, below, ...query } })),
    Infinity,
  );
  return { items: [top, ...items] };
}

async function fetchTop(node: string): Promise<TopologyNode> {
  return toTopologyNode(await unwrap(api.nodes[':node'].$get({ param: { node: checkNodeId(node) }, query: {} })));
}

/** Nodes as the server sends them: one column for each fact. */
interface OutlineColumns {
  readonly ids: readonly string[];
  /** Places among all nodes so far; -1 for the root. */
  readonly parents: readonly number[];
  readonly roles: readonly string[];
  readonly at: readonly number[];
  /** Places among all names so far; -1 for none. */
  readonly authors: readonly number[];
  /** A model and its provider. */
  readonly names: readonly (readonly [string | null, string | null])[];
}

async function fetchOutline(): Promise<readonly TopologyNode[]> {
  const lines = (await fetchText('/outline')).split('\n').filter(Boolean);
  return readOutline(lines.map((line) => JSON.parse(line) as OutlineColumns));
}

export function readOutline(parts: readonly OutlineColumns[]): readonly TopologyNode[] {
  const nodes: TopologyNode[] = [];
  const names = parts.flatMap((part) => part.names);
  for (const { ids, parents, roles, at, authors } of parts)
    for (const [index, id] of ids.entries()) {
      const parent = nodes[parents[index]!];
      const [model, provider] = names[authors[index]!] ?? [];
      nodes.push({
        id,
        parent: parent?.id ?? ROOT,
        depth: (parent?.depth ?? 0) + 1,
        role: roles[index]!,
        at: at[index]!,
        removed: false,
        ...(model && { model }),
        ...(provider && { provider }),
      });
    }
  return nodes;
}
