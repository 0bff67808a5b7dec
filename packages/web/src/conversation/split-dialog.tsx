import { useState } from 'react';
import { blocksOf, type Node } from '../api/types.ts';
import { plainText } from '../blocks/in-words.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { stopAsking } from './desk.ts';
import { split } from './marking.ts';

/** Asks where a message is parted. */
export function SplitDialog({ node }: { readonly node: Node }) {
  const text = plainText(blocksOf(node));
  const [at, setAt] = useState<number>();
  const isInside = at !== undefined && at > 0 && at < text.length;
  return (
    <Dialog
      open
      wide
      onClose={stopAsking}
      title="Split in two"
      action={
        <Button
          look="primary"
          disabled={!isInside}
          onClick={() => {
            stopAsking();
            void split(node, at!);
          }}
        >
          Split
        </Button>
      }
    >
      <p className="mb-2 text-sm text-soft">Put the cursor where the second message begins.</p>
      <textarea
        aria-label="Where to split"
        aria-readonly
        value={text}
        // Not `readOnly`: there the cursor could not be seen or moved by keys.
        onChange={() => undefined}
        onSelect={(event) => setAt(event.currentTarget.selectionStart)}
        className="h-64 w-full rounded-md border border-line bg-page p-2 font-mono text-[13px]"
      />
      <p className="mt-2 h-5 truncate text-xs text-faint">
        {isInside ? `The second one begins: ${text.slice(at, at + 80)}` : ''}
      </p>
    </Dialog>
  );
}
