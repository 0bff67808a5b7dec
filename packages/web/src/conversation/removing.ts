import { navigate } from '../api/base.ts';
import { api, ok } from '../api/client.ts';
import { queries, queryClient } from '../api/queries.ts';
import { deleteThread, restoreThread } from '../api/threads.ts';
import { type Node, ROOT, type Thread } from '../api/types.ts';
import { ensureChildren, pathTo, putNodes, refreshNode, useNodes } from '../state/nodes.ts';
import { goTo, sawLeaf } from '../state/place.ts';
import { toast } from '../ui/toasts.tsx';
import { told } from './actions.ts';

/** Hides a message and all below it, and the conversations that have nothing else; a toast brings it back. */
export async function removeBranch(node: Node): Promise<void> {
  await told(async () => {
    const threads = await threadsOnlyIn(node);
    await ok(api.nodes[':node'].$delete({ param: { node: node.id }, query: {} }));
    for (const { id } of threads) await deleteThread(id);
    await refreshNode(node.id);
    if (node.parent === ROOT) navigate('/');
    else {
      sawLeaf(node.parent);
      goTo(node.parent);
    }
    const what = threads.length > 0 ? 'conversation' : 'branch';
    toast(`The ${what} was deleted.`, { title: 'Undo', run: () => void restoreAt(node, threads) });
  });
}

/** Hides every branch that leaves this path. */
export async function removeOthers(path: readonly Node[]): Promise<void> {
  await told(async () => {
    const others = await otherBranches(path);
    for (const node of others) {
      await ok(api.nodes[':node'].$delete({ param: { node: node.id }, query: {} }));
      await refreshNode(node.id);
    }
    const undo = { title: 'Undo', run: () => void told(() => restore(others)) };
    toast(others.length === 1 ? '1 branch was deleted.' : `${others.length} branches were deleted.`, undo);
  });
}

/** The branches that leave a path. */
export async function otherBranches(path: readonly Node[]): Promise<readonly Node[]> {
  const found: Node[] = [];
  for (const [index, node] of path.entries()) {
    if (node.childCount === 0 || (node.childCount === 1 && index < path.length - 1)) continue;
    const next = path[index + 1]?.id;
    const ids = (await ensureChildren(node.id)).filter((id) => id !== next);
    found.push(...ids.flatMap((id) => useNodes.getState().nodes.get(id) ?? []));
  }
  return found;
}

/** The conversations that begin with a message; none for a later one. */
async function threadsOnlyIn(node: Node): Promise<readonly Thread[]> {
  if (node.parent !== ROOT) return [];
  const { items } = await ok(api.nodes[':node'].threads.$get({ param: { node: node.id } }));
  return items.filter(({ head }) => head !== ROOT);
}

/** Brings a branch back with the conversations that were deleted with it, and shows it. */
export async function restoreAt(node: Node, threads?: readonly Thread[]): Promise<void> {
  const isBack = await told(async () => {
    const gone = threads ?? (await deletedOf(node));
    await restore([node]);
    for (const { id } of gone) await restoreThread(id);
  });
  if (isBack) goTo(node.id);
}

/** The deleted conversations that begin with a message, as far as their ends are known here. */
async function deletedOf(node: Node): Promise<readonly Thread[]> {
  if (node.parent !== ROOT) return [];
  const { items } = await queryClient.fetchQuery(queries.threads({ deleted: true }));
  const { nodes } = useNodes.getState();
  return items.filter(({ head }) => pathTo(nodes, head)[0]?.id === node.id);
}

async function restore(nodes: readonly Node[]): Promise<void> {
  for (const { id } of nodes) putNodes([await ok(api.nodes[':node'].restore.$post({ param: { node: id } }))]);
}
