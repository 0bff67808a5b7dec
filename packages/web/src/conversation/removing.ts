import { navigate } from 'wouter/use-browser-location';
import { api, ok } from '../api/client.ts';
import { type Node, ROOT } from '../api/types.ts';
import { ensureChildren, putNodes, refreshNode, useNodes } from '../state/nodes.ts';
import { goTo, sawLeaf } from '../state/place.ts';
import { toast } from '../ui/toasts.tsx';
import { told } from './actions.ts';

/** Hides a message and all below it; a toast brings it back. */
export async function removeBranch(node: Node): Promise<void> {
  await told(async () => {
    await ok(api.nodes[':node'].$delete({ param: { node: node.id }, query: {} }));
    await refreshNode(node.id);
    if (node.parent === ROOT) navigate('/');
    else {
      sawLeaf(node.parent);
      goTo(node.parent);
    }
    toast('The branch was deleted.', { title: 'Undo', run: () => void restoreAt(node) });
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
    const undo = { title: 'Undo', run: () => void restore(others) };
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

/** Brings a branch back and shows it. */
export async function restoreAt(node: Node): Promise<void> {
  if (await restore([node])) goTo(node.id);
}

async function restore(nodes: readonly Node[]): Promise<boolean> {
  return told(async () => {
    for (const { id } of nodes) putNodes([await ok(api.nodes[':node'].restore.$post({ param: { node: id } }))]);
  });
}
