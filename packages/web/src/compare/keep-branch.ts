import { api, unwrap } from '../api/client.ts';
import { putThread } from '../api/queries.ts';
import type { Thread } from '../api/types.ts';
import { reportErrors } from '../conversation/actions.ts';
import { findThreadWith, goTo } from '../state/place.ts';
import { toast } from '../ui/toasts.tsx';
import { t } from '../words/words.ts';

/**
 * Makes a branch the one that its conversation continues with; without a conversation, that of the node. A recorded conversation
 * is forked instead.
 */
export async function keepBranch(node: string, of?: Thread): Promise<void> {
  await reportErrors(async () => {
    const thread = of ?? (await findThreadWith(node));
    if (!thread) {
      const made = await unwrap(api.threads.$post({ json: { head: node } }));
      putThread(made);
      return goTo(node, { thread: made.id });
    }
    const before = thread.head;
    const kept = thread.recorded
      ? await unwrap(api.threads[':thread'].fork.$post({ param: { thread: thread.id }, json: { at: node } }))
      : await unwrap(api.threads[':thread'].$patch({ param: { thread: thread.id }, json: { head: node } }));
    putThread(kept);
    goTo(node, { thread: kept.id });
    if (thread.recorded || before === node) return toast(t('compare.kept'));
    toast(t('compare.kept'), {
      title: t('undo'),
      run: () =>
        void reportErrors(async () =>
          putThread(
            await unwrap(api.threads[':thread'].$patch({ param: { thread: kept.id }, json: { head: before } })),
          ),
        ),
    });
  });
}
