import { useState } from 'react';
import { tagChanges } from '../api/tag-changes.ts';
import type { Node } from '../api/types.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { stopAsking } from './desk.ts';
import { mark } from './marking.ts';

/** Tags with commas between them, or a note. */
export function MessageMarksDialog({ what, node }: { readonly what: 'tag' | 'note'; readonly node: Node }) {
  const isTag = what === 'tag';
  const [text, setText] = useState(isTag ? node.marks.tags.join(', ') : (node.marks.note ?? ''));
  const save = () => {
    stopAsking();
    void mark(node, isTag ? { tags: tagChanges(node.marks.tags, text) } : { note: text.trim() || null });
  };
  return (
    <Dialog
      open
      onClose={stopAsking}
      title={isTag ? 'Tags' : 'Note'}
      action={
        <Button look="primary" onClick={save}>
          Save
        </Button>
      }
    >
      <textarea
        aria-label={isTag ? 'Tags, with commas between them' : 'Note'}
        placeholder={isTag ? 'good, to-check' : 'What you want to remember'}
        value={text}
        rows={isTag ? 2 : 5}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || !(isTag || event.ctrlKey || event.metaKey)) return;
          event.preventDefault();
          save();
        }}
        className="w-full rounded-md border border-line bg-page p-2"
      />
    </Dialog>
  );
}
