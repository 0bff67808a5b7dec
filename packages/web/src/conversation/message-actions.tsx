import { Copy, Ellipsis, FileText, Pencil, RefreshCw } from 'lucide-react';
import { blocksOf, ROOT } from '../api/types.ts';
import { toggleRaw } from '../blocks/folds.ts';
import { plainText } from '../blocks/in-words.ts';
import { IconButton } from '../ui/button.tsx';
import { Menu } from '../ui/menu.tsx';
import { answerAgain } from './actions.ts';
import { startEditing } from './desk.ts';
import { copyText } from './marking.ts';
import { type MessageActionsProps, menuItems } from './message-menu.tsx';

/** What can be done with a message: the frequent at hand, all of it in the menu. */
export function MessageActions({ node, isBookmarked, isMarked, isRaw }: MessageActionsProps) {
  const isAnswer = node.role === 'assistant' && node.parent !== ROOT;
  return (
    <div className="flex shrink-0 items-center opacity-0 group-focus-within:opacity-100 group-hover:opacity-100 group-data-selected:opacity-100 pointer-coarse:opacity-100">
      {node.role !== 'tool' && (
        <IconButton
          plainTip
          label={isAnswer ? 'Answer again' : 'Answer this'}
          keys="g"
          className="max-sm:hidden"
          onClick={() => void answerAgain(node)}
        >
          <RefreshCw size={14} />
        </IconButton>
      )}
      {node.role !== 'tool' && (
        <IconButton
          plainTip
          label="Edit as a branch"
          keys="e"
          className="max-sm:hidden"
          onClick={() => startEditing(node.id)}
        >
          <Pencil size={14} />
        </IconButton>
      )}
      <IconButton
        plainTip
        label="Copy text"
        className="max-sm:hidden"
        onClick={() => void copyText(plainText(blocksOf(node)), 'The text was')}
      >
        <Copy size={14} />
      </IconButton>
      <IconButton
        plainTip
        label={isRaw ? 'Show as markdown' : 'Show as written'}
        className="max-sm:hidden"
        pressed={isRaw}
        onClick={() => toggleRaw(node.id)}
      >
        <FileText size={14} />
      </IconButton>
      <Menu
        trigger={
          <IconButton plainTip label="More to do with this message">
            <Ellipsis size={14} />
          </IconButton>
        }
        items={menuItems({ node, isBookmarked, isMarked, isRaw })}
      />
    </div>
  );
}
