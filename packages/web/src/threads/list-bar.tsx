import { Archive, ArchiveRestore, Download, Pin, PinOff, Tag, Trash2 } from 'lucide-react';
import { useId, useState } from 'react';
import { listTags } from '../api/tags.ts';
import { changeThread } from '../api/threads.ts';
import type { Thread } from '../api/types.ts';
import { openExport } from '../state/overlays.ts';
import { ARCHIVED, isArchived, isPinned, PINNED, plainTags } from '../state/thread-state.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { ChoiceField, namedChoices, TextField } from '../ui/field.tsx';
import { FilterBar } from '../ui/filter-bar.tsx';
import { toastError } from '../ui/toasts.tsx';
import { t } from '../words/words.ts';
import type { ListPartProps } from './screen-head.tsx';
import { archive, deleteWithUndo } from './thread-menu.tsx';

const SORTINGS = [
  { value: '', title: t('list.sort-changed') },
  { value: 'created', title: t('list.sort-newest') },
  { value: 'title', title: t('list.sort-title') },
  { value: 'rating', title: t('list.sort-rating') },
] as const;

const SOURCES = [
  { value: '', title: t('list.source-any') },
  { value: 'written', title: t('list.source-here') },
  { value: 'recorded', title: t('list.source-recorded') },
  { value: 'session', title: t('list.source-session') },
  { value: 'fork', title: t('list.source-forks') },
  { value: 'pinned', title: t('list.source-pinned') },
] as const;

const RATINGS = [
  { value: '', title: t('list.rating-any') },
  ...[5, 4, 3, 2, 1].map((stars) => ({
    value: String(stars),
    title: t(stars === 5 ? 'list.stars' : 'list.stars-at-least', { count: stars }),
  })),
];

export const NO_FILTERS = { title: '', tag: '', rating: '', source: '' } as const;

/** Sorting and filters of the list. */
export function ThreadFilters({ address, onChange, threads }: ListPartProps) {
  const tags = listTags(threads.map((thread) => ({ tags: [...plainTags(thread)] })));
  const { title, tag, rating, source, sort } = address;
  return (
    <FilterBar
      label={t('list.label')}
      first={
        <TextField
          aria-label={t('list.title-filter')}
          placeholder={t('list.title-filter')}
          className="w-44 max-sm:w-0 max-sm:grow"
          value={title}
          onChange={(event) => onChange({ title: event.target.value })}
        />
      }
      count={[title, tag, rating, source].filter(Boolean).length}
      onClear={() => onChange(NO_FILTERS)}
    >
      <ChoiceField
        label={t('list.sort')}
        choices={SORTINGS}
        value={sort === 'changed' ? '' : sort}
        onChoose={(value) => onChange({ sort: value })}
      />
      <ChoiceField
        label={t('list.source')}
        choices={SOURCES}
        value={source}
        onChoose={(value) => onChange({ source: value })}
      />
      {(tags.length > 0 || tag) && (
        <ChoiceField
          label={t('list.tag')}
          value={tag}
          className="max-w-40"
          onChoose={(value) => onChange({ tag: value })}
          choices={namedChoices(t('list.tag-any'), [...tags, ...(tag ? [tag] : [])])}
        />
      )}
      <ChoiceField
        label={t('list.rating')}
        choices={RATINGS}
        value={rating}
        onChoose={(value) => onChange({ rating: value })}
      />
    </FilterBar>
  );
}

interface SelectionBarProps {
  readonly chosen: readonly Thread[];
  readonly shown: readonly Thread[];
  readonly onSelect: (ids: readonly string[]) => void;
}

/** Actions on the selected conversations. */
export function SelectionBar({ chosen, shown, onSelect }: SelectionBarProps) {
  const [isTagging, setTagging] = useState(false);
  const areArchived = chosen.every(isArchived);
  const arePinned = chosen.every(isPinned);
  const then = (act: () => void) => () => {
    onSelect([]);
    act();
  };
  return (
    <div role="toolbar" aria-label={t('selection.label')} className="flex min-h-8 flex-wrap items-center gap-2">
      <span className="mr-2 font-medium max-sm:mr-auto">{t('selection.count', { count: chosen.length })}</span>
      <Button onClick={then(() => setTag(chosen, PINNED, !arePinned))}>
        {arePinned ? <PinOff size={14} aria-hidden /> : <Pin size={14} aria-hidden />}
        <Label>{arePinned ? t('threads.unpin') : t('threads.pin')}</Label>
      </Button>
      <Button onClick={then(() => archive(chosen, !areArchived))}>
        {areArchived ? <ArchiveRestore size={14} aria-hidden /> : <Archive size={14} aria-hidden />}
        <Label>{areArchived ? t('threads.unarchive') : t('threads.archive')}</Label>
      </Button>
      <Button onClick={() => setTagging(true)}>
        <Tag size={14} aria-hidden /> <Label>{t('selection.tag')}</Label>
      </Button>
      <Button onClick={() => openExport({ kind: 'threads', ids: chosen.map(({ id }) => id) })}>
        <Download size={14} aria-hidden /> <Label>{t('threads.export')}</Label>
      </Button>
      <Button look="danger" onClick={then(() => deleteWithUndo(chosen))}>
        <Trash2 size={14} aria-hidden /> <Label>{t('threads.delete')}</Label>
      </Button>
      <div className="ml-auto flex flex-wrap gap-2 max-sm:-ml-3 max-sm:w-full">
        {chosen.length < shown.length && (
          <Button look="quiet" onClick={() => onSelect(shown.map(({ id }) => id))}>
            {t('selection.all', { count: shown.length })}
          </Button>
        )}
        <Button look="quiet" onClick={() => onSelect([])}>
          {t('selection.none')}
        </Button>
      </div>
      {isTagging && <TagDialog threads={chosen} onClose={() => setTagging(false)} />}
    </div>
  );
}

/** The words of a button; on a phone its icon has to do. */
function Label({ children }: { readonly children: string }) {
  return <span className="max-sm:sr-only">{children}</span>;
}

function setTag(threads: readonly Thread[], tag: string, isOn: boolean): void {
  const change = async () => {
    for (const { id } of threads) await changeThread(id, { tags: { [tag]: isOn } });
  };
  change().catch(toastError);
}

/** Adds a tag to several conversations, or removes one that all of them have. */
function TagDialog({ threads, onClose }: { readonly threads: readonly Thread[]; readonly onClose: () => void }) {
  const [tag, setWritten] = useState('');
  const id = useId();
  const name = tag.trim().slice(0, 100);
  const isOnAll = name !== '' && threads.every(({ tags }) => tags.includes(name));
  const save = () => {
    onClose();
    if (name && name !== ARCHIVED) setTag(threads, name, !isOnAll);
  };
  return (
    <Dialog
      open
      onClose={onClose}
      title={t('selection.tag-title', { count: threads.length })}
      action={
        <Button look="primary" disabled={name === ''} onClick={save}>
          {isOnAll ? t('selection.tag-remove') : t('selection.tag-add')}
        </Button>
      }
    >
      <label htmlFor={id} className="mb-1 block text-xs font-medium text-soft">
        {t('selection.tag')}
      </label>
      <TextField
        id={id}
        value={tag}
        list={`${id}-known`}
        className="w-full"
        onChange={(event) => setWritten(event.target.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Enter') return;
          // The focus goes back to the button that opened the dialog, and this key must not press it again.
          event.preventDefault();
          save();
        }}
      />
      <datalist id={`${id}-known`}>
        {[...new Set(threads.flatMap(plainTags))].map((known) => (
          <option key={known} value={known} />
        ))}
      </datalist>
    </Dialog>
  );
}
