import { navigate } from '../api/base.ts';
import { api, unwrap } from '../api/client.ts';
import { queries, queryClient } from '../api/queries.ts';
import { deleteThread, restoreThread } from '../api/threads.ts';
import { type Node, ROOT, type Thread } from '../api/types.ts';
import { isOnlyInLineage } from '../state/lineage.ts';
import { ensureChildren, pathTo, putNodes, refreshNode, useNodes } from '../state/nodes.ts';
import { currentLineage, currentThreadId, goTo, rememberLeaf } from '../state/place.ts';
import { toast } from '../ui/toasts.tsx';
import { t } from '../words/words.ts';
import { reportErrors } from './actions.ts';

/** Hides a message, its subtree, and the conversations that have no other messages. A toast offers to undo it. */
export async function removeBranch(node: Node): Promise<void> {
  await reportErrors(async () => {
    const here = currentThreadId();
    const threads = await threadsBeginningWith(node);
    const own = threads.filter(({ id }) => id === here);
    // Other conversations begin with the same message: it stays, and only this conversation is deleted.
    if (own.length > 0 && threads.length > 1) return removeThreads(own);
    await unwrap(api.nodes[':node'].$delete({ param: { node: node.id }, query: {} }));
    for (const { id } of threads) await deleteThread(id);
    await refreshNode(node.id);
    if (node.parent === ROOT) navigate('/');
    else {
      rememberLeaf(here, node.parent);
      goTo(node.parent);
    }
    toast(threads.length > 0 ? t('conversation.conversation-deleted') : t('conversation.branch-deleted'), {
      title: t('conversation.undo'),
      run: () => void restoreAt(node, threads),
    });
  });
}

async function removeThreads(threads: readonly Thread[]): Promise<void> {
  for (const { id } of threads) await deleteThread(id);
  navigate('/');
  const undo = () => reportErrors(() => Promise.all(threads.map(({ id }) => restoreThread(id))));
  toast(t('conversation.conversation-deleted'), { title: t('conversation.undo'), run: () => void undo() });
}

/** Hides all branches of the current conversation that leave a path. */
export async function removeOthers(path: readonly Node[]): Promise<void> {
  await reportErrors(async () => {
    const others = await otherBranches(path);
    for (const node of others) {
      await unwrap(api.nodes[':node'].$delete({ param: { node: node.id }, query: {} }));
      await refreshNode(node.id);
    }
    const undo = { title: t('conversation.undo'), run: () => void reportErrors(() => restore(others)) };
    toast(t('delete.others-done', { count: others.length }), undo);
  });
}

/** The branches of the current conversation that leave a path; those of other conversations do not count. */
export async function otherBranches(path: readonly Node[]): Promise<readonly Node[]> {
  const found: Node[] = [];
  const lineage = currentLineage();
  for (const [index, node] of path.entries()) {
    if (node.childCount === 0 || (node.childCount === 1 && index < path.length - 1)) continue;
    const next = path[index + 1]?.id;
    const ids = (await ensureChildren(node.id)).filter((id) => id !== next);
    const others = ids.flatMap((id) => useNodes.getState().nodes.get(id) ?? []);
    found.push(...others.filter((other) => isOnlyInLineage(other, lineage)));
  }
  return found;
}

/** The conversations that begin with a message; none if it is not a first message. */
async function threadsBeginningWith(node: Node): Promise<readonly Thread[]> {
  if (node.parent !== ROOT) return [];
  const { items } = await unwrap(api.nodes[':node'].threads.$get({ param: { node: node.id } }));
  return items.filter(({ head }) => head !== ROOT);
}

/** Restores a branch with the conversations that were deleted with it, and shows it. */
export async function restoreAt(node: Node, threads?: readonly Thread[]): Promise<void> {
  const isBack = await reportErrors(async () => {
    const gone = threads ?? (await findDeletedThreads(node));
    await restore([node]);
    for (const { id } of gone) await restoreThread(id);
  });
  if (isBack) goTo(node.id);
}

/** The deleted conversations that begin with a message, as far as their heads are loaded. */
async function findDeletedThreads(node: Node): Promise<readonly Thread[]> {
  if (node.parent !== ROOT) return [];
  const { items } = await queryClient.fetchQuery(queries.threads({ deleted: true }));
  const { nodes } = useNodes.getState();
  return items.filter(({ head }) => pathTo(nodes, head)[0]?.id === node.id);
}

async function restore(nodes: readonly Node[]): Promise<void> {
  for (const { id } of nodes) putNodes([await unwrap(api.nodes[':node'].restore.$post({ param: { node: id } }))]);
}
