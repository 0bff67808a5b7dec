import { Clock, Pencil, X } from 'lucide-react';
import { useEffect } from 'react';
import { create } from 'zustand';
import type { Block } from '../../api/types.ts';
import { summarizeBlocks } from '../../blocks/summary.ts';
import { useConnection } from '../../state/change-feed.ts';
import { IconButton } from '../../ui/button.tsx';
import { t } from '../../words/words.ts';
import { toBlocks } from './attachments.ts';
import { dropQueued, type QueuedMessage, useDraft } from './draft.ts';
import { noteSent, wasSent } from './draft-files.ts';

/** The messages that wait for the end of the answer. Each can be taken back into the field or dropped. */
export function QueueList({ place, isGrowing }: { readonly place: string; readonly isGrowing: boolean }) {
  const [{ queue, text, attachments }, change] = useDraft(place);
  const onTheWay = useOnTheWay((all) => all[place]);
  if (queue.length === 0) return null;
  const without = (id: string) => queue.filter((one) => one.id !== id);
  return (
    <ol aria-label={t('composer.queued-messages')} className="mb-2 flex flex-col gap-1">
      {queue.map((one) => (
        <li
          key={one.id}
          className="flex items-center gap-2 rounded-lg border border-dashed border-line-strong bg-page py-1 pr-1 pl-3 text-xs text-soft"
        >
          <Clock size={14} aria-hidden className="shrink-0" />
          <span className="min-w-0 grow truncate">{summarize(one)}</span>
          <span className="shrink-0 text-faint">
            {isGrowing ? t('composer.queued-next') : t('composer.queued-later')}
          </span>
          <IconButton
            label={t('composer.queued-edit')}
            className="!size-6"
            disabled={one.id === onTheWay}
            onClick={() =>
              change({
                queue: without(one.id),
                text: [text, one.text].filter(Boolean).join('\n'),
                attachments: [...attachments, ...one.attachments],
              })
            }
          >
            <Pencil size={12} />
          </IconButton>
          <IconButton
            label={t('composer.queued-drop')}
            className="!size-6"
            disabled={one.id === onTheWay}
            onClick={() => change({ queue: without(one.id) })}
          >
            <X size={12} />
          </IconButton>
        </li>
      ))}
    </ol>
  );
}

function summarize({ text, attachments }: QueuedMessage): string {
  return [summarizeBlocks([{ type: 'text', text }], 120), ...attachments.map(({ name }) => name)]
    .filter(Boolean)
    .join(' · ');
}

/** The queued message that is on its way from this page, by place. */
const useOnTheWay = create<Readonly<Record<string, string | undefined>>>(() => ({}));

/**
 * Sends the first queued message whenever the conversation is ready for it, which is when it has an end `at` which it may go on. A message that cannot be sent stays, and is sent when
 * the server is there again. Of several tabs with the conversation, one sends.
 */
export function useQueue(
  place: string,
  at: string | undefined,
  send: (content: readonly Block[]) => Promise<boolean>,
): void {
  const [{ queue }] = useDraft(place);
  const isConnected = useConnection((connection) => connection.isConnected);
  const next = queue[0];
  const isLoaded = next?.attachments.every(({ content }) => content) ?? false;
  // biome-ignore lint/correctness/useExhaustiveDependencies: `send` and `next` are others at every drawing
  useEffect(() => {
    if (at === undefined || !isConnected || !isLoaded || !next || useOnTheWay.getState()[place] !== undefined) return;
    useOnTheWay.setState({ [place]: next.id });
    const work = async () => {
      const isGone = (await wasSent(next.id)) || (await send(toBlocks(next.text, next.attachments)));
      if (!isGone) return;
      await noteSent(next.id);
      dropQueued(next.id);
    };
    void inOneTab(`skein.queue.${place}`, work).finally(() => useOnTheWay.setState({ [place]: undefined }));
  }, [at, isConnected, isLoaded, next?.id, place]);
}

/** Does it unless another tab is doing it. A page that another machine reads over plain HTTP has no locks. */
async function inOneTab(name: string, work: () => Promise<void>): Promise<void> {
  if (!('locks' in navigator)) return work();
  await navigator.locks.request(name, { ifAvailable: true }, async (lock) => {
    if (lock) await work();
  });
}
