import { useQuery } from '@tanstack/react-query';
import { GitFork, Star, Undo2 } from 'lucide-react';
import { useEffect, useState } from 'react';
import { Link } from 'wouter';
import { queries } from '../api/queries.ts';
import { changeThread } from '../api/threads.ts';
import type { Thread } from '../api/types.ts';
import { toAddress } from '../state/address.ts';
import { Button } from '../ui/button.tsx';
import { RenameField } from '../ui/field.tsx';
import { ago, money, shortNumber } from '../ui/format.ts';
import { toastError } from '../ui/toasts.tsx';
import { deleteWithUndo, restoreDeleted, ThreadMenu } from './thread-menu.tsx';

interface ThreadRowProps {
  readonly thread: Thread;
  /** The number of groups that it is nested in. */
  readonly depth: number;
  readonly isSelected: boolean;
  readonly onSelect: (isOn: boolean) => void;
}

/** One conversation of the list. Its size and cost are fetched when it is in view. */
export function ThreadRow({ thread, depth, isSelected, onSelect }: ThreadRowProps) {
  const [isRenaming, setRenaming] = useState(false);
  const { id, title, tags, rating, updatedAt, deleted, forkedFrom } = thread;
  const { data } = useQuery({ ...queries.summary(id), enabled: useSettled() });
  const name = title || 'Untitled';
  return (
    <div
      className={`flex min-h-15 items-center gap-2 border-b border-line py-2 pr-1 hover:bg-hover/30 sm:gap-3 ${INDENTS[depth]}`}
    >
      {!deleted && (
        <input
          type="checkbox"
          aria-label={`Select ${name}`}
          checked={isSelected}
          onChange={(event) => onSelect(event.target.checked)}
          className="size-4 shrink-0 accent-accent"
        />
      )}
      <div className="min-w-0 grow">
        {isRenaming ? (
          <RenameField
            title={title}
            onRename={(news) => void changeThread(id, { title: news }).catch(toastError)}
            onDone={() => setRenaming(false)}
          />
        ) : (
          <div className="flex items-center gap-2">
            <Link
              data-title
              href={toAddress(id)}
              className="truncate font-medium hover:underline"
              onKeyDown={(event) => {
                if (event.key === 'F2' && !deleted) setRenaming(true);
                if (event.key === 'Delete' && !deleted) deleteWithUndo([thread]);
              }}
            >
              {name}
            </Link>
            {forkedFrom !== undefined && (
              <span className="flex shrink-0 items-center gap-1 text-xs text-faint">
                <GitFork size={12} aria-hidden /> fork
              </span>
            )}
            {tags.length > 0 && (
              <ul aria-label="Tags" className="flex min-w-0 shrink gap-1 overflow-hidden max-sm:hidden">
                {tags.map((tag) => (
                  <li key={tag} className="truncate rounded-full bg-sunken px-2 text-xs text-soft">
                    {tag}
                  </li>
                ))}
              </ul>
            )}
          </div>
        )}
        <p className="truncate text-xs text-soft">{data ? summaryLine(data, title) : ' '}</p>
        <p className="flex gap-2 text-xs text-faint sm:hidden">
          <Facts messages={data?.messages} cost={data?.cost} updatedAt={updatedAt} />
        </p>
      </div>
      {rating !== undefined && (
        <span className="flex shrink-0 items-center gap-0.5 text-xs text-warn">
          <Star size={12} aria-hidden className="fill-current" />
          <span className="sr-only">Rated</span>
          {rating}
        </span>
      )}
      <dl className="grid shrink-0 grid-cols-[6.5rem_4rem_6.5rem] gap-2 text-right text-xs text-faint tabular-nums max-sm:hidden">
        <Facts messages={data?.messages} cost={data?.cost} updatedAt={updatedAt} isTable />
      </dl>
      {deleted ? (
        <Button small onClick={() => restoreDeleted(thread)} aria-label={`Restore ${name}`}>
          <Undo2 size={14} aria-hidden />
          Restore
        </Button>
      ) : (
        <ThreadMenu thread={thread} onRename={() => setRenaming(true)} />
      )}
    </div>
  );
}

/** The beginning of a conversation, or its end if the title repeats the beginning. */
function summaryLine({ preview, last }: { readonly preview: string; readonly last: string }, title: string): string {
  const isSaid = preview.startsWith(title.replace(/…$/, ''));
  const words = (isSaid ? last : preview) || preview;
  // Removes the markdown of headings, lists and quotes.
  return words.replace(/(^|\s)(#+|[-*>])\s+/g, '$1') || 'No text';
}

interface FactsProps {
  readonly messages: number | undefined;
  readonly cost: number | undefined;
  readonly updatedAt: number;
  readonly isTable?: boolean;
}

function Facts({ messages, cost, updatedAt, isTable = false }: FactsProps) {
  const facts = [
    {
      name: 'Size',
      value: messages === undefined ? '' : `${shortNumber(messages)} ${messages === 1 ? 'message' : 'messages'}`,
    },
    { name: 'Cost', value: cost ? money(cost) : '' },
    { name: 'Last changed', value: ago(updatedAt) },
  ];
  return facts.map(({ name, value }) =>
    isTable ? (
      <div key={name}>
        <dt className="sr-only">{name}</dt>
        <dd>{value}</dd>
      </div>
    ) : (
      value && <span key={name}>{value}</span>
    ),
  );
}

const SETTLED_MS = 150;

/** True after a moment on screen, so that rows that scroll past fetch nothing. */
function useSettled(): boolean {
  const [isSettled, setSettled] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(true), SETTLED_MS);
    return () => clearTimeout(timer);
  }, []);
  return isSettled;
}

/** The indentation by depth. Class names are written out so that Tailwind finds them. */
export const INDENTS: readonly string[] = ['pl-3', 'pl-9', 'pl-14'];
