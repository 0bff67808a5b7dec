import { Clock, Pencil, X } from 'lucide-react';
import { useEffect, useRef } from 'react';
import type { Block } from '../../api/types.ts';
import { plainText, summarizeBlocks } from '../../blocks/summary.ts';
import { IconButton } from '../../ui/button.tsx';
import { t } from '../../words/words.ts';
import { changeDraft, readDraft, useDraft } from './draft.ts';

/** The messages that wait for the end of the answer. Each can be taken back into the field or dropped. */
export function QueueList({ place, isGrowing }: { readonly place: string; readonly isGrowing: boolean }) {
  const [{ queue, text }, change] = useDraft(place);
  if (queue.length === 0) return null;
  const without = (id: string) => queue.filter((one) => one.id !== id);
  return (
    <ol aria-label={t('composer.queued-messages')} className="mb-2 flex flex-col gap-1">
      {queue.map(({ id, content }) => (
        <li
          key={id}
          className="flex items-center gap-2 rounded-lg border border-dashed border-line-strong bg-page py-1 pr-1 pl-3 text-xs text-soft"
        >
          <Clock size={14} aria-hidden className="shrink-0" />
          <span className="min-w-0 grow truncate">{summarizeBlocks(content, 120)}</span>
          <span className="shrink-0 text-faint">
            {isGrowing ? t('composer.queued-next') : t('composer.queued-later')}
          </span>
          <IconButton
            label={t('composer.queued-edit')}
            className="!size-6"
            onClick={() => change({ queue: without(id), text: [text, plainText(content)].filter(Boolean).join('\n') })}
          >
            <Pencil size={12} />
          </IconButton>
          <IconButton
            label={t('composer.queued-drop')}
            className="!size-6"
            onClick={() => change({ queue: without(id) })}
          >
            <X size={12} />
          </IconButton>
        </li>
      ))}
    </ol>
  );
}

/** Sends the first queued message whenever the conversation is ready for it. A message that cannot be sent stays. */
export function useQueue(place: string, isReady: boolean, send: (content: readonly Block[]) => Promise<boolean>): void {
  const [{ queue }] = useDraft(place);
  const isBusy = useRef(false);
  const next = queue[0];
  // biome-ignore lint/correctness/useExhaustiveDependencies: `send` is another function at every drawing
  useEffect(() => {
    if (!isReady || !next || isBusy.current) return;
    isBusy.current = true;
    changeDraft(place, { queue: readDraft(place).queue.filter(({ id }) => id !== next.id) });
    void send(next.content).then((isStored) => {
      isBusy.current = false;
      if (!isStored) changeDraft(place, { queue: [next, ...readDraft(place).queue] });
    });
  }, [isReady, next, place]);
}
