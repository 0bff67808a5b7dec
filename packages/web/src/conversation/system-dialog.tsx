import { useState } from 'react';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { addSystemText } from './actions.ts';
import { stopAsking } from './desk.ts';

/** Asks for the system text of a conversation that has none. */
export function SystemDialog({ leaf }: { readonly leaf: string }) {
  const [text, setText] = useState('');
  const isEmpty = text.trim() === '';
  const save = () => {
    if (isEmpty) return;
    stopAsking();
    void addSystemText(leaf, text);
  };
  return (
    <Dialog
      open
      wide
      onClose={stopAsking}
      title="Add a system text"
      action={
        <Button look="primary" disabled={isEmpty} onClick={save}>
          Save
        </Button>
      }
    >
      <p className="mb-2 text-sm text-soft">
        What the model is told before all else. It starts a new branch: the messages shown come along, the old branch
        stays.
      </p>
      <textarea
        aria-label="System text"
        dir="auto"
        rows={5}
        value={text}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
          event.preventDefault();
          save();
        }}
        className="w-full rounded-md border border-line bg-page p-2"
      />
    </Dialog>
  );
}
