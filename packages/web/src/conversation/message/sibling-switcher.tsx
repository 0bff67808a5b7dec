import { ChevronLeft, ChevronRight } from 'lucide-react';
import { useRef } from 'react';
import { create } from 'zustand';
import { IconButton } from '../../ui/button.tsx';
import { Popover } from '../../ui/popover.tsx';
import { t } from '../../words/words.ts';
import type { SiblingPosition } from '../siblings.ts';
import { goToPosition } from '../use-siblings.ts';
import { SiblingCards } from './sibling-cards.tsx';

interface SiblingSwitcherProps {
  readonly parent: string;
  readonly positions: readonly SiblingPosition[];
  readonly index: number;
}

/** ‹ 2/4 › */
export function SiblingSwitcher({ parent, positions, index }: SiblingSwitcherProps) {
  const before = positions[index - 1];
  const after = positions[index + 1];
  const same = positions[index]?.nodes.length ?? 1;
  return (
    <fieldset
      aria-label={t('message.branches-label')}
      className="flex h-7 min-w-0 pointer-coarse:h-10 shrink-0 items-center first:-ml-1.5 pointer-coarse:first:-ml-3 text-xs text-soft tabular-nums"
    >
      <IconButton
        label={t('message.previous-branch')}
        keys="Alt+ArrowUp"
        disabled={!before}
        className="!size-6 pointer-coarse:!size-10"
        onClick={() => before && goToPosition(before, parent)}
      >
        <ChevronLeft size={14} />
      </IconButton>
      <span>
        {index + 1}/{positions.length}
      </span>
      <IconButton
        label={t('message.next-branch')}
        keys="Alt+ArrowDown"
        disabled={!after}
        className="!size-6 pointer-coarse:!size-10"
        onClick={() => after && goToPosition(after, parent)}
      >
        <ChevronRight size={14} />
      </IconButton>
      {same > 1 && (
        <span title={t('message.branches-same', { count: same })} className="rounded bg-sunken px-1">
          ×{same}
        </span>
      )}
    </fieldset>
  );
}

/** The line beside the messages of a conversation that forks. Where it does, a dot on the line shows the branches as cards. */
export function BranchRail({ parent, positions, index }: SiblingSwitcherProps) {
  const hover = useRef<ReturnType<typeof setTimeout>>(undefined);
  const here = positions[index]?.nodes[0]?.id ?? parent;
  const isOpen = useOpenCards((state) => state.at === here);
  const set = (open: boolean) => useOpenCards.setState({ at: open ? here : undefined });
  return (
    <div className="relative w-6 shrink-0 self-stretch">
      <div aria-hidden className="absolute inset-y-0 left-1/2 hidden w-px bg-line group-data-forks/thread:block" />
      {positions.length > 1 && (
        <Popover
          label={t('message.branches-label')}
          open={isOpen}
          onOpenChange={set}
          className="w-96"
          trigger={
            <button
              type="button"
              aria-label={t('message.branches-here', { count: positions.length })}
              onPointerEnter={({ pointerType }) => {
                if (pointerType === 'mouse') hover.current = setTimeout(() => set(true), HOVER_MS);
              }}
              onPointerLeave={() => clearTimeout(hover.current)}
              className="absolute top-3 left-1/2 flex size-6 -translate-x-1/2 items-center justify-center rounded-full hover:bg-hover pointer-coarse:top-1 pointer-coarse:left-0 pointer-coarse:size-10 pointer-coarse:translate-x-0 pointer-coarse:justify-start pointer-coarse:pl-[7px]"
            >
              <span className="size-2.5 rounded-full border-2 border-accent bg-page" />
            </button>
          }
        >
          <SiblingCards parent={parent} positions={positions} index={index} onDone={() => set(false)} />
        </Popover>
      )}
    </div>
  );
}

/** How long the pointer rests on a fork before its branches are shown, in milliseconds. */
const HOVER_MS = 350;

/** The message whose branches are shown as cards. */
const useOpenCards = create<{ readonly at: string | undefined }>(() => ({ at: undefined }));

/** Shows the branches of a message as cards, as far as it has several. */
export function showSiblings(node: string): void {
  useOpenCards.setState({ at: node });
}
