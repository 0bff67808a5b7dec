import { useCallback } from 'react';
import { navigate } from '../api/base.ts';
import type { Node } from '../api/types.ts';
import { foldablePlaces } from '../blocks/blocks.tsx';
import { toggleFolds } from '../blocks/folds.ts';
import { type Command, useCommandList } from '../commands/registry.ts';
import { useNodes } from '../state/nodes.ts';
import { goTo } from '../state/place.ts';
import { type InspectorTab, showTab, toggleMarked, useView } from '../state/view.ts';
import { toast } from '../ui/toasts.tsx';
import { answerAgain, stop } from './actions.ts';
import { copyText, forkThread, linkTo, rate, toggleBookmark } from './marks.ts';
import { showSiblings } from './message/sibling-switcher.tsx';
import { restoreAt } from './remove-messages.ts';
import { openDialog, startEditing, stopEditing, useScreenState } from './screen-state.ts';
import { goToPosition, useLiveSiblings, useSiblings } from './use-siblings.ts';
import type { ShownThread } from './use-thread.ts';

/** Registers the commands of this screen, with their keys. */
export function useConversationKeys({ selected, leaf, path, tail }: ShownThread): void {
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
  /** Branches do not grow where a message was deleted: says so, and offers to restore it. */
  const onKept = (run: () => void) => () => {
    const top = path.slice(0, at + 1).find(({ removed }) => removed);
    if (!top) return run();
    toast('This message was deleted. Restore it first.', { title: 'Restore', run: () => void restoreAt(top) });
  };
  const branch = (id: string, title: string, keys: readonly string[], run: () => unknown) =>
    commandIn('Branch')(
      id,
      title,
      keys,
      onKept(() => void run()),
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
    {
      ...message('find', 'Find in this conversation', ['f', 'Ctrl+f'], () =>
        useScreenState.setState({ isFinding: true }),
      ),
      group: 'Conversation',
    },
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
const message = commandIn('Message');
