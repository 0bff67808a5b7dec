import { useState } from 'react';
import { changeThread } from '../api/threads.ts';
import type { Thread } from '../api/types.ts';
import { TextField } from '../ui/field.tsx';
import { toastError } from '../ui/toasts.tsx';

/** Another title, in the place of the one there is. */
export function RenameField({ thread, onDone }: { readonly thread: Thread; readonly onDone: () => void }) {
  const [title, setTitle] = useState(thread.title);
  const save = () => {
    onDone();
    if (title.trim() !== thread.title) changeThread(thread.id, { title: title.trim() }).catch(toastError);
  };
  return (
    <TextField
      autoFocus
      aria-label="Title"
      value={title}
      maxLength={500}
      className="-ml-2 h-7 w-full max-w-md"
      onChange={(event) => setTitle(event.target.value)}
      onFocus={(event) => event.target.select()}
      onBlur={save}
      onKeyDown={(event) => {
        if (event.key === 'Enter') save();
        if (event.key === 'Escape') onDone();
      }}
    />
  );
}
