import {
  Bookmark,
  Braces,
  Copy,
  CornerDownRight,
  FileText,
  GitCompare,
  GitFork,
  Link2,
  Pencil,
  RefreshCw,
  Scissors,
  Settings2,
  StickyNote,
  Tag,
  ThumbsDown,
  ThumbsUp,
  Trash2,
  TreePine,
} from 'lucide-react';
import { base } from '../api/base.ts';
import { blocksOf, type Node, ROOT } from '../api/types.ts';
import { toggleRaw } from '../blocks/folds.ts';
import { plainText } from '../blocks/in-words.ts';
import { goTo } from '../state/place.ts';
import { showTab, toggleMarked } from '../state/view.ts';
import type { MenuItem } from '../ui/menu.tsx';
import { answerAgain } from './actions.ts';
import { ask, startEditing } from './desk.ts';
import { focusComposer } from './focus-composer.ts';
import { copyText, forkThread, rate, toggleBookmark } from './marking.ts';

export interface MessageActionsProps {
  readonly node: Node;
  readonly isBookmarked: boolean;
  readonly isMarked: boolean;
  readonly isRaw: boolean;
}

/** All that can be done with a message. */
export function menuItems({ node, isBookmarked, isMarked, isRaw }: MessageActionsProps): readonly (MenuItem | null)[] {
  const isAnswer = node.role === 'assistant' && node.parent !== ROOT;
  const again = isAnswer ? 'Answer again' : 'Answer this';
  return [
    { title: again, icon: <RefreshCw size={14} />, keys: 'g', run: () => void answerAgain(node) },
    { title: `${again} three times`, icon: <RefreshCw size={14} />, keys: 'g 3', run: () => void answerAgain(node, 3) },
    {
      title: 'Edit as a branch',
      icon: <Pencil size={14} />,
      keys: 'e',
      disabled: node.role === 'tool',
      run: () => startEditing(node.id),
    },
    ...(node.parent === ROOT && node.role !== 'system'
      ? [{ title: 'Add a system text', icon: <Settings2 size={14} />, run: () => ask('system', node) }]
      : []),
    { title: 'Continue from here', icon: <CornerDownRight size={14} />, run: () => continueFrom(node) },
    null,
    {
      title: 'Copy text',
      icon: <Copy size={14} />,
      run: () => void copyText(plainText(blocksOf(node)), 'The text was'),
    },
    {
      title: 'Copy link',
      icon: <Link2 size={14} />,
      run: () => void copyText(`${location.origin}${base}/c/${node.id}`, 'The link was'),
    },
    {
      title: isRaw ? 'Show as markdown' : 'Show as written',
      icon: <FileText size={14} />,
      run: () => toggleRaw(node.id),
    },
    { title: 'Open raw', icon: <Braces size={14} />, keys: 'r', run: () => openRaw(node) },
    null,
    {
      title: isBookmarked ? 'Take the bookmark away' : 'Bookmark',
      icon: <Bookmark size={14} />,
      keys: 'b',
      run: () => void toggleBookmark(node),
    },
    { title: 'Tags', icon: <Tag size={14} />, run: () => ask('tag', node) },
    { title: 'Note', icon: <StickyNote size={14} />, run: () => ask('note', node) },
    {
      title: node.marks.rating === 1 ? 'No rating' : 'Good',
      icon: <ThumbsUp size={14} />,
      run: () => void rate(node, 1),
    },
    {
      title: node.marks.rating === -1 ? 'No rating ' : 'Bad',
      icon: <ThumbsDown size={14} />,
      run: () => void rate(node, -1),
    },
    {
      title: isMarked ? 'Unmark' : 'Mark to compare',
      icon: <GitCompare size={14} />,
      keys: 'm',
      run: () => toggleMarked(node.id),
    },
    null,
    { title: 'Fork as its own conversation', icon: <GitFork size={14} />, run: () => void forkThread(node) },
    {
      title: 'Split in two',
      icon: <Scissors size={14} />,
      disabled: plainText(blocksOf(node)).length < 2,
      run: () => ask('split', node),
    },
    {
      title: 'Delete all but this path',
      icon: <TreePine size={14} />,
      danger: true,
      run: () => ask('delete-others', node),
    },
    { title: 'Delete branch', icon: <Trash2 size={14} />, keys: 'x', danger: true, run: () => ask('delete', node) },
  ];
}

function openRaw(node: Node): void {
  goTo(node.id, { replace: true });
  showTab('raw');
}

/** The next message goes below this one, with whatever model is chosen then. */
function continueFrom(node: Node): void {
  goTo(node.id, { replace: true });
  focusComposer();
}
