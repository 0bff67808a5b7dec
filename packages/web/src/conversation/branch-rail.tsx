import { blocksOf } from '../api/types.ts';
import { inWords } from '../blocks/in-words.ts';
import { Popover } from '../ui/popover.tsx';
import { takeOf } from './author.ts';
import type { SiblingSwitcherProps } from './sibling-switcher.tsx';
import type { Position } from './siblings.ts';
import { goToPosition } from './use-siblings.ts';

/** The line beside a message; a dot where the conversation forks, which shows the branches. */
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

function positionInWords({ nodes }: Position): string {
  const [first] = nodes;
  if (!first) return 'nothing to read yet';
  const model = takeOf(first)?.model;
  return `${model === undefined ? '' : `${model}: `}${inWords(blocksOf(first)) || 'nothing visible'}`;
}
