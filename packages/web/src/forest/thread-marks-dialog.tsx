import { useId, useState } from 'react';
import { tagChanges } from '../api/tag-changes.ts';
import { changeThread } from '../api/threads.ts';
import type { Thread } from '../api/types.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { TextField } from '../ui/field.tsx';
import { Stars } from '../ui/stars.tsx';
import { toastError } from '../ui/toasts.tsx';

/** What a person says of a conversation. */
export function ThreadMarksDialog({ thread, onClose }: { readonly thread: Thread; readonly onClose: () => void }) {
  const [tags, setTags] = useState(thread.tags.join(', '));
  const [rating, setRating] = useState(thread.rating);
  const [note, setNote] = useState(thread.note ?? '');
  const id = useId();
  const save = () => {
    onClose();
    const change = { tags: tagChanges(thread.tags, tags), rating: rating ?? null, note: note.trim() || null };
    changeThread(thread.id, change).catch(toastError);
  };
  return (
    <Dialog
      open
      onClose={onClose}
      title={thread.title || 'Untitled'}
      action={
        <Button look="primary" onClick={save}>
          Save
        </Button>
      }
    >
      <div className="flex flex-col gap-4">
        <div className="flex flex-col gap-1">
          <label htmlFor={`${id}-tags`} className="text-xs font-medium text-soft">
            Tags, with commas between them
          </label>
          <TextField
            id={`${id}-tags`}
            value={tags}
            placeholder="idea, to-do"
            onChange={(event) => setTags(event.target.value)}
            onKeyDown={(event) => event.key === 'Enter' && save()}
          />
        </div>
        <Stars rating={rating} onRate={setRating} />
        <div className="flex flex-col gap-1">
          <label htmlFor={`${id}-note`} className="text-xs font-medium text-soft">
            Note
          </label>
          <textarea
            id={`${id}-note`}
            value={note}
            rows={4}
            onChange={(event) => setNote(event.target.value)}
            className="rounded-md border border-line bg-surface p-2 hover:border-line-strong"
          />
        </div>
      </div>
    </Dialog>
  );
}
