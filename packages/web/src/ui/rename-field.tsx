import { useState } from 'react';
import { TextField } from './field.tsx';

export interface RenameFieldProps {
  readonly title: string;
  /** Called with another title only. */
  readonly onRename: (title: string) => void;
  /** Called at the end, whether there is another title or not. */
  readonly onDone: () => void;
}

/** Another title, in the place of the one there is. */
export function RenameField({ title, onRename, onDone }: RenameFieldProps) {
  const [written, setWritten] = useState(title);
  const save = () => {
    onDone();
    if (written.trim() !== title) onRename(written.trim());
  };
  return (
    <TextField
      autoFocus
      aria-label="Title"
      value={written}
      maxLength={500}
      className="-ml-2 h-7 w-full max-w-md"
      onChange={(event) => setWritten(event.target.value)}
      onFocus={(event) => event.target.select()}
      onBlur={save}
      onKeyDown={(event) => {
        if (event.key === 'Enter') save();
        if (event.key === 'Escape') onDone();
      }}
    />
  );
}
