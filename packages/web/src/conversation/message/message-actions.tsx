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
import { t } from '../../words/words.ts';
import { answerAgain, edit } from '../actions.ts';
import { focusComposer } from '../composer/composer.tsx';
import { changeDraft, readDraft } from '../composer/draft.ts';
import { copyText, forkThread, linkTo, rate, toggleBookmark } from '../marks.ts';
import { openDialog, startEditing, stopEditing } from '../screen-state.ts';

/** The actions on a message: frequent ones as buttons, all of them in the menu. */
export function MessageActions({ node, isBookmarked, isMarked, isRaw }: MessageActionsProps) {
  const isAnswer = node.role === 'assistant' && node.parent !== ROOT;
  const canBranch = node.role !== 'tool' && !node.removed;
  return (
    <div className="flex shrink-0 items-center opacity-0 first:-ml-1.5 pointer-coarse:first:-ml-3 transition-opacity group-focus-within:opacity-100 group-hover:opacity-100 group-data-selected:opacity-100 pointer-coarse:opacity-100">
      {canBranch && (
        <IconButton
          label={isAnswer ? t('message.answer-again') : t('message.answer')}
          keys="g"
          className="max-sm:hidden"
          onClick={() => void answerAgain(node)}
        >
          <RefreshCw size={14} />
        </IconButton>
      )}
      {canBranch && (
        <IconButton label={t('message.edit')} keys="e" className="max-sm:hidden" onClick={() => startEditing(node.id)}>
          <Pencil size={14} />
        </IconButton>
      )}
      <IconButton
        label={t('message.copy-text')}
        className="max-sm:hidden"
        onClick={() => void copyText(plainText(node.content), t('message.text-copied'))}
      >
        <Copy size={14} />
      </IconButton>
      <IconButton
        label={isRaw ? t('message.show-rendered') : t('message.show-source')}
        className="max-sm:hidden"
        pressed={isRaw}
        onClick={() => toggleRaw(node.id)}
      >
        <FileText size={14} />
      </IconButton>
      <Menu
        trigger={
          <IconButton label={t('message.more')}>
            <Ellipsis size={14} />
          </IconButton>
        }
        align={node.role === 'user' ? 'end' : 'start'}
        items={() => menuItems({ node, isBookmarked, isMarked, isRaw })}
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
  const again = isAnswer ? t('message.answer-again') : t('message.answer');
  // Nothing grows below a deleted message until it is restored.
  const disabled = node.removed;
  return [
    { title: again, icon: <RefreshCw size={14} />, keys: 'g', disabled, run: () => void answerAgain(node) },
    {
      title: isAnswer ? t('message.answer-again-three') : t('message.answer-three'),
      icon: <RefreshCw size={14} />,
      keys: 'g 3',
      disabled,
      run: () => void answerAgain(node, 3),
    },
    {
      title: t('message.edit'),
      icon: <Pencil size={14} />,
      keys: 'e',
      disabled: disabled || node.role === 'tool',
      run: () => startEditing(node.id),
    },
    ...(node.parent === ROOT && node.role !== 'system'
      ? [{ title: t('message.add-system-text'), icon: <Settings2 size={14} />, run: () => openDialog('system', node) }]
      : []),
    {
      title: t('message.continue'),
      icon: <CornerDownRight size={14} />,
      disabled,
      run: () => continueFrom(node),
    },
    null,
    {
      title: t('message.copy-text'),
      icon: <Copy size={14} />,
      run: () => void copyText(plainText(node.content), t('message.text-copied')),
    },
    {
      title: t('message.copy-link'),
      icon: <Link2 size={14} />,
      run: () => void copyText(linkTo(node), t('message.link-copied')),
    },
    {
      title: isRaw ? t('message.show-rendered') : t('message.show-source'),
      icon: <FileText size={14} />,
      run: () => toggleRaw(node.id),
    },
    { title: t('message.open-raw'), icon: <Braces size={14} />, keys: 'r', run: () => openRaw(node) },
    null,
    {
      title: isBookmarked ? t('message.remove-the-bookmark') : t('message.bookmark'),
      icon: <Bookmark size={14} />,
      keys: 'b',
      run: () => void toggleBookmark(node),
    },
    { title: t('message.tags'), icon: <Tag size={14} />, run: () => openDialog('tag', node) },
    { title: t('message.note'), icon: <StickyNote size={14} />, run: () => openDialog('note', node) },
    {
      title: node.marks.rating === 1 ? t('message.no-rating') : t('message.good'),
      icon: <ThumbsUp size={14} />,
      run: () => void rate(node, 1),
    },
    {
      title: node.marks.rating === -1 ? `${t('message.no-rating')} ` : t('message.bad'),
      icon: <ThumbsDown size={14} />,
      run: () => void rate(node, -1),
    },
    {
      title: isMarked ? t('message.unmark') : t('message.mark-to-compare'),
      icon: <GitCompare size={14} />,
      keys: 'm',
      run: () => toggleMarked(node.id),
    },
    null,
    { title: t('message.fork'), icon: <GitFork size={14} />, run: () => void forkThread(node) },
    {
      title: t('message.split'),
      icon: <Scissors size={14} />,
      disabled: disabled || plainText(node.content).length < 2,
      run: () => openDialog('split', node),
    },
    {
      title: t('message.delete-others'),
      icon: <TreePine size={14} />,
      danger: true,
      run: () => openDialog('delete-others', node),
    },
    {
      title: t('message.delete-branch'),
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

/** The form to edit a message as a new branch. What is not saved is there again when it opens, unless it was cancelled. */
export function MessageEditor({ node, leaf }: { readonly node: Node; readonly leaf: string }) {
  const place = `edit.${node.id}`;
  const before = plainText(node.content);
  const [text, setText] = useState(() => readDraft(place).text || before);
  const change = (next: string) => {
    setText(next);
    changeDraft(place, { text: next === before ? '' : next });
  };
  const cancel = () => {
    change(before);
    stopEditing();
  };
  const [isBusy, setBusy] = useState(false);
  const field = useRef<HTMLTextAreaElement>(null);
  useEffect(() => {
    field.current?.focus();
    field.current?.form?.scrollIntoView({ block: 'nearest' });
  }, []);
  const isSystem = node.role === 'system';
  const canAnswer = node.role === 'user';
  const save = async (answer: boolean) => {
    if (text.trim() === '' || isBusy) return;
    setBusy(true);
    const carry = isSystem && leaf !== node.id ? leaf : undefined;
    const isSaved = await edit(node, text, { answer, ...(carry !== undefined && { carry }) });
    if (isSaved) cancel();
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
        aria-label={isSystem ? t('message.system-text') : t('message.edit-field')}
        value={text}
        onChange={(event) => change(event.target.value)}
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
        <p className="grow text-xs text-faint">{isSystem ? t('message.edit-system-about') : t('message.edit-about')}</p>
        <Button small look="quiet" onClick={cancel}>
          {t('message.edit-cancel')}
        </Button>
        <Button small type="submit" look={canAnswer ? 'plain' : 'primary'} disabled={isBusy || text.trim() === ''}>
          {t('message.edit-save')}
        </Button>
        {canAnswer && (
          <Button small look="primary" disabled={isBusy || text.trim() === ''} onClick={() => void save(true)}>
            {t('message.edit-send')}
          </Button>
        )}
      </div>
    </form>
  );
}
