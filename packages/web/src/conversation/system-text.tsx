import { blocksOf, type Node } from '../api/types.ts';
import { Blocks } from '../blocks/blocks.tsx';
import { Fold } from '../blocks/fold.tsx';
import { useFold } from '../blocks/folds.ts';
import { inWords, plainText } from '../blocks/in-words.ts';
import { Button } from '../ui/button.tsx';
import { shortNumber } from '../ui/format.ts';
import { startEditing } from './desk.ts';

/** What the model is told before all else: one line until it is asked for. */
export function SystemText({ node, isRaw }: { readonly node: Node; readonly isRaw: boolean }) {
  const [isOpen, toggle] = useFold(node.id, 'system');
  const blocks = blocksOf(node);
  return (
    <Fold
      label="System text"
      isOpen={isOpen}
      onToggle={toggle}
      summary={
        <>
          <span className="min-w-0 truncate text-ink">{inWords(blocks)}</span>
          <span className="shrink-0 text-faint">{shortNumber(plainText(blocks).length)} characters</span>
        </>
      }
    >
      <div className="p-3">
        <Blocks node={node.id} blocks={blocks} raw={isRaw} />
        <Button small className="mt-2" onClick={() => startEditing(node.id)}>
          Change
        </Button>
      </div>
    </Fold>
  );
}
