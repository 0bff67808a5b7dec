import { type MouseEvent, memo } from 'react';
import { type Block, blocksOf, type ContextChange, type Node } from '../api/types.ts';
import { Blocks } from '../blocks/blocks.tsx';
import { useFolds } from '../blocks/folds.ts';
import { goTo } from '../state/place.ts';
import { useView } from '../state/view.ts';
import { takeOf } from './author.ts';
import { BranchRail } from './branch-rail.tsx';
import { ContextNote } from './context-note.tsx';
import { useDesk } from './desk.ts';
import { LongText } from './long-text.tsx';
import { MessageLosses } from './losses.tsx';
import { MessageActions } from './message-actions.tsx';
import { MessageEditor } from './message-editor.tsx';
import { MessageHeader } from './message-header.tsx';
import type { Pairs } from './pair-calls.ts';
import { SiblingSwitcher } from './sibling-switcher.tsx';
import { SystemText } from './system-text.tsx';
import { useSiblings } from './use-siblings.ts';

export interface MessageRowProps {
  readonly node: Node;
  readonly leaf: string;
  readonly isSelected: boolean;
  readonly isBookmarked: boolean;
  readonly isOtherProvider: boolean;
  readonly pairs: Pairs;
  /** What was sent differently from here on. */
  readonly change: ContextChange | undefined;
}

/** One message. */
export const MessageRow = memo(function MessageRow(props: MessageRowProps) {
  const { node, leaf, isSelected, isBookmarked, isOtherProvider, pairs, change } = props;
  const siblings = useSiblings(node);
  const isMarked = useView(({ marked }) => marked.includes(node.id));
  const isRaw = useFolds(({ raw }) => raw.has(node.id));
  const isEditing = useDesk(({ editing }) => editing === node.id);
  const marks = { isBookmarked, isMarked };
  const isThin = isShownElsewhere(node, pairs);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: keys move the selection everywhere on this screen
    // biome-ignore lint/a11y/noStaticElementInteractions: a click is only the shorter way
    <div
      data-node={node.id}
      {...(isSelected && { 'data-selected': '', 'aria-current': true as const })}
      onClick={(event) => !isSelected && isOnMessage(event) && goTo(node.id, { replace: true })}
      className="group relative mx-auto flex w-full max-w-3xl pr-3"
    >
      <BranchRail parent={node.parent} {...siblings} />
      <article
        aria-label={`${node.role} message`}
        className="min-w-0 grow rounded-r-lg border-l-2 border-transparent px-3 pt-1 pb-2 group-data-selected:border-accent group-data-selected:bg-surface"
      >
        {change && <ContextNote change={change} />}
        <header className="flex h-8 items-center gap-2 overflow-hidden">
          <MessageHeader node={node} {...marks} />
          {isThin && (
            <p className="min-w-0 truncate text-xs text-faint">
              {[...pairs.shown!.values()].join(', ')}: shown with its call
            </p>
          )}
          <span className="grow" />
          {siblings.positions.length > 1 && <SiblingSwitcher parent={node.parent} {...siblings} />}
          <MessageActions node={node} {...marks} isRaw={isRaw} />
        </header>
        {isEditing ? (
          <MessageEditor node={node} leaf={leaf} />
        ) : (
          !isThin && <Content node={node} pairs={pairs} isRaw={isRaw} />
        )}
        <MessageLosses node={node} isOtherProvider={isOtherProvider} />
      </article>
    </div>
  );
});

/** What is done by a button of it, or in a menu over it, is no wish to select it; nor is marking its text. */
function isOnMessage({ target, currentTarget }: MouseEvent<HTMLElement>): boolean {
  const isInside = target instanceof Element && currentTarget.contains(target);
  return isInside && !target.closest('a, button, textarea') && window.getSelection()?.isCollapsed !== false;
}

/** Results that stand with their calls are not repeated. */
function isShownElsewhere(node: Node, { shown }: Pairs): boolean {
  return (
    shown !== undefined && blocksOf(node).every((block) => block.type === 'tool-result' && shown.has(block.toolCallId))
  );
}

function isEmpty(blocks: readonly Block[]): boolean {
  return blocks.every((block) => block.type === 'text' && block.text.trim() === '');
}

/** A refusal or a filter is why there is nothing; that an answer ended says no more than that there is none. */
function silenceInWords(node: Node): string {
  const { reason, native = reason } = takeOf(node)?.stop ?? {};
  return reason === undefined || reason === 'end' ? 'Nothing was said.' : `Nothing was said. It ended with ${native}.`;
}

function Content({ node, pairs, isRaw }: { readonly node: Node; readonly pairs: Pairs; readonly isRaw: boolean }) {
  const blocks = blocksOf(node);
  if (isEmpty(blocks)) return <p className="text-faint italic">{silenceInWords(node)}</p>;
  if (node.role === 'system') return <SystemText node={node} isRaw={isRaw} />;
  const content = (
    <Blocks
      node={node.id}
      blocks={blocks}
      raw={isRaw}
      {...(pairs.results && { results: pairs.results })}
      {...(pairs.shown && { shownResults: pairs.shown })}
    />
  );
  return node.role === 'user' ? <LongText node={node.id}>{content}</LongText> : content;
}
