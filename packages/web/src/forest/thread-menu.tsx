import { Download, Ellipsis, Network, Pencil, Star, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { useLocation } from 'wouter';
import type { Thread } from '../api/types.ts';
import { askExport } from '../state/overlays.ts';
import { IconButton } from '../ui/button.tsx';
import { Menu } from '../ui/menu.tsx';
import { deleteWithUndo } from './thread-actions.ts';
import { ThreadMarksDialog } from './thread-marks-dialog.tsx';

export function ThreadMenu({ thread, onRename }: { readonly thread: Thread; readonly onRename: () => void }) {
  const [, go] = useLocation();
  const [isMarking, setMarking] = useState(false);
  const { id, head, title } = thread;
  return (
    <>
      <Menu
        trigger={
          <IconButton label={`More about ${title || 'Untitled'}`}>
            <Ellipsis size={16} />
          </IconButton>
        }
        items={[
          // Behind the menu, which gives the focus back to its button when it closes.
          { title: 'Rename', keys: 'F2', icon: <Pencil size={14} />, run: () => setTimeout(onRename) },
          { title: 'Tags, rating, note…', icon: <Star size={14} />, run: () => setMarking(true) },
          { title: 'Show in the graph', icon: <Network size={14} />, run: () => go(`/graph/${head}`) },
          { title: 'Export…', icon: <Download size={14} />, run: () => askExport({ kind: 'thread', id, title }) },
          null,
          {
            title: 'Delete',
            keys: 'Delete',
            danger: true,
            icon: <Trash2 size={14} />,
            run: () => deleteWithUndo([thread]),
          },
        ]}
      />
      {isMarking && <ThreadMarksDialog thread={thread} onClose={() => setMarking(false)} />}
    </>
  );
}
