import { useQuery } from '@tanstack/react-query';
import { Bot, GitFork, Radio, Trash2 } from 'lucide-react';
import { type ReactNode, useEffect } from 'react';
import { Link } from 'wouter';
import { queries } from '../api/queries.ts';
import type { Block, Lineage } from '../api/types.ts';
import { loadMarkdown } from '../blocks/blocks.tsx';
import { type ConversationAddress, toAddress, toSessionAddress } from '../state/address.ts';
import { isInLineage } from '../state/lineage.ts';
import { getNode, refreshChildren } from '../state/nodes.ts';
import { Button } from '../ui/button.tsx';
import { Failed, Loading } from '../ui/states.tsx';
import { t, tx } from '../words/words.ts';
import { reportErrors, type SendPlan, send, stop } from './actions.ts';
import { Composer } from './composer/composer.tsx';
import { Destination } from './composer/destination.tsx';
import { useQueue } from './composer/queue-list.tsx';
import { Dialogs } from './dialogs.tsx';
import { NewConversation } from './new-conversation.tsx';
import { Panes } from './panes.tsx';
import { restoreAt } from './remove-messages.ts';
import { StatusLine } from './status-line.tsx';
import { ThreadView } from './thread.tsx';
import { ThreadCommands } from './thread-commands.tsx';
import { useConversationKeys } from './use-conversation-keys.ts';
import { type ShownThread, useThread } from './use-thread.ts';

/** One conversation with its composer and inspector; without an address, a new conversation. */
export default function ConversationScreen(place: ConversationAddress) {
  return place.thread === undefined && place.node === undefined ? <NewConversation /> : <Conversation {...place} />;
}

function Conversation({ thread: id, node }: ConversationAddress) {
  const { thread, error, retry } = useThread(id, node);
  useEffect(() => void loadMarkdown(), []);
  if (thread) return <OpenConversation {...thread} />;
  if (error !== undefined) return <Failed error={error} onRetry={retry} />;
  return (
    <div className="mx-auto w-full max-w-3xl px-5 py-2">
      <Loading lines={6} label={t('conversation.loading')} />
    </div>
  );
}

function OpenConversation(thread: ShownThread) {
  const { owner, selected, leaf, path, tail } = thread;
  useConversationKeys(thread);
  const isGrowing = tail?.branch.status === 'running';
  const isLeaf = selected === leaf;
  // A conversation has one draft, wherever the reader is in it.
  const place = owner?.id ?? path[0]!.id;
  const write = (content: readonly Block[], plan: SendPlan) => send(selected.id, [{ role: 'user', content }], plan);
  const isReady = isLeaf && !tail && leaf.role === 'assistant' && !leaf.removed;
  useQueue(place, isReady ? leaf.id : undefined, async (content) => {
    // A hidden page hears nothing of what others write. What goes on here is shown first.
    let isEnd = false;
    await reportErrors(async () => {
      const below = await refreshChildren(leaf.id);
      isEnd = !below.some((id) => isInLineage(getNode(id)!, owner?.lineage));
    });
    return isEnd && write(content, { answers: 1 });
  });
  return (
    <div className="flex h-full flex-col">
      <Panes node={selected.id} leaf={leaf.id}>
        <div className="flex h-full min-w-0 flex-col">
          {leaf.removed && <RemovedNote thread={thread} />}
          {owner && <ThreadNote thread={owner} />}
          <ThreadView key={place} {...thread} />
          {!selected.removed && (
            <Composer
              place={place}
              isGrowing={isGrowing && isLeaf}
              placeholder={isLeaf ? t('conversation.go-on') : t('conversation.go-on-about')}
              onSend={write}
              onStop={isGrowing ? () => void stop(tail.live.id) : undefined}
            >
              <Destination parent={selected} isLeaf={isLeaf} path={path} />
            </Composer>
          )}
        </div>
      </Panes>
      <StatusLine {...thread} />
      <Dialogs leaf={leaf.id} />
      {owner && <ThreadCommands thread={owner} />}
    </div>
  );
}

/** Shown above a deleted branch, which can be read and restored but not continued. */
function RemovedNote({ thread: { path } }: { readonly thread: ShownThread }) {
  const top = path.find(({ removed }) => removed)!;
  return (
    <div role="status" className="flex items-center gap-2 border-b border-line bg-warn-soft px-3 py-1 text-warn">
      <Trash2 size={14} aria-hidden />
      <p className="grow">{t('conversation.deleted')}</p>
      <Button small onClick={() => void restoreAt(top)}>
        {t('conversation.restore')}
      </Button>
    </div>
  );
}

/** Says that a conversation was recorded or forked. */
function ThreadNote({ thread }: { readonly thread: Lineage }) {
  const { recorded, forkedFrom, unrecorded } = thread;
  const isSession = thread.agent !== undefined || thread.session !== undefined;
  if (!recorded && forkedFrom === undefined && !isSession) return null;
  return (
    <div
      role="note"
      aria-label={t('conversation.about')}
      className="flex min-h-7 shrink-0 flex-col justify-center gap-x-4 border-b border-line bg-sunken px-3 py-1 text-xs text-soft"
    >
      {recorded && (
        <Line icon={<Radio size={14} aria-hidden className="mt-px shrink-0" />}>{t('conversation.recorded')}</Line>
      )}
      {isSession && (
        <Line icon={<Bot size={14} aria-hidden className="mt-px shrink-0" />}>
          {describeSession(thread)}{' '}
          <Link href={toSessionAddress(thread.id)} className="text-accent underline underline-offset-2">
            {t('conversation.session-open')}
          </Link>
        </Line>
      )}
      {unrecorded !== undefined && <Line>{t('conversation.unrecorded', { unrecorded })}</Line>}
      {forkedFrom !== undefined && <ForkedFrom thread={forkedFrom} />}
    </div>
  );
}

function ForkedFrom({ thread }: { readonly thread: string }) {
  const { data } = useQuery(queries.thread(thread));
  return (
    <Line icon={<GitFork size={14} aria-hidden className="mt-px shrink-0" />}>
      {tx(data?.recorded ? 'conversation.fork-of-recorded' : 'conversation.fork-of', {
        conversation: (
          <Link href={toAddress(thread)} className="text-accent underline underline-offset-2">
            {data?.title || t('conversation.fork-untitled')}
          </Link>
        ),
      })}
    </Line>
  );
}

function describeSession({ agent, cwd: folder }: Lineage): string {
  if (agent !== undefined)
    return folder ? t('conversation.session-of-in', { agent, folder }) : t('conversation.session-of', { agent });
  return folder ? t('conversation.session-in', { folder }) : t('conversation.session');
}

function Line({ icon, children }: { readonly icon?: ReactNode; readonly children: ReactNode }) {
  return (
    <p className="flex min-w-0 items-start gap-2">
      {icon}
      <span className="line-clamp-2 min-w-0 break-words">{children}</span>
    </p>
  );
}
