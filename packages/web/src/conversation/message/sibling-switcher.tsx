import { ChevronLeft, ChevronRight } from 'lucide-react';
import { summarizeBlocks } from '../../blocks/summary.ts';
import { IconButton } from '../../ui/button.tsx';
import { Popover } from '../../ui/popover.tsx';
import type { SiblingPosition } from '../siblings.ts';
import { goToPosition } from '../use-siblings.ts';
import { mainTake } from './author.ts';

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
    <fieldset aria-label="Branches" className="flex h-7 min-w-0 shrink-0 items-center text-xs text-soft tabular-nums">
      <IconButton
        plainTip
        label="Previous branch"
        keys="Alt+ArrowUp"
        disabled={!before}
        className="!size-6"
        onClick={() => before && goToPosition(before, parent)}
      >
        <ChevronLeft size={14} />
      </IconButton>
      <span>
        {index + 1}/{positions.length}
      </span>
      <IconButton
        plainTip
        label="Next branch"
        keys="Alt+ArrowDown"
        disabled={!after}
        className="!size-6"
        onClick={() => after && goToPosition(after, parent)}
      >
        <ChevronRight size={14} />
      </IconButton>
      {same > 1 && (
        <span title={`${same} branches look the same`} className="rounded bg-sunken px-1">
          ×{same}
        </span>
      )}
    </fieldset>
  );
}

/** The line beside a message. Where the conversation forks, a dot on it opens the list of branches. */
export function BranchRail({ parent, positions, index }: SiblingSwitcherProps) {
  return (
    <div className="relative w-6 shrink-0 self-stretch">
      <div aria-hidden className="absolute inset-y-0 left-1/2 w-px bg-line" />
      {positions.length > 1 && (
        <Popover
          label="Branches"
          trigger={
            <button
              type="button"
              aria-label={`${positions.length} branches here`}
              className="absolute top-3 left-1/2 flex size-6 -translate-x-1/2 items-center justify-center rounded-full hover:bg-hover"
            >
              <span className="size-2.5 rounded-full border-2 border-accent bg-page" />
            </button>
          }
        >
          <p className="mb-2 text-xs font-medium text-soft">{positions.length} ways it goes on from here</p>
          <ul className="flex flex-col gap-0.5">
            {positions.map((position, at) => (
              <li key={position.nodes[0]?.id ?? `${position.live?.generation}-${position.live?.branch}`}>
                <button
                  type="button"
                  aria-current={at === index}
                  onClick={() => goToPosition(position, parent)}
                  className={`flex w-full items-baseline gap-2 rounded px-2 py-1 text-left hover:bg-hover ${at === index ? 'bg-accent-soft' : ''}`}
                >
                  <span className="w-5 shrink-0 text-xs text-faint tabular-nums">{at + 1}</span>
                  <span className="line-clamp-2 min-w-0 grow text-xs break-words">{positionInWords(position)}</span>
                </button>
              </li>
            ))}
          </ul>
        </Popover>
      )}
    </div>
  );
}

function positionInWords({ nodes }: SiblingPosition): string {
  const [first] = nodes;
  if (!first) return 'nothing to read yet';
  const model = mainTake(first)?.model;
  return `${model === undefined ? '' : `${model}: `}${summarizeBlocks(first.content) || 'nothing visible'}`;
}
