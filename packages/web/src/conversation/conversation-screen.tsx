import { useQuery } from '@tanstack/react-query';
import { GitFork, MessageSquarePlus, Radio, Trash2 } from 'lucide-react';
import { type ReactNode, useCallback, useEffect, useState } from 'react';
import { Link } from 'wouter';
import { navigate } from '../api/base.ts';
import { queries } from '../api/queries.ts';
import type { Lineage, Node } from '../api/types.ts';
import { foldablePlaces } from '../blocks/blocks.tsx';
import { toggleFolds } from '../blocks/folds.ts';
import { type Command, useCommandList } from '../commands/registry.ts';
import { type ConversationAddress, toAddress } from '../state/address.ts';
import { useNodes } from '../state/nodes.ts';
import { goTo } from '../state/place.ts';
import { type InspectorTab, showTab, toggleMarked, useView } from '../state/view.ts';
import { Button } from '../ui/button.tsx';
import { Failed, Loading } from '../ui/states.tsx';
import { answerAgain, send, stop } from './actions.ts';
import { Composer, Destination, focusComposer } from './composer/composer.tsx';
import { useDraft } from './composer/draft.ts';
import { Dialogs } from './dialogs.tsx';
import { copyText, forkThread, linkTo, rate, toggleBookmark } from './marks.ts';
import { showSiblings } from './message/sibling-switcher.tsx';
import { Panes } from './panes.tsx';
import { restoreAt } from './remove-messages.ts';
import { openDialog, startEditing, stopEditing, useScreenState } from './screen-state.ts';
import { StatusLine } from './status-line.tsx';
import { ThreadView } from './thread.tsx';
import { goToPosition, useLiveSiblings, useSiblings } from './use-siblings.ts';
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
  useConversationKeys(thread);
  const isGrowing = tail?.branch.status === 'running';
  const isLeaf = selected === leaf;
  return (
    <div className="flex h-full flex-col">
      <Panes node={selected.id} leaf={leaf.id}>
        <div className="flex h-full min-w-0 flex-col">
          {leaf.removed && <RemovedNote thread={thread} />}
          {owner && <ThreadNote thread={owner} />}
          <ThreadView key={owner?.id ?? path[0]!.id} {...thread} />
          {!selected.removed && (
            <Composer
              place={selected.id}
              isGrowing={isGrowing && isLeaf}
              placeholder={isLeaf ? 'Go on' : 'Go on from the selected message'}
              onSend={(content, answers) => send(selected.id, [{ role: 'user', content }], answers)}
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

/** The screen of a conversation that has not begun. */
function NewConversation() {
  const [system, setSystem] = useDraft('new-system', false);
  const [hasSystem, setHasSystem] = useState(system !== '');
  useEffect(focusComposer, []);
  return (
    <div className="flex h-full flex-col">
      <div className="mx-auto flex min-h-0 w-full max-w-3xl grow flex-col justify-center gap-4 overflow-y-auto p-6">
        <h1 className="flex items-center gap-2 text-lg font-semibold">
          <MessageSquarePlus size={20} aria-hidden className="text-accent" /> New conversation
        </h1>
        {hasSystem ? (
          <label className="flex flex-col gap-1 text-xs text-soft">
            System text: instructions that the model gets before the conversation
            <textarea
              value={system}
              onChange={(event) => setSystem(event.target.value)}
              rows={4}
              className="field-sizing-content max-h-[40dvh] min-h-24 w-full resize-none rounded-lg border border-line bg-surface p-3 text-sm text-ink"
            />
          </label>
        ) : (
          <p className="text-soft">
            Write below, or{' '}
            <button
              type="button"
              onClick={() => setHasSystem(true)}
              className="text-accent underline underline-offset-2"
            >
              set a system text
            </button>{' '}
            first. Every message can be branched later, with any model.
          </p>
        )}
      </div>
      <Composer
        place="new"
        isGrowing={false}
        placeholder="What is it about?"
        onSend={async (content, answers) => {
          const first =
            system.trim() === ''
              ? []
              : [{ role: 'system' as const, content: [{ type: 'text' as const, text: system }] }];
          const isSent = await send(undefined, [...first, { role: 'user', content }], answers);
          if (isSent) {
            setSystem('');
            focusComposer();
          }
          return isSent;
        }}
      />
    </div>
  );
}

/** Says that a conversation was recorded or forked. */
function ThreadNote({ thread }: { readonly thread: Lineage }) {
  const { recorded, forkedFrom, unrecorded } = thread;
  if (!recorded && forkedFrom === undefined) return null;
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

/** Registers the commands of this screen, with their keys. */
function useConversationKeys({ selected, leaf, path, tail }: ShownThread): void {
  const siblings = useSiblings(selected);
  const growing = useLiveSiblings(leaf.id, tail);
  // While branches grow after the selected message, the keys switch between those.
  const { positions, index, parent } =
    selected === leaf && growing.positions.length > 1
      ? { ...growing, parent: leaf.id }
      : { ...siblings, parent: selected.parent };
  const at = path.indexOf(selected);
  const toSibling = (step: number) => {
    const position = positions[index + step];
    if (position) goToPosition(position, parent);
  };
  const select = (node: Node | undefined) => node && goTo(node.id, { replace: true });
  const toFork = useCallback(
    (step: 1 | -1) => {
      const { children } = useNodes.getState();
      for (let next = at + step; path[next]; next += step) {
        const above = path[next - 1];
        const count = above ? (children.get(above.id)?.length ?? above.childCount) : 0;
        if (count > 1) return goTo(path[next]!.id, { replace: true });
      }
    },
    [at, path],
  );
  const leave = () => {
    if (document.querySelector('[role="dialog"], dialog[open], [role="menu"], [role="listbox"]')) return;
    if (tail?.branch.status === 'running') void stop(tail.live.id);
    else if (useScreenState.getState().editing !== undefined) stopEditing();
    else if (document.activeElement instanceof HTMLElement && document.activeElement !== document.body)
      document.activeElement.blur();
    else useView.setState({ inspectorOpen: false });
  };
  useCommandList([
    go('sibling-before', 'Previous sibling', ['Alt+ArrowUp', 'k'], () => toSibling(-1)),
    go('sibling-after', 'Next sibling', ['Alt+ArrowDown', 'j'], () => toSibling(1)),
    go('parent', 'Parent', ['Alt+ArrowLeft', 'h'], () => select(path[at - 1])),
    go('child', 'Last visited child', ['Alt+ArrowRight', 'l'], () => select(path[at + 1])),
    go('fork-before', 'Previous fork', ['['], () => toFork(-1)),
    go('fork-after', 'Next fork', [']'], () => toFork(1)),
    go('siblings', 'Show the branches as cards', ['s'], () => showSiblings(selected.id)),
    go('first', 'First message', ['Home'], () => select(path[0])),
    go('leaf', 'Latest message', ['End'], () => select(leaf)),
    branch('again', 'Answer again', ['g'], () => void answerAgain(selected)),
    ...[2, 3, 4, 5, 6, 7, 8, 9].map((n) =>
      branch(`again-${n}`, `Answer again ${n} times`, [`g ${n}`], () => void answerAgain(selected, n)),
    ),
    branch('edit', 'Edit as a branch', ['e'], () => selected.role !== 'tool' && startEditing(selected.id)),
    branch('delete', 'Delete branch', ['x'], () => openDialog('delete', selected)),
    branch('delete-others', 'Delete all but this path', [], () => openDialog('delete-others', selected)),
    branch('fork', 'Fork as its own conversation', [], () => void forkThread(selected)),
    ...(path[0]!.role === 'system'
      ? []
      : [branch('system', 'Add a system text', [], () => openDialog('system', path[0]!))]),
    branch('split', 'Split in two', [], () => openDialog('split', selected)),
    message('bookmark', 'Bookmark', ['b'], () => void toggleBookmark(selected)),
    message('mark', 'Mark to compare', ['m'], () => toggleMarked(selected.id)),
    message('compare', 'Compare what is marked', ['c'], () => navigate('/compare')),
    message('fold', 'Fold or unfold', ['Space'], () => toggleFolds(selected.id, foldableParts(selected))),
    message('tag', 'Tags', [], () => openDialog('tag', selected)),
    message('note', 'Note', [], () => openDialog('note', selected)),
    message('good', 'Rate as good', [], () => void rate(selected, 1)),
    message('bad', 'Rate as bad', [], () => void rate(selected, -1)),
    message('copy-link', 'Copy link', [], () => void copyText(linkTo(selected), 'The link was')),
    { ...message('tree', 'Tree', ['t'], () => toggleTab('tree')), group: 'View' },
    { ...message('raw', 'Raw', ['r'], () => toggleTab('raw')), group: 'View' },
    { ...message('stop', 'Stop', ['Escape'], leave), whileTyping: true },
  ]);
}

function toggleTab(tab: InspectorTab): void {
  const view = useView.getState();
  if (view.inspectorOpen && view.tab === tab) useView.setState({ inspectorOpen: false });
  else showTab(tab);
}

function foldableParts(node: Node): readonly (string | number)[] {
  if (node.role === 'system') return ['system'];
  const places = foldablePlaces(node.content);
  return places.length > 0 ? places : ['whole'];
}

const commandIn =
  (group: Command['group']) =>
  (id: string, title: string, keys: readonly string[], run: () => unknown): Command => ({
    id: `conversation.${id}`,
    title,
    group,
    keys,
    run: () => void run(),
  });

const go = commandIn('Go to');
const branch = commandIn('Branch');
const message = commandIn('Message');
