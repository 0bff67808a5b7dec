import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useEffect, useState } from 'react';
import { diffTags } from '../api/tags.ts';
import { type Node, ROOT } from '../api/types.ts';
import { plainText, summarizeBlocks } from '../blocks/summary.ts';
import { pathTo, useNodes } from '../state/nodes.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { t } from '../words/words.ts';
import { addSystemText } from './actions.ts';
import { useDraftText } from './composer/draft.ts';
import { bookmarkBelow, mark, split } from './marks.ts';
import { otherBranches, removeBranch, removeOthers } from './remove-messages.ts';
import { closeDialog, type DialogRequest, useScreenState } from './screen-state.ts';

/** The dialog about a message that is open, if any. */
export function Dialogs({ leaf }: { readonly leaf: string }) {
  const asking = useScreenState((desk) => desk.dialog);
  return asking ? <OpenDialog key={`${asking.what}-${asking.node.id}`} {...asking} leaf={leaf} /> : null;
}

function OpenDialog({ what, node, leaf }: DialogRequest & { readonly leaf: string }) {
  switch (what) {
    case 'delete':
      return <DeleteDialog node={node} />;
    case 'delete-others':
      return <DeleteOthersDialog leaf={leaf} />;
    case 'split':
      return <SplitDialog node={node} />;
    case 'system':
      return <SystemDialog leaf={leaf} />;
    default:
      return <MessageMarksDialog what={what} node={node} />;
  }
}

/** Asks for the system text of a conversation that has none. */
function SystemDialog({ leaf }: { readonly leaf: string }) {
  const [text, setText] = useDraftText(`system.${leaf}`);
  const isEmpty = text.trim() === '';
  const save = () => {
    if (isEmpty) return;
    closeDialog();
    void addSystemText(leaf, text).then((isAdded) => isAdded && setText(''));
  };
  return (
    <Dialog
      open
      wide
      onClose={closeDialog}
      title={t('system-text.add')}
      action={
        <Button look="primary" disabled={isEmpty} onClick={save}>
          {t('dialogs.save')}
        </Button>
      }
    >
      <p className="mb-2 text-sm text-soft">{t('system-text.about')}</p>
      <textarea
        aria-label={t('system-text.label')}
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

/** Asks where to split a message. */
function SplitDialog({ node }: { readonly node: Node }) {
  const text = plainText(node.content);
  const [at, setAt] = useState<number>();
  const isInside = at !== undefined && at > 0 && at < text.length;
  return (
    <Dialog
      open
      wide
      onClose={closeDialog}
      title={t('split.title')}
      action={
        <Button
          look="primary"
          disabled={!isInside}
          onClick={() => {
            closeDialog();
            void split(node, at!);
          }}
        >
          {t('split.split')}
        </Button>
      }
    >
      <p className="mb-2 text-sm text-soft">{t('split.about')}</p>
      <textarea
        aria-label={t('split.field')}
        aria-readonly
        value={text}
        // Not `readOnly`: the cursor could then not be seen or moved by keys.
        onChange={() => undefined}
        onSelect={(event) => setAt(event.currentTarget.selectionStart)}
        className="h-64 w-full rounded-md border border-line bg-page p-2 font-mono text-[13px]"
      />
      <p className="mt-2 h-5 truncate text-xs text-faint">
        {isInside ? t('split.second', { text: text.slice(at, at + 80) }) : ''}
      </p>
    </Dialog>
  );
}

/** Asks for the tags or the note of a message. */
function MessageMarksDialog({ what, node }: { readonly what: 'tag' | 'note'; readonly node: Node }) {
  const isTag = what === 'tag';
  const [text, setText] = useState(isTag ? node.marks.tags.join(', ') : (node.marks.note ?? ''));
  const save = () => {
    closeDialog();
    void mark(node, isTag ? { tags: diffTags(node.marks.tags, text) } : { note: text.trim() || null });
  };
  return (
    <Dialog
      open
      onClose={closeDialog}
      title={isTag ? t('dialogs.tags') : t('dialogs.note')}
      action={
        <Button look="primary" onClick={save}>
          {t('dialogs.save')}
        </Button>
      }
    >
      {isTag && <p className="mb-2 text-sm text-soft">{t('dialogs.tags-field')}</p>}
      <textarea
        aria-label={isTag ? t('dialogs.tags-field') : t('dialogs.note')}
        placeholder={isTag ? t('dialogs.tags-example') : t('dialogs.note-example')}
        value={text}
        rows={isTag ? 2 : 5}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || !(isTag || event.ctrlKey || event.metaKey)) return;
          event.preventDefault();
          save();
        }}
        className="w-full rounded-md border border-line bg-page p-2"
      />
    </Dialog>
  );
}

function DeleteDialog({ node }: { readonly node: Node }) {
  const { data: bookmark, isPending } = useQuery({
    queryKey: ['bookmarks', 'below', node.id],
    queryFn: () => bookmarkBelow(node.id),
  });
  if (bookmark)
    return (
      <ConfirmDialog title={t('delete.title')} action={t('delete.delete')} isDisabled onSure={closeDialog}>
        <p>{t('delete.bookmarked', { title: bookmark.title })}</p>
      </ConfirmDialog>
    );
  return (
    <ConfirmDialog
      title={t('delete.title')}
      action={t('delete.delete')}
      isDisabled={isPending}
      onSure={() => void removeBranch(node)}
    >
      <p>{node.parent === ROOT ? t('delete.whole-conversation') : t('delete.branch')}</p>
      <blockquote className="mt-2 border-l-2 border-line-strong pl-3 text-soft">
        {summarizeBlocks(node.content)}
      </blockquote>
    </ConfirmDialog>
  );
}

function DeleteOthersDialog({ leaf }: { readonly leaf: string }) {
  const [count, setCount] = useState<number>();
  const path = pathTo(useNodes.getState().nodes, leaf);
  // biome-ignore lint/correctness/useExhaustiveDependencies: counted once, for the path that was asked about
  useEffect(() => {
    otherBranches(path).then(
      (found) => setCount(found.length),
      () => setCount(0),
    );
  }, []);
  return (
    <ConfirmDialog
      title={t('delete.others-title')}
      action={t('delete.delete')}
      isDisabled={!count}
      onSure={() => void removeOthers(path)}
    >
      <p>
        {count === undefined
          ? t('delete.others-counting')
          : count === 0
            ? t('delete.others-none')
            : t('delete.others-about', { count })}
      </p>
    </ConfirmDialog>
  );
}

interface ConfirmDialogProps {
  readonly title: string;
  readonly action: string;
  readonly onSure: () => void;
  readonly isDisabled?: boolean;
  readonly children: ReactNode;
}

function ConfirmDialog({ title, action, onSure, isDisabled = false, children }: ConfirmDialogProps) {
  const sure = () => {
    closeDialog();
    onSure();
  };
  return (
    <Dialog
      open
      onClose={closeDialog}
      title={title}
      action={
        <Button look="danger" disabled={isDisabled} onClick={sure} data-first>
          {action}
        </Button>
      }
    >
      {children}
    </Dialog>
  );
}
