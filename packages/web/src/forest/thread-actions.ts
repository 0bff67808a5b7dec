import { api, ok } from '../api/client.ts';
import { deleteThread, restoreThread } from '../api/threads.ts';
import type { Thread } from '../api/types.ts';
import { putNodes } from '../state/nodes.ts';
import { toast, toastError } from '../ui/toasts.tsx';

/** Deletes conversations, and offers to take that back. */
export function deleteWithUndo(threads: readonly Thread[]): void {
  const undo = () => all(threads, restoreThread).catch(toastError);
  const what = threads.length === 1 ? `“${threads[0]?.title || 'Untitled'}”` : `${threads.length} conversations`;
  all(threads, deleteThread).then(
    () => toast(`Deleted ${what}`, { title: 'Undo', run: () => void undo() }),
    toastError,
  );
}

export function restoreDeleted(thread: Thread): void {
  restoreWhole(thread).then(() => toast(`“${thread.title || 'Untitled'}” is back`), toastError);
}

/** A conversation may have been deleted with its first message. */
async function restoreWhole({ id, head }: Thread): Promise<void> {
  const { items } = await ok(api.nodes[':node'].path.$get({ param: { node: head }, query: {} }));
  const [first] = items;
  if (first?.removed) putNodes([await ok(api.nodes[':node'].restore.$post({ param: { node: first.id } }))]);
  await restoreThread(id);
}

async function all(threads: readonly Thread[], act: (id: string) => Promise<void>): Promise<void> {
  for (const { id } of threads) await act(id);
}
