import { ChevronLeft, ChevronRight } from 'lucide-react';
import { IconButton } from '../ui/button.tsx';
import type { Position } from './siblings.ts';
import { goToPosition } from './use-siblings.ts';

export interface SiblingSwitcherProps {
  readonly parent: string;
  readonly positions: readonly Position[];
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
