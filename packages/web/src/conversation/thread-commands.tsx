import { useState } from 'react';
import { navigate } from '../api/base.ts';
import type { Thread } from '../api/types.ts';
import { useCommandList } from '../commands/registry.ts';
import { ThreadMarksDialog, useThreadMenu } from '../threads/thread-menu.tsx';
import { t } from '../words/words.ts';

/** What the forest offers in the menu of a conversation, as commands while the conversation is open. */
export function ThreadCommands({ thread }: { readonly thread: Thread }) {
  const [isEditing, setEditing] = useState(false);
  const edit = () => setEditing(true);
  const items = useThreadMenu({ onRename: edit, onMark: edit, onDelete: () => navigate('/') });
  useCommandList(
    items(thread)
      .filter((item) => item !== null)
      // Sharing has a command of its own, with a key.
      .filter(({ id }) => id !== 'share')
      .map(({ id, title, run }) => ({
        id: `thread.${id}`,
        title: t('command.conversation', { act: title }),
        group: 'conversation',
        run,
      })),
  );
  return isEditing && <ThreadMarksDialog thread={thread} onClose={() => setEditing(false)} />;
}
