import { Archive, ArchiveRestore, Network, Pencil, Pin, PinOff, Share2, Star, Trash2 } from 'lucide-react';
import { type KeyboardEvent, type ReactNode, useId, useState } from 'react';
import { useLocation } from 'wouter';
import { api, unwrap } from '../api/client.ts';
import { diffTags } from '../api/tags.ts';
import { changeThread, deleteThread, restoreThread } from '../api/threads.ts';
import type { Thread } from '../api/types.ts';
import { putNodes } from '../state/nodes.ts';
import { openExport } from '../state/overlays.ts';
import { ARCHIVED, isArchived, isPinned, PINNED, plainTags } from '../state/thread-state.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { TextField } from '../ui/field.tsx';
import type { MenuItem } from '../ui/menu.tsx';
import { toast, toastError } from '../ui/toasts.tsx';
import { t } from '../words/words.ts';

interface ThreadMenuActs {
  readonly onRename: (thread: Thread) => void;
  readonly onMark: (thread: Thread) => void;
  /** Called before the conversation is deleted. */
  readonly onDelete?: () => void;
}

/** An item of the menu of a conversation. The palette offers it, too, under this id. */
interface ThreadAct extends MenuItem {
  readonly id: string;
}

/** Returns the menu of a conversation. */
export function useThreadMenu(acts: ThreadMenuActs): (thread: Thread) => readonly (ThreadAct | null)[] {
  const { onRename, onMark, onDelete } = acts;
  const [, go] = useLocation();
  return (thread) => {
    const { id, head, title } = thread;
    const [isUp, isAway] = [isPinned(thread), isArchived(thread)];
    const pin = () => changeThread(id, { tags: { [PINNED]: !isUp } }).catch(toastError);
    return [
      { id: 'rename', title: t('threads.rename'), keys: 'F2', icon: <Pencil size={14} />, run: () => onRename(thread) },
      {
        id: 'pin',
        title: isUp ? t('threads.unpin') : t('threads.pin'),
        icon: isUp ? <PinOff size={14} /> : <Pin size={14} />,
        run: () => void pin(),
      },
      {
        id: 'archive',
        title: isAway ? t('threads.unarchive') : t('threads.archive'),
        icon: isAway ? <ArchiveRestore size={14} /> : <Archive size={14} />,
        run: () => archive([thread], !isAway),
      },
      { id: 'details', title: t('threads.edit-details'), icon: <Star size={14} />, run: () => onMark(thread) },
      null,
      {
        id: 'graph',
        title: t('threads.show-in-graph'),
        icon: <Network size={14} />,
        run: () => go(`/graph/${head}`),
      },
      {
        id: 'share',
        title: t('threads.share'),
        icon: <Share2 size={14} />,
        run: () => openExport({ kind: 'thread', id, title }),
      },
      null,
      {
        id: 'delete',
        title: t('threads.delete'),
        keys: 'Delete',
        danger: true,
        icon: <Trash2 size={14} />,
        run: () => {
          onDelete?.();
          deleteWithUndo([thread]);
        },
      },
    ];
  };
}

/** Takes conversations out of the lists, or back, and offers to undo it. */
export function archive(threads: readonly Thread[], isAway: boolean): void {
  const set = (isOn: boolean) =>
    all(threads, async (id) => void (await changeThread(id, { tags: { [ARCHIVED]: isOn } })));
  set(isAway).then(
    () =>
      toast(sayAbout(threads, isAway ? ARCHIVED_WORDS : UNARCHIVED_WORDS), {
        title: t('threads.undo'),
        run: () => void set(!isAway).catch(toastError),
      }),
    toastError,
  );
}

const ARCHIVED_WORDS = { one: 'threads.archived-one', several: 'threads.archived-several' } as const;
const UNARCHIVED_WORDS = { one: 'threads.unarchived-one', several: 'threads.unarchived-several' } as const;
const DELETED_WORDS = { one: 'threads.deleted-one', several: 'threads.deleted-several' } as const;

/** Says what happened to one conversation, by its title, or to so many. */
function sayAbout(
  threads: readonly Thread[],
  { one, several }: typeof ARCHIVED_WORDS | typeof UNARCHIVED_WORDS | typeof DELETED_WORDS,
): string {
  const [first] = threads;
  return threads.length === 1
    ? t(one, { title: first?.title || t('threads.untitled') })
    : t(several, { count: threads.length });
}

/** Title, tags, rating and note of a conversation. */
export function ThreadMarksDialog({ thread, onClose }: { readonly thread: Thread; readonly onClose: () => void }) {
  const [title, setTitle] = useState(thread.title);
  const [tags, setTags] = useState(plainTags(thread).join(', '));
  const [rating, setRating] = useState(thread.rating);
  const [note, setNote] = useState(thread.note ?? '');
  const id = useId();
  const save = () => {
    onClose();
    changeThread(thread.id, {
      ...(title.trim() !== thread.title && { title: title.trim() }),
      tags: diffTags(plainTags(thread), tags),
      rating: rating ?? null,
      note: note.trim() || null,
    }).catch(toastError);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Enter') return;
    // This key must not press the button that gets the focus back.
    event.preventDefault();
    save();
  };
  return (
    <Dialog
      open
      onClose={onClose}
      title={thread.title || t('threads.untitled')}
      action={
        <Button look="primary" onClick={save}>
          {t('threads.details-save')}
        </Button>
      }
    >
      <div className="flex flex-col gap-4">
        <Labelled id={`${id}-title`} label={t('ui.rename-title')}>
          <TextField
            id={`${id}-title`}
            value={title}
            maxLength={500}
            onChange={(event) => setTitle(event.target.value)}
            onKeyDown={onKeyDown}
          />
        </Labelled>
        <Labelled id={`${id}-tags`} label={t('threads.tags-field')}>
          <TextField
            id={`${id}-tags`}
            value={tags}
            placeholder={t('threads.tags-example')}
            onChange={(event) => setTags(event.target.value)}
            onKeyDown={onKeyDown}
          />
        </Labelled>
        <Stars rating={rating} onRate={setRating} />
        <Labelled id={`${id}-note`} label={t('threads.note')}>
          <textarea
            id={`${id}-note`}
            value={note}
            rows={4}
            onChange={(event) => setNote(event.target.value)}
            className="rounded-md border border-line bg-surface p-2 hover:border-line-strong"
          />
        </Labelled>
      </div>
    </Dialog>
  );
}

interface LabelledProps {
  readonly id: string;
  readonly label: string;
  readonly children: ReactNode;
}

function Labelled({ id, label, children }: LabelledProps) {
  return (
    <div className="flex flex-col gap-1">
      <label htmlFor={id} className="text-xs font-medium text-soft">
        {label}
      </label>
      {children}
    </div>
  );
}

interface StarsProps {
  readonly rating: number | undefined;
  readonly onRate: (rating: number | undefined) => void;
}

/** One to five. */
function Stars({ rating, onRate }: StarsProps) {
  const group = useId();
  return (
    <fieldset className="flex flex-col gap-1">
      <legend className="text-xs font-medium text-soft">{t('list.sort-rating')}</legend>
      <div className="flex items-center gap-1">
        {[1, 2, 3, 4, 5].map((stars) => (
          <label
            key={stars}
            className="cursor-pointer rounded p-1 has-focus-visible:outline-2 has-focus-visible:outline-accent"
          >
            <input
              type="radio"
              name={group}
              className="sr-only"
              aria-label={t('list.stars', { count: stars })}
              checked={rating === stars}
              onChange={() => onRate(stars)}
            />
            <Star
              size={18}
              aria-hidden
              className={rating !== undefined && rating >= stars ? 'fill-warn text-warn' : 'text-faint'}
            />
          </label>
        ))}
        {rating !== undefined && (
          <Button small look="quiet" onClick={() => onRate(undefined)}>
            {t('threads.no-rating')}
          </Button>
        )}
      </div>
    </fieldset>
  );
}

/** Deletes conversations and offers to undo it. */
export function deleteWithUndo(threads: readonly Thread[]): void {
  const undo = () => all(threads, restoreThread).catch(toastError);
  all(threads, deleteThread).then(
    () =>
      toast(sayAbout(threads, DELETED_WORDS), {
        title: t('threads.undo'),
        run: () => void undo(),
      }),
    toastError,
  );
}

export function restoreDeleted(thread: Thread): void {
  restoreWhole(thread).then(
    () => toast(t('threads.restored', { title: thread.title || t('threads.untitled') })),
    toastError,
  );
}

/** A conversation may have been deleted with its first message. */
async function restoreWhole({ id, head }: Thread): Promise<void> {
  const { items } = await unwrap(api.nodes[':node'].path.$get({ param: { node: head }, query: {} }));
  const [first] = items;
  if (first?.removed) putNodes([await unwrap(api.nodes[':node'].restore.$post({ param: { node: first.id } }))]);
  await restoreThread(id);
}

async function all(threads: readonly Thread[], act: (id: string) => Promise<void>): Promise<void> {
  for (const { id } of threads) await act(id);
}
