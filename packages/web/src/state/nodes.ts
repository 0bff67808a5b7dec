import { create } from 'zustand';
import { api, checkNodeId, unwrap } from '../api/client.ts';
import { fetchPages } from '../api/pages.ts';
import { isNotFound } from '../api/problem.ts';
import { type Node, ROOT } from '../api/types.ts';

/**
 * The nodes this page has loaded. The content of a node never changes, so it is fetched once. Its takes, marks and number
 * of children are fetched again when the change feed reports a change.
 */
interface NodesState {
  readonly nodes: ReadonlyMap<string, Node>;
  /** Ids of children, oldest first, by parent, as far as they were fetched. Removed children are left out. */
  readonly children: ReadonlyMap<string, readonly string[]>;
  /** Nodes that may have changed since they were fetched. They stay on screen until they are fetched again. */
  readonly outdated: ReadonlySet<string>;
  /** Counts how often nodes became outdated; components refetch what they show when it grows. */
  readonly renewals: number;
}

export const useNodes = create<NodesState>(() => ({
  nodes: new Map(),
  children: new Map(),
  outdated: new Set(),
  renewals: 0,
}));

export function getNode(id: string): Node | undefined {
  return useNodes.getState().nodes.get(id);
}

/** A node that is loaded and not outdated. */
function currentNode(id: string): Node | undefined {
  return useNodes.getState().outdated.has(id) ? undefined : getNode(id);
}

/** Counts changes: a response that was requested before the latest change of a node may be older than that change. */
let news = 0;
const newsOfNodes = new Map<string, number>();
let newsOfAll = 0;

/** Notes that these nodes changed, whether they are loaded or still on their way. */
export function noteChanges(ids: Iterable<string>): void {
  news += 1;
  for (const id of ids) newsOfNodes.set(id, news);
}

function isOlderThanNews(id: string, asked: number): boolean {
  return Math.max(newsOfAll, newsOfNodes.get(id) ?? 0) > asked;
}

/** Fetches nodes and stores them as of the time of the request. */
export async function fetchNodes(ask: () => Promise<readonly Node[]>): Promise<readonly Node[]> {
  const asked = news;
  const found = await ask();
  putNodes(found, asked);
  return found;
}

/** Stores nodes and adds new ones to the children of their parents. */
export function putNodes(answer: readonly Node[], asked = news): void {
  const { nodes: known, outdated: doubted } = useNodes.getState();
  const isOld = ({ id }: Node) => isOlderThanNews(id, asked);
  const found = answer.filter((node) => !isOld(node) || !known.has(node.id) || doubted.has(node.id));
  if (found.length === 0) return;
  useNodes.setState(({ nodes, children, outdated, renewals }) => {
    const all = new Map(nodes);
    const lists = new Map(children);
    const older = new Set(outdated);
    // A node that is removed or restored takes its subtree along.
    const turned = found.filter(({ id, removed }) => nodes.get(id)?.removed === !removed);
    for (const id of idsBelow(nodes, turned)) older.add(id);
    const isRenewed = turned.length > 0 || found.some(isOld);
    for (const node of found) {
      all.set(node.id, node);
      if (isOld(node)) older.add(node.id);
      else older.delete(node.id);
      const list = lists.get(node.parent);
      if (!list) continue;
      if (node.removed)
        lists.set(
          node.parent,
          list.filter((id) => id !== node.id),
        );
      else if (!list.includes(node.id)) lists.set(node.parent, [...list, node.id]);
    }
    return { nodes: all, children: lists, outdated: older, renewals: isRenewed ? renewals + 1 : renewals };
  });
}

/** The ids of all loaded nodes below some nodes. */
function idsBelow(nodes: NodesState['nodes'], tops: readonly Node[]): readonly string[] {
  if (tops.length === 0) return [];
  const children = new Map<string, string[]>();
  for (const { id, parent } of nodes.values()) children.set(parent, [...(children.get(parent) ?? []), id]);
  const found: string[] = [];
  for (let level = tops.map(({ id }) => id); level.length > 0; ) {
    level = level.flatMap((id) => children.get(id) ?? []);
    found.push(...level);
  }
  return found;
}

/** Fetches a node, even if it is loaded already. */
export async function refreshNode(id: string): Promise<Node> {
  try {
    const [node] = await fetchNodes(async () => [
      await unwrap(api.nodes[':node'].$get({ param: { node: checkNodeId(id) }, query: {} })),
    ]);
    return node!;
  } catch (error) {
    if (isNotFound(error)) forgetNode(id);
    throw error;
  }
}

async function ensureNode(id: string): Promise<Node> {
  return currentNode(id) ?? refreshNode(id);
}

/** Loads the path from the root to a node. The id may be abbreviated; returns the full id. */
export async function ensurePath(id: string): Promise<string> {
  const last = await ensureNode(id);
  let missing = last;
  for (let parent = currentNode(last.parent); parent; parent = currentNode(missing.parent)) missing = parent;
  if (missing.parent !== ROOT) {
    const param = { node: missing.id };
    await fetchNodes(async () => (await unwrap(api.nodes[':node'].path.$get({ param, query: {} }))).items);
  }
  return last.id;
}

/** The nodes from the first message to this one, as far as they are loaded. */
export function pathTo(nodes: NodesState['nodes'], id: string): readonly Node[] {
  const path: Node[] = [];
  for (let node = nodes.get(id); node; node = nodes.get(node.parent)) path.push(node);
  return path.reverse();
}

/** The most children of one node that are loaded. */
const MOST_CHILDREN = 2000;

/** Fetches the children of a node. */
export async function refreshChildren(parent: string): Promise<readonly string[]> {
  const param = { node: parent };
  const page = (query: object) => unwrap(api.nodes[':node'].children.$get({ param, query: { limit: 200, ...query } }));
  const found = await fetchNodes(async () => (await fetchPages(page, MOST_CHILDREN)).items);
  const ids = found.map(({ id }) => id);
  useNodes.setState(({ children }) => ({ children: new Map(children).set(parent, ids) }));
  return ids;
}

export async function ensureChildren(parent: string): Promise<readonly string[]> {
  return useNodes.getState().children.get(parent) ?? refreshChildren(parent);
}

/** Marks all nodes as outdated, after a gap in the change feed or before it began. */
export function markNodesOutdated(): void {
  news += 1;
  newsOfAll = news;
  if (useNodes.getState().nodes.size === 0) return;
  useNodes.setState(({ nodes, renewals }) => ({ outdated: new Set(nodes.keys()), renewals: renewals + 1 }));
}

function forgetNode(id: string): void {
  useNodes.setState(({ nodes }) => ({ nodes: new Map([...nodes].filter(([key]) => key !== id)) }));
}
