import { useEffect, useRef, useState } from 'react';
import { blocksOf, type Node } from '../api/types.ts';
import { plainText } from '../blocks/in-words.ts';
import { Button } from '../ui/button.tsx';
import { edit } from './actions.ts';
import { stopEditing } from './desk.ts';

/** Another text for a message, beside the one it has. */
export function MessageEditor({ node, leaf }: { readonly node: Node; readonly leaf: string }) {
  const [text, setText] = useState(() => plainText(blocksOf(node)));
  const [isBusy, setBusy] = useState(false);
  const field = useRef<HTMLTextAreaElement>(null);
  useEffect(() => field.current?.focus(), []);
  const isSystem = node.role === 'system';
  const canAnswer = node.role === 'user';
  const save = async (answer: boolean) => {
    if (text.trim() === '' || isBusy) return;
    setBusy(true);
    const carry = isSystem && leaf !== node.id ? leaf : undefined;
    const isSaved = await edit(node, text, { answer, ...(carry !== undefined && { carry }) });
    if (isSaved) stopEditing();
    else setBusy(false);
  };
  return (
    <form
      className="my-1 rounded-lg border border-accent bg-surface p-2"
      onSubmit={(event) => {
        event.preventDefault();
        void save(false);
      }}
    >
      <textarea
        ref={field}
        dir="auto"
        aria-label={isSystem ? 'System text' : 'Text of the message'}
        value={text}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={(event) => {
          const isSaving = event.key === 'Enter' && (event.ctrlKey || event.metaKey);
          if (event.key !== 'Escape' && !isSaving) return;
          event.preventDefault();
          if (isSaving) void save(canAnswer && !event.shiftKey);
          else stopEditing();
        }}
        className="field-sizing-content max-h-[60dvh] min-h-16 w-full resize-none bg-transparent p-1 outline-none"
      />
      <div className="flex flex-wrap items-center justify-end gap-2 pt-1">
        <p className="grow text-xs text-faint">
          {isSystem
            ? 'Another system text starts a new branch: the messages shown come along, the old branch stays.'
            : 'The edit becomes a branch of its own; the old text stays.'}
        </p>
        <Button small look="quiet" onClick={stopEditing}>
          Cancel
        </Button>
        <Button small type="submit" look={canAnswer ? 'plain' : 'primary'} disabled={isBusy || text.trim() === ''}>
          Save
        </Button>
        {canAnswer && (
          <Button small look="primary" disabled={isBusy || text.trim() === ''} onClick={() => void save(true)}>
            Save and generate
          </Button>
        )}
      </div>
    </form>
  );
}
