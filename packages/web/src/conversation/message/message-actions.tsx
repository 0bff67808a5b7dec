import {
  Bookmark,
  Braces,
  Copy,
  CornerDownRight,
  Ellipsis,
  FileText,
  GitCompare,
  GitFork,
  Link2,
  Pencil,
  RefreshCw,
  Scissors,
  Settings2,
  StickyNote,
  Tag,
  ThumbsDown,
  ThumbsUp,
  Trash2,
  TreePine,
} from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { type Node, ROOT } from '../../api/types.ts';
import { toggleRaw } from '../../blocks/folds.ts';
import { plainText } from '../../blocks/summary.ts';
import { goTo } from '../../state/place.ts';
import { showTab, toggleMarked } from '../../state/view.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { Menu, type MenuItem } from '../../ui/menu.tsx';
import { answerAgain, edit } from '../actions.ts';
import { focusComposer } from '../composer/composer.tsx';
import { copyText, forkThread, linkTo, rate, toggleBookmark } from '../marks.ts';
import { openDialog, startEditing, stopEditing } from '../screen-state.ts';

/** The actions on a message: frequent ones as buttons, all of them in the menu. */
export function MessageActions({ node, isBookmarked, isMarked, isRaw }: MessageActionsProps) {
  const isAnswer = node.role === 'assistant' && node.parent !== ROOT;
  const canBranch = node.role !== 'tool' && !node.removed;
  return (
    <div className="flex shrink-0 items-center opacity-0 transition-opacity group-focus-within:opacity-100 group-hover:opacity-100 group-data-selected:opacity-100 pointer-coarse:opacity-100">
      {canBranch && (
        <IconButton
          label={isAnswer ? 'Answer again' : 'Answer this'}
          keys="g"
          className="max-sm:hidden"
          onClick={() => void answerAgain(node)}
        >
          <RefreshCw size={14} />
        </IconButton>
      )}
      {canBranch && (
        <IconButton label="Edit as a branch" keys="e" className="max-sm:hidden" onClick={() => startEditing(node.id)}>
          <Pencil size={14} />
        </IconButton>
      )}
      <IconButton
        label="Copy text"
        className="max-sm:hidden"
        onClick={() => void copyText(plainText(node.content), 'The text was')}
      >
        <Copy size={14} />
      </IconButton>
      <IconButton
        label={isRaw ? 'Show as markdown' : 'Show as written'}
        className="max-sm:hidden"
        pressed={isRaw}
        onClick={() => toggleRaw(node.id)}
      >
        <FileText size={14} />
      </IconButton>
      <Menu
        trigger={
          <IconButton label="More to do with this message">
            <Ellipsis size={14} />
          </IconButton>
        }
        items={menuItems({ node, isBookmarked, isMarked, isRaw })}
      />
    </div>
  );
}

interface MessageActionsProps {
  readonly node: Node;
  readonly isBookmarked: boolean;
  readonly isMarked: boolean;
  readonly isRaw: boolean;
}

/** The menu of all actions on a message. */
function menuItems({ node, isBookmarked, isMarked, isRaw }: MessageActionsProps): readonly (MenuItem | null)[] {
  const isAnswer = node.role === 'assistant' && node.parent !== ROOT;
  const again = isAnswer ? 'Answer again' : 'Answer this';
  // Nothing grows below a deleted message until it is restored.
  const disabled = node.removed;
  return [
    { title: again, icon: <RefreshCw size={14} />, keys: 'g', disabled, run: () => void answerAgain(node) },
    {
      title: `${again} three times`,
      icon: <RefreshCw size={14} />,
      keys: 'g 3',
      disabled,
      run: () => void answerAgain(node, 3),
    },
    {
      title: 'Edit as a branch',
      icon: <Pencil size={14} />,
      keys: 'e',
      disabled: disabled || node.role === 'tool',
      run: () => startEditing(node.id),
    },
    ...(node.parent === ROOT && node.role !== 'system'
      ? [{ title: 'Add a system text', icon: <Settings2 size={14} />, run: () => openDialog('system', node) }]
      : []),
    { title: 'Continue from here', icon: <CornerDownRight size={14} />, disabled, run: () => continueFrom(node) },
    null,
    {
      title: 'Copy text',
      icon: <Copy size={14} />,
      run: () => void copyText(plainText(node.content), 'The text was'),
    },
    {
      title: 'Copy link',
      icon: <Link2 size={14} />,
      run: () => void copyText(linkTo(node), 'The link was'),
    },
    {
      title: isRaw ? 'Show as markdown' : 'Show as written',
      icon: <FileText size={14} />,
      run: () => toggleRaw(node.id),
    },
    { title: 'Open raw', icon: <Braces size={14} />, keys: 'r', run: () => openRaw(node) },
    null,
    {
      title: isBookmarked ? 'Remove the bookmark' : 'Bookmark',
      icon: <Bookmark size={14} />,
      keys: 'b',
      run: () => void toggleBookmark(node),
    },
    { title: 'Tags', icon: <Tag size={14} />, run: () => openDialog('tag', node) },
    { title: 'Note', icon: <StickyNote size={14} />, run: () => openDialog('note', node) },
    {
      title: node.marks.rating === 1 ? 'No rating' : 'Good',
      icon: <ThumbsUp size={14} />,
      run: () => void rate(node, 1),
    },
    {
      title: node.marks.rating === -1 ? 'No rating ' : 'Bad',
      icon: <ThumbsDown size={14} />,
      run: () => void rate(node, -1),
    },
    {
      title: isMarked ? 'Unmark' : 'Mark to compare',
      icon: <GitCompare size={14} />,
      keys: 'm',
      run: () => toggleMarked(node.id),
    },
    null,
    { title: 'Fork as its own conversation', icon: <GitFork size={14} />, run: () => void forkThread(node) },
    {
      title: 'Split in two',
      icon: <Scissors size={14} />,
      disabled: disabled || plainText(node.content).length < 2,
      run: () => openDialog('split', node),
    },
    {
      title: 'Delete all but this path',
      icon: <TreePine size={14} />,
      danger: true,
      run: () => openDialog('delete-others', node),
    },
    {
      title: 'Delete branch',
      icon: <Trash2 size={14} />,
      keys: 'x',
      danger: true,
      run: () => openDialog('delete', node),
    },
  ];
}

function openRaw(node: Node): void {
  goTo(node.id, { replace: true });
  showTab('raw');
}

/** Selects the message and moves the focus to the composer, which appends below it. */
function continueFrom(node: Node): void {
  goTo(node.id, { replace: true });
  focusComposer();
}

/** The form to edit a message as a new branch. */
export function MessageEditor({ node, leaf }: { readonly node: Node; readonly leaf: string }) {
  const [text, setText] = useState(() => plainText(node.content));
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
            ? 'A new system text starts a new branch with the messages shown; the old branch stays.'
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
