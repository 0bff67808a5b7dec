import { useQuery } from '@tanstack/react-query';
import { Bot, GitFork, Radio, Trash2, X } from 'lucide-react';
import { lazy, type ReactNode, Suspense, useLayoutEffect } from 'react';
import { Group, Panel, Separator, useDefaultLayout } from 'react-resizable-panels';
import { Link } from 'wouter';
import { queries } from '../api/queries.ts';
import type { Block, Lineage } from '../api/types.ts';
import { keyLabel } from '../commands/keys.ts';
import { type ConversationAddress, toAddress, toSessionAddress } from '../state/address.ts';
import { useView } from '../state/view.ts';
import { Button, IconButton } from '../ui/button.tsx';
import { money, shortId, shortNumber, totalTokens } from '../ui/format.ts';
import { Kbd } from '../ui/kbd.tsx';
import { Failed, Loading } from '../ui/states.tsx';
import { useMedia } from '../ui/use-media.ts';
import { type SendPlan, send, stop } from './actions.ts';
import { Composer } from './composer/composer.tsx';
import { Destination } from './composer/destination.tsx';
import { useQueue } from './composer/queue-list.tsx';
import { Dialogs } from './dialogs.tsx';
import { copyText } from './marks.ts';
import { NewConversation } from './new-conversation.tsx';
import { restoreAt } from './remove-messages.ts';
import { ThreadView } from './thread.tsx';
import { useConversationKeys } from './use-conversation-keys.ts';
import { useSiblings } from './use-siblings.ts';
import { type ShownThread, useThread } from './use-thread.ts';

/** One conversation with its composer and inspector; without an address, a new conversation. */
export default function ConversationScreen(place: ConversationAddress) {
  return place.thread === undefined && place.node === undefined ? <NewConversation /> : <Conversation {...place} />;
}

function Conversation({ thread: id, node }: ConversationAddress) {
  const { thread, error, retry } = useThread(id, node);
  if (thread) return <OpenConversation {...thread} />;
  return error === undefined ? <Loading label="Loading the conversation" /> : <Failed error={error} onRetry={retry} />;
}

function OpenConversation(thread: ShownThread) {
  const { owner, selected, leaf, path, tail } = thread;
  const isInspecting = useView((view) => view.inspectorOpen);
  useConversationKeys(thread);
  const isGrowing = tail?.branch.status === 'running';
  const isLeaf = selected === leaf;
  // A conversation has one draft, wherever the reader is in it.
  const place = owner?.id ?? path[0]!.id;
  const write = (content: readonly Block[], plan: SendPlan) => send(selected.id, [{ role: 'user', content }], plan);
  useQueue(place, isLeaf && !tail && leaf.role === 'assistant' && !leaf.removed, (content) =>
    write(content, { answers: 1 }),
  );
  return (
    <div className="flex h-full flex-col">
      <Panes node={selected.id} leaf={leaf.id} isInspecting={isInspecting}>
        <div className="flex h-full min-w-0 flex-col">
          {leaf.removed && <RemovedNote thread={thread} />}
          {owner && <ThreadNote thread={owner} />}
          <ThreadView key={place} {...thread} />
          {!selected.removed && (
            <Composer
              place={place}
              isGrowing={isGrowing && isLeaf}
              placeholder={isLeaf ? 'Go on' : 'Go on from the selected message'}
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
    </div>
  );
}

/** Shown above a deleted branch, which can be read and restored but not continued. */
function RemovedNote({ thread: { path } }: { readonly thread: ShownThread }) {
  const top = path.find(({ removed }) => removed)!;
  return (
    <div role="status" className="flex items-center gap-2 border-b border-line bg-warn-soft px-3 py-1 text-warn">
      <Trash2 size={14} aria-hidden />
      <p className="grow">This branch was deleted.</p>
      <Button small onClick={() => void restoreAt(top)}>
        Restore
      </Button>
    </div>
  );
}

const Inspector = lazy(async () => ({ default: (await import('../inspector/inspector.tsx')).Inspector }));

interface PanesProps {
  readonly node: string;
  readonly leaf: string;
  readonly isInspecting: boolean;
  readonly children: ReactNode;
}

/** The thread with the inspector beside it, or over it in a narrow window. */
function Panes({ node, leaf, isInspecting, children }: PanesProps) {
  const isWide = useMedia('(min-width: 1024px)');
  // In a narrow window the inspector opens only on request.
  useLayoutEffect(() => {
    if (!isWide) useView.setState({ inspectorOpen: false });
  }, [isWide]);
  const layout = useDefaultLayout({
    id: 'skein.panes',
    panelIds: isInspecting ? ['thread', 'inspector'] : ['thread'],
    storage: localStorage,
  });
  const inspector = (
    <Suspense fallback={<Loading />}>
      <Inspector node={node} leaf={leaf} />
    </Suspense>
  );
  if (!isWide)
    return (
      <div className="relative min-h-0 grow">
        {children}
        {isInspecting && (
          <aside
            aria-label="Inspector"
            className="absolute inset-y-0 right-0 z-30 flex w-full max-w-md flex-col border-l border-line bg-page shadow-xl"
          >
            <IconButton
              label="Close the inspector"
              className="self-end"
              onClick={() => useView.setState({ inspectorOpen: false })}
            >
              <X size={16} />
            </IconButton>
            <div className="min-h-0 grow">{inspector}</div>
          </aside>
        )}
      </div>
    );
  return (
    <Group className="min-h-0 grow" defaultLayout={layout.defaultLayout} onLayoutChanged={layout.onLayoutChanged}>
      <Panel id="thread" minSize={360}>
        {children}
      </Panel>
      {isInspecting && (
        <>
          <Separator
            aria-label="Width of the inspector"
            className="w-px bg-line data-[separator=active]:bg-accent data-[separator=hover]:bg-accent"
          />
          <Panel id="inspector" defaultSize="34%" minSize={280}>
            <aside aria-label="Inspector" className="h-full overflow-hidden">
              {inspector}
            </aside>
          </Panel>
        </>
      )}
    </Group>
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
      aria-label="About this conversation"
      className="flex min-h-7 shrink-0 flex-col justify-center gap-x-4 border-b border-line bg-sunken px-3 py-1 text-xs text-soft"
    >
      {recorded && (
        <Line icon={<Radio size={14} aria-hidden className="mt-px shrink-0" />}>
          Recorded from a program. What you write here becomes a fork; the recording stays as it is.
        </Line>
      )}
      {isSession && (
        <Line icon={<Bot size={14} aria-hidden className="mt-px shrink-0" />}>
          {thread.agent ? `A session of ${thread.agent}` : 'Part of a session'}
          {thread.cwd && ` in ${thread.cwd}`}.{' '}
          <Link href={toSessionAddress(thread.id)} className="text-accent underline underline-offset-2">
            Show its steps and files
          </Link>
        </Line>
      )}
      {unrecorded !== undefined && <Line>It goes on from a response that was not recorded: {unrecorded}</Line>}
      {forkedFrom !== undefined && <ForkedFrom thread={forkedFrom} />}
    </div>
  );
}

function ForkedFrom({ thread }: { readonly thread: string }) {
  const { data } = useQuery(queries.thread(thread));
  return (
    <Line icon={<GitFork size={14} aria-hidden className="mt-px shrink-0" />}>
      Fork of{' '}
      <Link href={toAddress(thread)} className="text-accent underline underline-offset-2">
        {data?.title || 'another conversation'}
      </Link>
      {data?.recorded && ', which was recorded'}
    </Line>
  );
}

function Line({ icon, children }: { readonly icon?: ReactNode; readonly children: ReactNode }) {
  return (
    <p className="flex min-w-0 items-start gap-2">
      {icon}
      <span className="min-w-0 break-words">{children}</span>
    </p>
  );
}

const SHORTCUTS = [
  ['Alt+ArrowUp', 'siblings'],
  ['g', 'again'],
  ['e', 'edit'],
  ['b', 'bookmark'],
  ['Space', 'fold'],
  ['?', 'all keys'],
] as const;

/** The footer: keys, usage of the path, and the position of the selected message. */
function StatusLine({ owner, selected, leaf }: ShownThread) {
  const { positions, index } = useSiblings(selected);
  const { data } = useQuery({
    ...queries.usage({ path: leaf.id, ...(owner && { thread: owner.id }) }),
    placeholderData: (before) => before,
  });
  return (
    <footer className="flex h-7 shrink-0 items-center gap-4 overflow-hidden border-t border-line bg-surface px-3 text-xs whitespace-nowrap text-faint">
      <ul aria-label="Keys" className="hidden items-center gap-3 lg:flex">
        {SHORTCUTS.map(([keys, what]) => (
          <li key={keys} className="flex items-center gap-1">
            <Kbd>{keyLabel(keys)}</Kbd> {what}
          </li>
        ))}
      </ul>
      <span className="grow" />
      {data && (
        <span title="Tokens and cost of this path" className="tabular-nums">
          {shortNumber(totalTokens(data.usage))} tok · {data.cost === null ? 'no price known' : money(data.cost)}
          {data.cost !== null && data.withoutPrice > 0 && '+'}
        </span>
      )}
      <span className="tabular-nums">
        sibling {index + 1}/{positions.length}
      </span>
      <span className="hidden tabular-nums sm:inline">depth {selected.depth}</span>
      <button
        type="button"
        title="Copy the id of this message"
        onClick={() => void copyText(selected.id, 'The id was')}
        className="rounded px-1 font-mono hover:bg-hover hover:text-ink"
      >
        node {shortId(selected.id)}
      </button>
    </footer>
  );
}
