import { GitFork, Pin, Star, Undo2 } from 'lucide-react';
import { memo, useEffect } from 'react';
import { base } from '../api/base.ts';
import { changeThread } from '../api/threads.ts';
import type { Summary, Thread } from '../api/types.ts';
import { toAddress } from '../state/address.ts';
import { plainLine } from '../state/plain-words.ts';
import { requestSummary, useSummaries } from '../state/summaries.ts';
import { isPinned, plainTags } from '../state/thread-state.ts';
import { RenameField } from '../ui/field.tsx';
import { ago, money } from '../ui/format.ts';
import { toastError } from '../ui/toasts.tsx';
import { t } from '../words/words.ts';

interface ThreadRowProps {
  readonly thread: Thread;
  /** The number of groups that it is nested in. */
  readonly depth: number;
  readonly isSelected: boolean;
  readonly isRenaming: boolean;
  readonly onRenamed: () => void;
}

/** Tags that a row has room for. */
const MOST_TAGS = 2;

const nothing = () => undefined;

/**
 * One conversation of the list. Thousands of rows pass by when the list is scrolled, so a row has no handlers, menus or queries
 * of its own: the list finds by `data-thread` and `data-act` what was pressed.
 */
export const ThreadRow = memo(function ThreadRow(props: ThreadRowProps) {
  const { thread, depth, isSelected, isRenaming, onRenamed } = props;
  const { id, title, rating, updatedAt, deleted, forkedFrom } = thread;
  const summary = useSummaries(({ of }) => of.get(id));
  useEffect(() => requestSummary(thread), [thread]);
  const name = title || t('threads.untitled');
  const tags = plainTags(thread);
  return (
    <div
      data-thread={id}
      className={`group flex min-h-15 items-center gap-2 border-b border-line py-2 pr-1 sm:gap-3 ${isSelected ? 'bg-accent-soft' : 'hover:bg-hover/40'} ${INDENTS[depth]}`}
    >
      {!deleted && (
        // A finger presses what is around the box, too.
        <label className="flex shrink-0 pointer-coarse:-m-2.5 pointer-coarse:p-2.5">
          <input
            type="checkbox"
            data-act="select"
            aria-label={t('threads.select', { name })}
            checked={isSelected}
            onChange={nothing}
            className={`size-4 pointer-coarse:size-5 ${QUIET}`}
          />
        </label>
      )}
      <div className="min-w-0 grow">
        {isRenaming ? (
          <RenameField
            title={title}
            onRename={(news) => void changeThread(id, { title: news }).catch(toastError)}
            onDone={onRenamed}
          />
        ) : (
          <div className="flex items-center gap-2">
            {isPinned(thread) && (
              <Pin size={12} role="img" aria-label={t('threads.pinned-label')} className="shrink-0 text-accent" />
            )}
            <a data-title href={`${base}${toAddress(id)}`} className="truncate font-medium hover:underline">
              {name}
            </a>
            {forkedFrom !== undefined && (
              <span className="flex shrink-0 items-center gap-1 text-xs text-faint">
                <GitFork size={12} aria-hidden /> {t('threads.fork')}
              </span>
            )}
            {tags.length > 0 && (
              <ul
                aria-label={t('threads.tags')}
                title={tags.join(', ')}
                className="flex max-w-1/2 shrink-0 gap-1 overflow-hidden max-sm:hidden"
              >
                {tags.slice(0, MOST_TAGS).map((tag) => (
                  <li key={tag} className="truncate rounded-full bg-sunken px-2 text-xs text-soft">
                    {tag}
                  </li>
                ))}
                {tags.length > MOST_TAGS && (
                  <li className="shrink-0 text-xs text-faint">
                    {t('threads.more-tags', { count: tags.length - MOST_TAGS })}
                  </li>
                )}
              </ul>
            )}
          </div>
        )}
        <p className={`truncate text-xs text-soft ${isRenaming ? 'hidden' : ''}`}>
          {summary ? summaryLine(summary, title) : ' '}
        </p>
        <p className={`gap-2 text-xs text-faint sm:hidden ${isRenaming ? 'hidden' : 'flex'}`}>
          {[size(summary), cost(summary), ago(updatedAt)].filter(Boolean).join(' · ')}
        </p>
      </div>
      {rating !== undefined && (
        <span className="flex shrink-0 items-center gap-0.5 text-xs text-warn">
          <Star size={12} aria-hidden className="fill-current" />
          <span className="sr-only">{t('list.rating')}</span>
          {rating}
        </span>
      )}
      <p className="grid shrink-0 grid-cols-[6.5rem_4.5rem_7rem] gap-2 text-right text-xs text-faint tabular-nums max-sm:hidden">
        <span>{size(summary)}</span>
        <span>{cost(summary)}</span>
        <span>{ago(updatedAt)}</span>
      </p>
      {deleted ? (
        <button type="button" data-act="restore" aria-label={t('threads.restore-this', { name })} className={RESTORE}>
          <Undo2 size={14} aria-hidden /> {t('threads.restore')}
        </button>
      ) : (
        <button
          type="button"
          data-act="menu"
          aria-haspopup="menu"
          aria-label={t('threads.more', { name })}
          className={`${MORE} ${QUIET}`}
        >
          {DOTS}
        </button>
      )}
    </div>
  );
});

/** Drawn by hand: the component of an icon costs more than the rest of a row. */
const DOTS = (
  <svg width={16} height={16} viewBox="0 0 24 24" fill="currentColor" aria-hidden>
    <path d="M3 12a2 2 0 1 0 4 0a2 2 0 1 0-4 0M10 12a2 2 0 1 0 4 0a2 2 0 1 0-4 0M17 12a2 2 0 1 0 4 0a2 2 0 1 0-4 0" />
  </svg>
);

/** Shown while the pointer or the focus is on the row, or a row is selected. A finger has no way to ask for it. */
const QUIET =
  'pointer-fine:opacity-0 group-hover:opacity-100 group-focus-within:opacity-100 group-data-selecting/list:opacity-100';

const MORE =
  'inline-flex size-7 shrink-0 items-center justify-center rounded-md text-soft hover:bg-hover hover:text-ink pointer-coarse:size-10';
const RESTORE =
  'inline-flex h-7 shrink-0 items-center gap-1.5 rounded-md border border-line bg-surface px-2 text-xs font-medium hover:bg-hover pointer-coarse:h-10';

/** The indentation by depth. Class names are written out so that Tailwind finds them. */
export const INDENTS: readonly string[] = ['pl-3', 'pl-9', 'pl-14'];

function size(summary: Summary | undefined): string {
  if (!summary) return '';
  return t('threads.messages-count', { count: summary.messages });
}

function cost(summary: Summary | undefined): string {
  return summary?.cost ? money(summary.cost) : '';
}

/** The beginning of a conversation, or its end if the title repeats the beginning. */
function summaryLine({ preview, last, messages }: Summary, title: string): string {
  const isSaid = [preview, plainLine(preview)].some((words) => words.startsWith(title.replace(/…$/, '')));
  if (isSaid && messages === 1) return t('threads.no-answer');
  return plainLine((isSaid ? last : preview) || preview) || t('threads.no-text');
}
