import { useCallback } from 'react';
import { navigate } from '../api/base.ts';
import type { Node } from '../api/types.ts';
import { foldablePlaces } from '../blocks/blocks.tsx';
import { toggleFolds, toggleRaw } from '../blocks/folds.ts';
import { plainText } from '../blocks/summary.ts';
import { type Command, useCommandList } from '../commands/registry.ts';
import { useNodes } from '../state/nodes.ts';
import { goTo } from '../state/place.ts';
import { type InspectorTab, showTab, toggleMarked, useView } from '../state/view.ts';
import { toast } from '../ui/toasts.tsx';
import { t } from '../words/words.ts';
import { answerAgain, stop } from './actions.ts';
import { focusComposer } from './composer/composer.tsx';
import { copyText, forkThread, linkTo, rate, toggleBookmark } from './marks.ts';
import { showSiblings } from './message/sibling-switcher.tsx';
import { restoreAt } from './remove-messages.ts';
import { openDialog, startEditing, stopEditing, useScreenState } from './screen-state.ts';
import { goToPosition, useSiblings } from './use-siblings.ts';
import type { ShownThread } from './use-thread.ts';

/** Registers the commands of this screen, with their keys. */
export function useConversationKeys({ selected, leaf, path, tail }: ShownThread): void {
  const siblings = useSiblings(selected);
  const growing = useSiblings(undefined, tail);
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
    toast(t('conversation.restore-first'), { title: t('conversation.restore'), run: () => void restoreAt(top) });
  };
  const branch = (id: string, title: string, keys: readonly string[], run: () => unknown) =>
    commandIn('branch')(
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
    go('sibling-before', t('conversation.previous-sibling'), ['Alt+ArrowUp', 'k'], () => toSibling(-1)),
    go('sibling-after', t('conversation.next-sibling'), ['Alt+ArrowDown', 'j'], () => toSibling(1)),
    go('parent', t('conversation.parent'), ['Alt+ArrowLeft', 'h'], () => select(path[at - 1])),
    go('child', t('conversation.last-visited-child'), ['Alt+ArrowRight', 'l'], () => select(path[at + 1])),
    go('fork-before', t('conversation.previous-fork'), ['['], () => toFork(-1)),
    go('fork-after', t('conversation.next-fork'), [']'], () => toFork(1)),
    go('siblings', t('conversation.branch-cards'), ['s'], () => showSiblings(selected.id)),
    go('first', t('conversation.first-message'), ['Home'], () => select(path[0])),
    go('leaf', t('conversation.latest-message'), ['End'], () => select(leaf)),
    branch('again', t('conversation.answer-again'), ['g'], () => void answerAgain(selected)),
    ...[2, 3, 4, 5, 6, 7, 8, 9].map((n) =>
      branch(
        `again-${n}`,
        t('conversation.answer-again-times', { n }),
        [`g ${n}`],
        () => void answerAgain(selected, n),
      ),
    ),
    branch('edit', t('conversation.edit'), ['e'], () => selected.role !== 'tool' && startEditing(selected.id)),
    branch('delete', t('conversation.delete-branch'), ['x'], () => openDialog('delete', selected)),
    branch('delete-others', t('conversation.delete-others'), [], () => openDialog('delete-others', selected)),
    branch('fork', t('conversation.fork'), [], () => void forkThread(selected)),
    ...(path[0]!.role === 'system'
      ? []
      : [branch('system', t('system-text.add'), [], () => openDialog('system', path[0]!))]),
    branch('split', t('split.title'), [], () => openDialog('split', selected)),
    message('bookmark', t('conversation.bookmark'), ['b'], () => void toggleBookmark(selected)),
    message('mark', t('conversation.mark-to-compare'), ['m'], () => toggleMarked(selected.id)),
    message('compare', t('conversation.compare-marked'), ['c'], () => navigate('/compare')),
    message('fold', t('conversation.fold'), ['Space'], () => toggleFolds(selected.id, foldableParts(selected))),
    message('tag', t('dialogs.tags'), [], () => openDialog('tag', selected)),
    message('note', t('dialogs.note'), [], () => openDialog('note', selected)),
    message('good', t('conversation.rate-good'), [], () => void rate(selected, 1)),
    message('bad', t('conversation.rate-bad'), [], () => void rate(selected, -1)),
    message(
      'copy-text',
      t('message.copy-text'),
      [],
      () => void copyText(plainText(selected.content), t('message.text-copied')),
    ),
    message('source', t('conversation.source'), [], () => toggleRaw(selected.id)),
    message('continue', t('message.continue'), [], focusComposer),
    message(
      'copy-link',
      t('conversation.copy-link'),
      [],
      () => void copyText(linkTo(selected), t('conversation.link-copied')),
    ),
    {
      ...message('find', t('find.label'), ['f', 'Ctrl+f'], () => useScreenState.setState({ isFinding: true })),
      group: 'conversation',
    },
    { ...message('tree', t('conversation.tree'), ['t'], () => toggleTab('tree')), group: 'view' },
    { ...message('raw', t('conversation.raw'), ['r'], () => toggleTab('raw')), group: 'view' },
    ...(['diff', 'usage', 'request'] as const).map((tab) => ({
      ...message(tab, t(`conversation.tab-${tab}`), [], () => toggleTab(tab)),
      group: 'view' as const,
    })),
    { ...message('stop', t('conversation.stop'), ['Escape'], leave), whileTyping: true },
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

const go = commandIn('go');
const message = commandIn('message');
